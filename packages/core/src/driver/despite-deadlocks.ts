import { setTimeout as sleep } from 'node:timers/promises';
import { Pause } from '../job/pause.js';
import { isDriverError } from './driver-error.js';

/** Each time somebody else has gone ahead, so it is not for ever. */
const TRIES = 10;

/** In milliseconds: time for the one that has gone ahead to finish. Of many that come back at once two would meet again. */
const SHORTEST_PAUSE = 20;
const LONGEST_PAUSE = 2_000;

/**
 * Does what is undone as a whole when a deadlock ends it, again. Two calls that enqueue the same unique keys in different orders wait
 * for each other, and the server ends one of them: when that comes again it finds the jobs of the other.
 *
 * @param wait Waits for some milliseconds.
 * @throws whatever `work` does; `Deadlock` when that has come ten times
 */
export async function despiteDeadlocks<Result>(
  work: () => Promise<Result>,
  wait: (ms: number) => Promise<void> = sleep,
): Promise<Result> {
  const pause = new Pause(SHORTEST_PAUSE, LONGEST_PAUSE);
  for (let tries = 1; ; tries++) {
    try {
      return await work();
    } catch (error) {
      if (tries === TRIES || !isDriverError(error, 'Deadlock')) throw error;
    }
    await wait(pause.next());
  }
}
