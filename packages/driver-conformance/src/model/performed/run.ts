import type { CommandOf } from '../command.js';
import type { Result } from '../result.js';
import { EFFECTS } from './setting.js';
import type { WorldState } from './state.js';

export async function startRuns<Tx>(
  state: WorldState<Tx>,
  { by, endsCrashed }: CommandOf<'startRuns'>,
): Promise<Result> {
  const claim = state.claim(by);
  const driver = await state.driver(by);
  const { names } = state;
  const runId = names.newRun();
  const { anchor } = await state.session(by);
  const { workerId } = anchor;
  const jobs = [...claim.jobs.keys()];
  const runs = [{ runId, workerId, jobs: [...claim.jobs.values()] }];
  const start = (crashed: readonly string[] = []) => driver.claims.startRuns(runs, crashed).visible;
  let started = await start();
  if (endsCrashed && started.unfinished.length > 0) {
    await claim.held.confirm();
    started = await start(started.unfinished);
  }
  const { earlier, unfinished } = started;
  if (unfinished.length === 0) {
    claim.run = runId;
    state.runs.set(runId, jobs);
    const crashes = new Map(earlier.map((each) => [each.id, each.crashes]));
    claim.crashes = new Map(jobs.map((id) => [id, crashes.get(id) ?? 0]));
  }
  const known = earlier.map(async ({ id, earlierRuns, crashes }) => [
    await names.jobOf(id),
    { earlierRuns, crashes },
  ]);
  return {
    earlier: Object.fromEntries(await Promise.all(known)),
    unfinished: unfinished.map((id) => names.run(id)).sort(),
  };
}

export async function noteRun<Tx>(state: WorldState<Tx>, { by, run }: CommandOf<'noteRun'>): Promise<Result> {
  const driver = await state.driver(by);
  const runId = state.names.runId(run);
  return driver.claims.noteRun({ runId, jobs: state.runs.get(runId) ?? [] }, 'half');
}

export async function write<Tx>(state: WorldState<Tx>, { by }: CommandOf<'write'>): Promise<Result> {
  const { setting, names } = state;
  const { held, jobs } = state.claim(by);
  const note = [...jobs.values()].map(({ publicId }) => names.job(publicId)).join(', ');
  await setting.database.run(held.handle, `INSERT INTO ${EFFECTS} VALUES ('${names.own(note)}')`);
  return undefined;
}

export function undo<Tx>(state: WorldState<Tx>, { by }: CommandOf<'undo'>): Promise<Result> {
  return state.claim(by).held.undo();
}

export function renew<Tx>(state: WorldState<Tx>, { by }: CommandOf<'renew'>): Promise<Result> {
  return state.claim(by).held.renew();
}

export function release<Tx>(state: WorldState<Tx>, { by }: CommandOf<'release'>): Promise<Result> {
  const claim = state.lastOf(by);
  const runId = state.runOf(claim);
  return claim.held.release({ runId, jobs: state.runs.get(runId) ?? [] });
}
