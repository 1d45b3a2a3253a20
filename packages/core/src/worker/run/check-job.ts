import { inCleanContext } from '../../clean-context.js';
import { HandlerTimeoutError, InvalidPayloadError } from '../../errors.js';
import { checkPayload } from '../../handler/check-payload.js';
import { decoded } from '../../handler/codec.js';
import { fail, retry } from '../../handler/outcome.js';
import type { CountedJob, Ending } from './settlement.js';
import { stopInTime, type TimedRun } from './time-limits.js';

/** A job whose payload its schema has accepted. */
export interface CheckedJob {
  readonly job: CountedJob;
  readonly payload: unknown;
}

export type Checked = CheckedJob | { readonly ending: Ending };

/**
 * In a rolling deploy, workers of an older version claim jobs of newer producers. A job that is older than this was
 * written for a version that has had its time to come.
 */
const DEPLOY_MS = 86_400_000;

/**
 * Ends a job without a run if it crashed its workers too often. A job whose schema refuses its payload waits or ends, as
 * its handler says. Retries a job whose schema throws, because a service that the schema calls is away. Once the run is stopped, no more jobs are
 * checked, and the handler is not called.
 */
export function check<Tx>(job: CountedJob, run: TimedRun<Tx>): Checked | Promise<Checked> {
  if (isExhausted(job)) {
    const message =
      `${job.crashesSeen} of its runs ended without an outcome. Each time the worker died, lost its connection, ` +
      'or the handler itself ended the transaction, as by a procedure that commits.';
    const error = Object.assign(new Error(message), { code: 'ROWLOCK_CRASHED' });
    return { ending: { event: 'exhaust', error } };
  }
  const { handler, live } = run;
  if (live.stopped !== null) return { job, payload: undefined };
  try {
    const payload = inCleanContext(() => checkPayload(handler, decoded(handler, job.payload)));
    return payload instanceof Promise ? checkedLater(job, payload, run) : { job, payload };
  } catch (error) {
    return refused(job, error, run);
  }
}

async function checkedLater<Tx>(
  job: CountedJob,
  payload: Promise<unknown>,
  run: TimedRun<Tx>,
): Promise<Checked> {
  const { live } = run;
  // The run's time also passes while an asynchronous schema waits, for example for another service.
  const stopTimer = stopInTime(run);
  const stopped = new Promise<never>((_, reject) => live.whenStopped(() => reject(live.stopped)));
  try {
    return { job, payload: await Promise.race([payload, stopped]) };
  } catch (error) {
    return refused(job, error, run);
  } finally {
    stopTimer();
    live.whenStopped(() => {});
  }
}

/** A check that uses up the time of the run is a failed attempt of its own job, and of no other one of the run. */
function refused<Tx>(job: CountedJob, error: unknown, run: TimedRun<Tx>): Checked | Promise<Checked> {
  const { handler, live, now } = run;
  if (live.stopped !== null && !(live.stopped instanceof HandlerTimeoutError))
    return { job, payload: undefined };
  if (!(error instanceof InvalidPayloadError)) return { ending: retry(error) };
  if (handler.onInvalidPayload === 'fail') return { ending: fail(error) };
  const waits: Checked = { ending: { event: 'snooze', error } };
  return now().then(
    (at) => (at - job.createdAt.getTime() > DEPLOY_MS ? { ending: fail(error) } : waits),
    () => waits,
  );
}

/** Whether no attempt is left: crashes alone have used up the last ones. */
export function isExhausted({ attemptsMade, maxAttempts }: CountedJob): boolean {
  return attemptsMade >= maxAttempts;
}
