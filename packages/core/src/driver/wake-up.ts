/** A hint that a look for work is worthwhile, or that a job that somebody holds is to be cancelled. It may be late, doubled, lost or false. */
export interface WakeUp {
  /** The queue that has new work; absent means any. */
  readonly queue?: string;
  /** The public id of a job that is to be cancelled, though somebody holds it. */
  readonly cancel?: string;
  /** How often that job was redriven: a wake-up may be late, and does not mean a job that was redriven since. */
  readonly redrives?: number;
  /** The ids of workers that were woken already. */
  readonly except?: readonly string[];
}

/** Whether a wake-up is for a worker that serves these queues. What concerns a running job is for every one. */
export function concerns({ queue, except }: WakeUp, queues: readonly string[], workerId: string): boolean {
  return (queue === undefined || queues.includes(queue)) && !except?.includes(workerId);
}

/** A wake-up as it was sent. Anybody may send one: a text of another form is a hint to look. */
export function wakeUpOf(sent: unknown): WakeUp {
  const { queue, cancel, redrives, except } = Object(sent);
  return {
    ...(typeof queue === 'string' && { queue }),
    ...(typeof cancel === 'string' && { cancel }),
    ...(typeof redrives === 'number' && { redrives }),
    ...(Array.isArray(except) && { except: except.filter((id: unknown) => typeof id === 'string') }),
  };
}
