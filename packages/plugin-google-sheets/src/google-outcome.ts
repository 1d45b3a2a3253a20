import {
  fail,
  type HandlerResult,
  type Outcome,
  type RunContext,
  type RunJob,
  retry,
  snooze,
} from '@rowlock/core';
import { GoogleRequestError, GoogleUnavailableError, SheetError } from './errors.js';

/** The pauses between the attempts of a job: 2, 8, 32, 128, 512 and twice 600 s. Google may be away for a while. */
export const PAUSES = { base: 2_000, factor: 4, cap: 600_000 } as const;

/** In so many attempts, within 21 to 42 s, a 404 may be that of a new file: Google's services do not all have it at once. */
const NEW_ATTEMPTS = 3;

/** Google fills its quotas up again every minute. */
const QUOTA_MS = 60_000;
/** Up to this age a job waits for a quota without using up its attempts. */
const PATIENCE_MS = 24 * 60 * 60_000;

/**
 * What becomes of the jobs whose run Google stopped: unavailable is a retry after its own pause, or later if Google wants that; a refusal
 * is final, and so is a sheet that a person must mend first. A quota that is used up counts no attempt in a job's first day.
 * What the handler wrote through its transaction before is kept.
 * @param ofFile the error is of a file that an earlier job has made, so that a 404 passes at first
 * @throws The error itself when it is not of Google: a thrown error undoes what the handler wrote, and is a retry.
 */
export function googleOutcomes(
  error: unknown,
  { jobs, log }: Pick<RunContext<unknown>, 'jobs' | 'log'>,
  ofFile = false,
): HandlerResult {
  const outcomes = new Map(
    jobs.map((job) => [
      job.publicId,
      ofFile && mayBeOfNewFile(error, job) ? retry(error) : outcomeOf(error, job),
    ]),
  );
  // A job that is snoozed keeps no error in its row.
  if ([...outcomes.values()].some(({ event }) => event === 'snooze')) {
    log.warn({ err: error }, "Google's quota is used up: going on later");
  }
  return outcomes;
}

/** Whether Google says that there is no such file, and may not have it everywhere yet. */
export function mayBeOfNewFile(error: unknown, { attempt }: RunJob<unknown>): boolean {
  return error instanceof GoogleRequestError && error.status === 404 && attempt <= NEW_ATTEMPTS;
}

function outcomeOf(error: unknown, job: RunJob<unknown>): Outcome {
  if (error instanceof GoogleRequestError || error instanceof SheetError) return fail(error);
  if (!(error instanceof GoogleUnavailableError)) throw error;
  if (error.isQuota && Date.now() - job.createdAt.getTime() < PATIENCE_MS) return snooze(quotaPause(error));
  // A wish replaces the pause, of which the worker takes at least the half: what Google wants in the first second of an
  // outage must not use up the attempts within seconds.
  const least = Math.min(PAUSES.cap, PAUSES.base * PAUSES.factor ** (job.attempt - 1)) / 2;
  return error.retryAfterMs > least ? retry(error, { delay: error.retryAfterMs }) : retry(error);
}

/** Into the next minute, and not all jobs at its first second. */
function quotaPause({ retryAfterMs }: GoogleUnavailableError): number {
  return Math.max(retryAfterMs, Math.round(QUOTA_MS * (1 + Math.random() / 2)));
}
