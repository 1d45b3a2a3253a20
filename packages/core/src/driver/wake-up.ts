/** What wakes workers. It may be late, doubled, lost or false. Each subject of a worker reads its own. */
export type WakeUp = Hint | Notice;

/** A hint to look for work. */
export interface Hint {
  /** The queue that has new work. Absent: any queue. */
  readonly queue?: string;
  /** The ids of workers that were woken already. */
  readonly except?: readonly string[];
}

/** What is for all workers, whatever their queues. */
export type Notice =
  | Cancellation
  /** No hint has come for a while, and one may be lost. */
  | { readonly poll: true }
  /** The limit that has a free slot, other numbers, or a start that was given back. */
  | { readonly limit: string }
  /** The schedule that is new, or has another time. */
  | { readonly schedule: string }
  /** The public id of a job for which another one waits. It may have ended meanwhile. */
  | { readonly after: string };

export interface Cancellation {
  /** The public id of a locked job to cancel. */
  readonly cancel: string;
  /** How often that job was redriven. A wake-up may be late, and must not cancel a job that was redriven since. */
  readonly redrives?: number;
}

/** Whether a wake-up is for a worker that serves these queues. */
export function concerns(wakeUp: WakeUp, queues: readonly string[], workerId: string): boolean {
  if (!isHint(wakeUp)) return true;
  const { queue, except } = wakeUp;
  return (queue === undefined || queues.includes(queue)) && !except?.includes(workerId);
}

/**
 * Merges all hints to look into one, and keeps the others.
 *
 * @param isDue Whether to add a poll if there is no hint.
 */
export function merged(received: readonly WakeUp[], isDue = false): readonly WakeUp[] {
  const look = received.find(isHint) ?? (isDue ? ({ poll: true } as const) : undefined);
  const others = received.filter((wakeUp) => !isHint(wakeUp));
  return look === undefined ? others : [...others, look];
}

/** Whether a wake-up says no more than that there is work. */
export function isHint(wakeUp: WakeUp): wakeUp is Hint {
  return !['cancel', 'poll', 'limit', 'schedule', 'after'].some((name) => name in wakeUp);
}

/** A wake-up as it was sent. Any client of the database may send one: text of another form is a hint to look. */
export function wakeUpOf(sent: unknown): WakeUp {
  const { cancel, redrives, limit, schedule, after, queue, except } = Object(sent);
  if (typeof cancel === 'string') return { cancel, ...(typeof redrives === 'number' && { redrives }) };
  if (typeof limit === 'string') return { limit };
  if (typeof schedule === 'string') return { schedule };
  if (typeof after === 'string') return { after };
  return {
    ...(typeof queue === 'string' && { queue }),
    ...(Array.isArray(except) && { except: except.filter((id: unknown) => typeof id === 'string') }),
  };
}
