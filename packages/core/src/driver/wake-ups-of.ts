import type { WakeUpOptions } from './anchor.js';
import type { EndableWait } from './endable-wait.js';
import { concerns, merged, type WakeUp } from './wake-up.js';

/** Where the wake-ups of an anchor come from. */
export interface WakeUpSource {
  readonly workerId: string;
  /** What `receive` waits by. */
  readonly wait: EndableWait;
  readonly isReleased: () => boolean;
  /**
   * Returns what has come, as soon as something has, or nothing when the next poll is due.
   *
   * @param leftMs Milliseconds until then.
   * @param vain How many calls there were since the last wake-up for this worker.
   */
  readonly receive: (leftMs: number, vain: number) => Promise<readonly WakeUp[]>;
}

/** The wake-ups of an anchor, which has subscribed: see `Anchor.wakeUps`. */
export async function* wakeUpsOf(
  { workerId, wait, isReleased, receive }: WakeUpSource,
  { queues, everyMs, signal }: Omit<WakeUpOptions, 'looksOften'>,
): AsyncGenerator<WakeUp> {
  const isOver = (): boolean => signal.aborted || isReleased();
  const end = (): void => wait.end();
  signal.addEventListener('abort', end);
  try {
    // The look behind this hint finds everything that was enqueued earlier.
    yield {};
    let due = performance.now() + everyMs;
    for (let vain = 0; !isOver(); vain++) {
      const received = await receive(due - performance.now(), vain);
      if (isOver()) return;
      const wanted = received.filter((each) => concerns(each, queues, workerId));
      // Wake-ups for other queues do not delay the look that is due.
      const isDue = performance.now() >= due;
      if (wanted.length === 0 && !isDue) continue;
      vain = 0;
      yield* merged(wanted, isDue);
      due = performance.now() + everyMs;
    }
  } finally {
    signal.removeEventListener('abort', end);
  }
}
