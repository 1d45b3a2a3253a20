import { checkJson, LIMITS } from '../client/limits.js';
import type { Clock } from '../clock.js';
import { HandlerTimeoutError, InvalidPayloadError } from '../errors.js';
import { checkPayload } from '../handler/check-payload.js';
import type { AnyHandler } from '../handler/handler.js';
import { complete, fail, type HandlerResult, type Outcome, retry, snooze } from '../handler/outcome.js';
import type { Job } from '../job/job.js';
import type { CountedJob, Ending } from '../job/settlement.js';
import type { LiveRun } from './live-run.js';
import type { CheckedJob } from './run-handler.js';

/** A run that is being checked, and until when it may go on. */
export interface Checking {
  readonly live: LiveRun;
  readonly clock: Clock;
  readonly until: number;
}

/** What a check has found: the job may be run, or has ended without that. */
export type Checked = CheckedJob | { readonly ending: Ending };

/**
 * A job that crashed its workers too often, or whose payload its schema refuses, ends without a run; one whose schema throws, because
 * whom it asks is away, is retried. Of a run that was told to stop
 * nothing more is checked: its handler is not called.
 */
export function check<Tx>(
  handler: AnyHandler<Tx>,
  job: CountedJob,
  checking: Checking,
): Checked | Promise<Checked> {
  if (isExhausted(job)) {
    const error = Object.assign(new Error(`The worker died during ${job.crashesSeen} of its runs.`), {
      code: 'ROWLOCK_CRASHED',
    });
    return { ending: { event: 'exhaust', error } };
  }
  if (checking.live.stopped !== null) return { job, payload: undefined };
  try {
    const payload = checkPayload(handler, job.payload);
    return payload instanceof Promise ? checkedLater(handler, job, payload, checking) : { job, payload };
  } catch (error) {
    return refused(job, error, checking);
  }
}

async function checkedLater<Tx>(
  handler: AnyHandler<Tx>,
  job: CountedJob,
  payload: Promise<unknown>,
  checking: Checking,
): Promise<Checked> {
  try {
    return { job, payload: await inTime(handler, payload, checking) };
  } catch (error) {
    return refused(job, error, checking);
  }
}

function refused(job: CountedJob, error: unknown, { live }: Checking): Checked {
  if (live.stopped !== null) return { job, payload: undefined };
  return { ending: error instanceof InvalidPayloadError ? fail(error) : retry(error) };
}

/** Whether no attempt is left: crashes alone have used up the last ones. */
export function isExhausted({ attemptsMade, maxAttempts }: CountedJob): boolean {
  return attemptsMade >= maxAttempts;
}

/** A schema may ask somebody else, and wait for an answer: the run's time passes meanwhile. */
async function inTime<Tx, Result>(
  { kind, timeoutMs }: AnyHandler<Tx>,
  work: Promise<Result>,
  { live, clock, until }: Checking,
): Promise<Result> {
  const stopTimer = clock.after(until - clock.now(), () =>
    live.stop(new HandlerTimeoutError(kind, timeoutMs)),
  );
  const stopped = new Promise<never>((_, reject) => live.whenStopped(() => reject(live.stopped)));
  try {
    return await Promise.race([work, stopped]);
  } finally {
    stopTimer();
    live.whenStopped(() => {});
  }
}

/** How most jobs end. */
const COMPLETE = complete();

/**
 * What a handler's result says of one of its jobs.
 *
 * @throws TypeError, InvalidInputError when it is no result.
 */
export function outcomeOf(result: HandlerResult, job: Job): Outcome {
  if (result === undefined) return COMPLETE;
  const given: unknown = result instanceof Map ? result.get(job.publicId) : (result ?? COMPLETE);
  if (result instanceof Map && given === undefined) throw noOutcome(job);
  const outcome = typeof given === 'object' && given !== null ? outcomeFrom({ ...given }) : undefined;
  if (outcome !== undefined) return outcome;
  throw new TypeError(
    `The handler returned ${typeOf(given)}: it must return complete(), retry(), snooze() or fail(), a Map of these by public id, or nothing. For a result return complete(result).`,
  );
}

/** An object is read once, as a getter may throw, and to its end: a row of some table may have an `event` too. */
function outcomeFrom(given: Readonly<Record<string, unknown>>): Outcome | undefined {
  const { event, output, error, delayMs } = given;
  if (event === 'complete' && 'output' in given) return completed(output);
  if (event === 'fail' && 'error' in given) return fail(error);
  if (event === 'snooze' && typeof delayMs === 'number') return snooze(delayMs);
  if (event !== 'retry' || !('error' in given)) return;
  if (delayMs === null) return retry(error);
  if (typeof delayMs === 'number') return retry(error, { after: delayMs });
}

function typeOf(value: unknown): string {
  return value === null ? 'null' : Array.isArray(value) ? 'a list' : typeof value;
}

function completed(output: unknown): Outcome {
  try {
    return complete(output === null ? null : checkJson('The output', output, LIMITS.payloadBytes));
  } catch (error) {
    return fail(error);
  }
}

export function noOutcome({ publicId }: Job): TypeError {
  return new TypeError(`The handler returned no outcome for job ${publicId}.`);
}
