/** From runs that may begin to how they ended: one by itself, or several in one transaction. */

import { ClaimLostError, WorkerStoppedError } from '../../errors.js';
import { retry } from '../../handler/outcome.js';
import type { JobId } from '../../job/job.js';
import type { Flow } from '../flow/context.js';
import type { Chain } from '../flow/group.js';
import { leaveBehind } from '../tell/left-behind.js';
import { callHandler } from './call-handler.js';
import { type CheckedJob, check, isExhausted } from './check-job.js';
import { outcomeOf } from './outcome-of.js';
import type { Run } from './run.js';
import { type Ending, isLastAttempt } from './settlement.js';
import type { RunPart, SharedTransaction } from './shared-transaction.js';

/** When a batch has gone on for so long, no further run of it begins, in milliseconds: the others wait for its commit. */
const BATCH_MS = 50;

/** Runs the handler, and notes in the run how it ended for each of its jobs. */
export function perform<Tx>(flow: Flow<Tx>, tx: RunPart<Tx>, run: Run<Tx>): Promise<void> {
  return performPart(flow, tx, run);
}

/**
 * Runs the handlers of several runs that share a transaction: at the same time where they asked for it, else one after the
 * other, so that a slot is still one run at a time. What has not begun when the time is up is given back. So are all of them when one
 * has crashed before: its next run is by itself, and until its crash is counted in its row it pays for no other's.
 */
export async function performTogether<Tx>(
  flow: Flow<Tx>,
  shared: SharedTransaction<Tx>,
  chains: readonly Chain<Tx>[],
): Promise<void> {
  const crashed = chains.flat().filter(({ hasNewCrash }) => hasNewCrash);
  if (crashed.length > 0) {
    for (const run of crashed) await giveBack(flow, shared.part(), run);
    return;
  }
  const until = flow.clock.now() + BATCH_MS;
  const inTurn = async (runs: readonly Run<Tx>[]): Promise<void> => {
    for (const run of runs) {
      if (flow.stopping.aborted || flow.clock.now() >= until) return;
      await performPart(flow, shared.part(), run);
      // What comes after it in its key looks again at what became of it.
      if (!isComplete(run)) return;
    }
  };
  const [together, rest] = [chains.filter(asksForIt), chains.filter((chain) => !asksForIt(chain))];
  const ends = await Promise.allSettled([
    ...together.map(inTurn),
    rest.reduce<Promise<void>>((before, chain) => before.then(() => inTurn(chain)), Promise.resolve()),
  ]);
  for (const end of ends) if (end.status === 'rejected') throw end.reason;
}

function asksForIt<Tx>([{ handler }]: Chain<Tx>): boolean {
  return handler.batch !== 'auto';
}

function isComplete<Tx>({ endings, jobs }: Run<Tx>): boolean {
  return endings !== 'release' && jobs.every(({ id }) => endings.get(id)?.event === 'complete');
}

/** Gives a run's jobs back with their crashes counted, unless these have used up their attempts. */
async function giveBack<Tx>(flow: Flow<Tx>, part: RunPart<Tx>, run: Run<Tx>): Promise<void> {
  if (run.counted.every(isExhausted)) await performPart(flow, part, run);
  else run.endings = new Map(run.jobs.map(({ id }) => [id, { event: 'release' }]));
}

/** Waits for nothing that is there already: in a batch, most handlers have ended when they return. */
async function performPart<Tx>(flow: Flow<Tx>, part: RunPart<Tx>, run: Run<Tx>): Promise<void> {
  const { handler, live } = run;
  const endings = new Map<JobId, Ending>();
  const accepted: CheckedJob[] = [];
  const until = flow.clock.now() + handler.timeoutMs;
  for (const job of run.counted) {
    if (live.cancelled.has(job.publicId)) continue;
    const checked = check(handler, job, { live, clock: flow.clock, until });
    const found = checked instanceof Promise ? await checked : checked;
    if ('ending' in found) endings.set(job.id, found.ending);
    else accepted.push(found);
  }
  run.endings = endings;
  const [first, ...rest] = accepted;
  if (first === undefined) return;

  const started = flow.clock.now();
  try {
    const { driver, clock, log, container } = flow;
    const jobs = [first, ...rest] as const;
    const call = { handler, jobs, until, tx: part, live, driver, clock, log, container };
    const ended = callHandler(call, (late) => leaveBehind(flow, run.info, late));
    const result = ended instanceof Promise ? await ended : ended;
    const outcomes = accepted.map(({ job }) => [job.id, outcomeOf(result, job)] as const);
    const kept = part.keep();
    if (kept !== undefined) await kept;
    for (const [id, outcome] of outcomes) endings.set(id, outcome);
  } catch (error) {
    if (part.lost.aborted) throw error;
    await part.undo();
    // The worker stops, or a lease has been without the worker's session for too long.
    if (live.stopped instanceof WorkerStoppedError || live.stopped instanceof ClaimLostError) {
      run.endings = 'release';
      return;
    }
    run.thrown = { error };
    // Of those that end by it is told when they have.
    if (!accepted.every(({ job }) => isLastAttempt(job)))
      flow.log.warn({ err: error, ...run.info }, 'the handler failed');
    for (const { job } of accepted) endings.set(job.id, retry(error));
  }
  flow.sizes.ran(handler, flow.clock.now() - started, part.used);
}
