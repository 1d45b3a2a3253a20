/** A hint to look for work, or to cancel a locked job. It may be late, doubled, lost or false. */
export interface WakeUp {
  /** The queue that has new work. Absent: any queue. */
  readonly queue?: string;
  /** The public id of a locked job to cancel. */
  readonly cancel?: string;
  /** The limit that has a free slot, or another size. */
  readonly limit?: string;
  /** The rate that has other numbers, or a start that was given back. */
  readonly rate?: string;
  /** The schedule that is new, or has another time. */
  readonly schedule?: string;
  /** The public id of a job for which another one waits. It may have ended meanwhile. */
  readonly after?: string;
  /** How often that job was redriven. A wake-up may be late, and must not cancel a job that was redriven since. */
  readonly redrives?: number;
  /** The ids of workers that were woken already. */
  readonly except?: readonly string[];
}

/** Whether a wake-up is for a worker that serves these queues. A cancellation is for every worker. */
export function concerns({ queue, except }: WakeUp, queues: readonly string[], workerId: string): boolean {
  return (queue === undefined || queues.includes(queue)) && !except?.includes(workerId);
}

/** Merges all hints to look into one. Keeps what says more, as cancellations and limits. */
export function merged(received: readonly WakeUp[]): readonly WakeUp[] {
  const look = received.find(isHint);
  const others = received.filter((wakeUp) => !isHint(wakeUp));
  return look === undefined ? others : [...others, look];
}

/** Whether a wake-up says no more than that there is work. */
export function isHint({ cancel, limit, rate, schedule, after }: WakeUp): boolean {
  return [cancel, limit, rate, schedule, after].every((named) => named === undefined);
}

/** A wake-up as it was sent. Any client of the database may send one: text of another form is a hint to look. */
export function wakeUpOf(sent: unknown): WakeUp {
  const { queue, cancel, limit, rate, schedule, after, redrives, except } = Object(sent);
  return {
    ...(typeof queue === 'string' && { queue }),
    ...(typeof cancel === 'string' && { cancel }),
    ...(typeof limit === 'string' && { limit }),
    ...(typeof rate === 'string' && { rate }),
    ...(typeof schedule === 'string' && { schedule }),
    ...(typeof after === 'string' && { after }),
    ...(typeof redrives === 'number' && { redrives }),
    ...(Array.isArray(except) && { except: except.filter((id: unknown) => typeof id === 'string') }),
  };
}
