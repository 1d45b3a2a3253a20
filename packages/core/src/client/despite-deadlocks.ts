import { isDriverError } from '../driver/driver-error.js';

/** Each time somebody else has gone ahead, so it is not for ever. */
const TRIES = 10;

/**
 * Does what is undone as a whole when a deadlock ends it, again. Two calls that enqueue the same unique keys in different orders wait
 * for each other, and the server ends one of them: when that comes again it finds the jobs of the other.
 *
 * @throws whatever `work` does; `Deadlock` when that has come ten times
 */
export async function despiteDeadlocks<Result>(work: () => Promise<Result>): Promise<Result> {
  for (let tries = 1; ; tries++) {
    try {
      return await work();
    } catch (error) {
      if (tries === TRIES || !isDriverError(error, 'Deadlock')) throw error;
    }
  }
}
