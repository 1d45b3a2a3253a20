import { setTimeout as sleep } from 'node:timers/promises';
import { GrowingDelay } from '../job/growing-delay.js';
import { isDriverError } from './driver-error.js';

/** A limit, although each deadlock means that another transaction has made progress. */
const TRIES = 10;

/**
 * The pause, in milliseconds, lets the other transaction finish. The pause varies: transactions that come back at once
 * would meet again.
 */
const SHORTEST_PAUSE = 20;
const LONGEST_PAUSE = 2_000;

/**
 * Repeats work that a deadlock has undone as a whole. Example: two calls enqueue the same unique keys in different
 * orders, and wait for each other. The server ends one call. When that call is repeated, it finds the jobs of the
 * other.
 *
 * @param wait Waits for some milliseconds.
 * @throws whatever `work` does; `Deadlock` when that has come ten times
 */
export async function despiteDeadlocks<Result>(
  work: () => Promise<Result>,
  wait: (ms: number) => Promise<void> = sleep,
): Promise<Result> {
  const pause = new GrowingDelay(SHORTEST_PAUSE, LONGEST_PAUSE);
  for (let tries = 1; ; tries++) {
    try {
      return await work();
    } catch (error) {
      if (tries === TRIES || !isDriverError(error, 'Deadlock')) throw error;
    }
    await wait(pause.next());
  }
}
