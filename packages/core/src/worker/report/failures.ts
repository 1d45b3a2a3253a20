import type { Settlement } from '../../driver/claim-session.js';
import { CancelledError } from '../../errors.js';
import type { Job } from '../../job/job.js';
import { TRANSITIONS } from '../../job/lifecycle.js';
import type { Logger } from '../../logger.js';
import type { Run } from '../run/run.js';
import type { CountedJob } from '../run/settlement.js';

/**
 * Logs what a handler threw, once for all jobs of its run. After a cancellation of all of them that is no failure.
 *
 * @param first The first of the jobs that have an attempt left, and its pause in milliseconds
 */
export function logThrown<Tx>(
  log: Logger,
  run: Run<Tx>,
  { job, delay }: { readonly job: CountedJob; readonly delay: number },
  error: unknown,
): void {
  const { publicId, key, attemptsMade, maxAttempts } = job;
  const facts = { ...run.info, publicId, key, attempt: attemptsMade + 1, maxAttempts };
  const next = run.live.cancelled.has(publicId) ? {} : { nextAt: fromNow(delay) };
  if (run.live.stopped instanceof CancelledError) log.info({ err: error, ...facts }, 'the run was cancelled');
  else log.warn({ err: error, ...facts, ...next }, 'the handler failed');
}

/**
 * Logs each job of a run that ended in an error, and each that is to be retried. Skips a retry after the handler threw,
 * which was logged at the throw.
 */
export function logFailures<Tx>(log: Logger, run: Run<Tx>, settlements: readonly Settlement[]): void {
  for (const [place, { event, attempt, delayMs, error: kept }] of settlements.entries()) {
    const job = run.jobs[place];
    if (job === undefined || event === 'complete') continue;
    const thrown = thrownBy(run, job);
    // What was thrown has its stack itself.
    const error = kept && thrown ? { code: kept.code, message: kept.message } : kept;
    const facts = (): object => ({ ...factsOf(run, job), attempt, maxAttempts: job.maxAttempts, error });
    if (TRANSITIONS[event].to === 'error') log.error({ ...facts(), ...thrown }, 'a job failed');
    else if (event === 'snooze' && error !== null)
      log.warn(
        { ...facts(), nextAt: fromNow(delayMs) },
        'the handler of this version refuses the payload: the job waits for another version, and costs no attempt',
      );
    else if (event === 'retry' && thrown === null)
      log.warn({ ...facts(), nextAt: fromNow(delayMs) }, 'a job failed, and is tried again');
  }
}

function factsOf<Tx>({ info: { runId, queue, kind } }: Run<Tx>, { publicId, key }: Job): object {
  return { publicId, runId, queue, kind, key };
}

/** By this process's clock, which may differ from that of the database. */
function fromNow(ms: number): Date {
  return new Date(Date.now() + ms);
}

/**
 * The handler's error, with its stack, if the job ends by it. In a group, a schema may have failed the job with another
 * error.
 */
function thrownBy<Tx>({ thrown, endings }: Run<Tx>, { id }: Job): { readonly err: unknown } | null {
  const ending = endings === 'release' ? undefined : endings.get(id);
  const isThrown = thrown !== null && ending?.event === 'retry' && ending.error === thrown.error;
  return isThrown ? { err: thrown.error } : null;
}
