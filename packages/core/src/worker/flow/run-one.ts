import { CancelledError, ClaimLostError, HandlerTimeoutError, WorkerStoppedError } from '../../errors.js';
import { retry } from '../../handler/outcome.js';
import { backoffMs } from '../../job/backoff.js';
import { mayExpire, expired as timeIsOver } from '../../job/expires.js';
import type { JobId } from '../../job/job.js';
import { logThrown } from '../report/failures.js';
import { leaveBehind } from '../report/left-behind.js';
import { callHandler } from '../run/call-handler.js';
import { type CheckedJob, check } from '../run/check-job.js';
import { outcomeOf } from '../run/outcome-of.js';
import type { Run } from '../run/run.js';
import type { RunHandle } from '../run/run-handle.js';
import { type Ending, isLastAttempt } from '../run/settlement.js';
import type { Flow } from './context.js';
import { pauseShared } from './pause-shared.js';

type MutableEndings = Map<JobId, Ending>;

/**
 * Checks the jobs of one run, calls its handler, and notes in the run how it ended for each job. Awaits promises only:
 * in a batch, most handlers end synchronously.
 */
export async function runOne<Tx>(flow: Flow<Tx>, handle: RunHandle<Tx>, run: Run<Tx>): Promise<void> {
  const { clock, calls, driver } = flow;
  const { handler, live } = run;
  let look: Promise<{ readonly now: number }> | undefined;
  const now = async (): Promise<number> => {
    look ??= driver.schedules.find([]);
    return (await look).now;
  };
  const timed = { handler, live, clock, until: clock.now() + handler.timeoutMs, now };
  const endings: MutableEndings = new Map();
  run.endings = endings;
  const accepted: CheckedJob[] = [];
  const looking = expiredOf(flow, run);
  const expired = looking === undefined ? undefined : await looking.catch(() => null);
  if (expired === null) {
    // Nobody can say, so no run begins.
    run.endings = 'release';
    return;
  }
  for (const job of run.counted) {
    if (live.cancelled.has(job.publicId)) continue;
    if (expired?.has(job.publicId)) {
      endings.set(job.id, { event: 'abandon', error: timeIsOver });
      continue;
    }
    const checked = check(job, timed);
    const found = checked instanceof Promise ? await checked : checked;
    if ('ending' in found) endings.set(job.id, found.ending);
    else accepted.push(found);
  }
  // A check has used up the time of the run, which is no fault of the other jobs.
  if (live.stopped instanceof HandlerTimeoutError)
    for (const { job } of accepted.splice(0)) endings.set(job.id, { event: 'release' });
  const [first, ...rest] = accepted;
  if (first === undefined) return;

  try {
    const leave = (late: Promise<unknown>): void => leaveBehind(flow, run.info, late);
    const jobs = [first, ...rest] as const;
    const ended = callHandler({ ...timed, jobs, tx: handle, shared: calls, leaveBehind: leave });
    const result = ended instanceof Promise ? await ended : ended;
    const outcomes = accepted.map(({ job }) => [job, outcomeOf(result, job)] as const);
    const kept = handle.keep();
    if (kept !== undefined) await kept;
    run.hasWritten = handle.isKept;
    for (const [{ id }, outcome] of outcomes) endings.set(id, outcome);
    if (outcomes.some(([, outcome]) => outcome.event === 'snooze' && outcome.pause !== undefined))
      await pauseShared(flow, outcomes);
  } catch (error) {
    if (handle.lost.aborted) throw error;
    await handle.undo();
    noteFailure(flow, run, accepted, endings, { error, isHeldUp: handle.waits && live.stopped !== null });
  }
}

/** The public ids of those jobs of a run whose time is over, by the database's clock. Undefined where no job has a time. */
function expiredOf<Tx>({ driver }: Flow<Tx>, { jobs }: Run<Tx>): Promise<ReadonlySet<string>> | undefined {
  if (!jobs.some(mayExpire)) return undefined;
  const of = jobs.filter(mayExpire).map(({ publicId }) => publicId);
  return driver.expiry.over({ of }).then((over) => new Set(over));
}

/** The run counts unless the worker stops, has been without its session or a durable record for too long, or another run held it up. */
function noteFailure<Tx>(
  { log }: Flow<Tx>,
  run: Run<Tx>,
  accepted: readonly CheckedJob[],
  endings: MutableEndings,
  { error, isHeldUp }: { readonly error: unknown; readonly isHeldUp: boolean },
): void {
  const { stopped } = run.live;
  if (isHeldUp || stopped instanceof WorkerStoppedError || stopped instanceof ClaimLostError) {
    run.endings = 'release';
    return;
  }
  run.thrown = { error };
  const retries = accepted.map(({ job }) => ({
    job,
    delay: backoffMs(run.handler.backoff, job.attemptsMade + 1),
  }));
  for (const { job, delay } of retries) endings.set(job.id, retry(error, { delay }));
  // A last attempt is logged when it is settled, and a cancellation is none.
  const first = retries.find(({ job }) => stopped instanceof CancelledError || !isLastAttempt(job));
  if (first !== undefined) logThrown(log, run, first, error);
}
