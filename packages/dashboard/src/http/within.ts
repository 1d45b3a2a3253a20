import { Problem } from './problem.js';

/** How long a viewer waits for an answer, in milliseconds. */
const WAIT_MS = 10_000;

/** @param who As in `The database`. @throws Problem 503 when it takes too long; what the work throws. */
export async function within<Found>(who: string, work: Promise<Found>): Promise<Found> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(
      () => reject(new Problem(503, `${who} gave no answer within ${WAIT_MS / 1000} s.`)),
      WAIT_MS,
    );
    timer.unref();
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
