/** From runs that may begin to how they ended: one by itself, or several in one transaction. */

import type { RunRecord } from '../record/run-records.js';
import { isExhausted } from '../run/check-job.js';
import { sharedEntrance, soleEntrance } from '../run/entrance.js';
import type { Run } from '../run/run.js';
import { RunHandle, type RunWrites } from '../run/run-handle.js';
import type { Flow } from './context.js';
import type { Claim } from './group.js';
import { muteCaptures } from './mute-captures.js';
import { runOne } from './run-one.js';

/** How long a batch begins further runs, in milliseconds. The runs that have ended wait for its commit. */
const BATCH_MS = 50;

export function begin<Tx>({ events, claimed }: Flow<Tx>, runs: readonly Run<Tx>[]): void {
  if (events.hasListeners('run')) for (const { info } of runs) events.emit('run', info);
  claimed();
}

/** Runs the handlers in the claim's own transaction, and notes in each run how it ended for each of its jobs. */
export async function runAll<Tx>(flow: Flow<Tx>, claim: Claim<Tx>, record: RunRecord): Promise<void> {
  const { session, runs } = claim;
  begin(flow, runs);
  const writes = { lost: session.lost, handle: () => session.handle, undo: () => session.undo() };
  if (runs.length === 1) return runAlone(flow, writes, record, runs[0]);
  const entrance = sharedEntrance(session, () => record.durable());
  const newHandle = ({ handler: { kind } }: Run<Tx>): RunHandle<Tx> =>
    new RunHandle(flow.driver, writes, entrance, muteCaptures(flow, kind, true));
  return runTogether(flow, newHandle, claim);
}

export function runAlone<Tx>(
  flow: Flow<Tx>,
  writes: RunWrites<Tx>,
  record: RunRecord,
  run: Run<Tx>,
): Promise<void> {
  const entrance = soleEntrance(() => record.durable());
  const mute = muteCaptures(flow, run.handler.kind, false);
  return runOne(flow, new RunHandle(flow.driver, writes, entrance, mute), run);
}

/**
 * Runs the handlers of several runs that share a transaction. Those of different keys run at the same time, and those of
 * one key one after the other. Runs that have not begun when the time is up are given back.
 *
 * If one of the runs has crashed before, all runs are given back. The crash is counted in its row, and its next run is
 * by itself.
 */
async function runTogether<Tx>(
  flow: Flow<Tx>,
  newHandle: (run: Run<Tx>) => RunHandle<Tx>,
  { chains, runs }: Claim<Tx>,
): Promise<void> {
  const crashed = runs.filter(({ hasNewCrash }) => hasNewCrash);
  if (crashed.length > 0) {
    for (const run of crashed) await giveBack(flow, newHandle(run), run);
    return;
  }
  const until = flow.clock.now() + BATCH_MS;
  const runInOrder = async (runs: readonly Run<Tx>[]): Promise<void> => {
    for (const run of runs) {
      if (flow.stopping.aborted || flow.clock.now() >= until) return;
      await runOne(flow, newHandle(run), run);
      // Later runs of the key are claimed again once this outcome is committed.
      if (!isComplete(run)) return;
    }
  };
  const ends = await Promise.allSettled(chains.map(runInOrder));
  for (const end of ends) if (end.status === 'rejected') throw end.reason;
}

function isComplete<Tx>({ endings, jobs }: Run<Tx>): boolean {
  return endings !== 'release' && jobs.every(({ id }) => endings.get(id)?.event === 'complete');
}

/** Gives a run's jobs back with their crashes counted, unless these have used up their attempts. */
async function giveBack<Tx>(flow: Flow<Tx>, handle: RunHandle<Tx>, run: Run<Tx>): Promise<void> {
  if (run.counted.every(isExhausted)) await runOne(flow, handle, run);
  else run.endings = new Map(run.jobs.map(({ id }) => [id, { event: 'release' }]));
}
