import type { CommandOf } from '../command.js';
import type { Result } from '../result.js';
import { EFFECTS } from './cast.js';
import type { WorldState } from './state.js';

export async function startRuns<Tx>(state: WorldState<Tx>, { by }: CommandOf<'startRuns'>): Promise<Result> {
  const claim = state.claim(by);
  const driver = await state.driver(by);
  const runId = state.runOf(claim);
  const { anchor } = await state.session(by);
  const { workerId } = anchor;
  const jobs = [...claim.jobs.keys()];
  state.runs.set(runId, jobs);
  const confirm = (): Promise<void> => claim.held.confirm();
  const started = await driver.startRuns([{ runId, workerId, jobs, confirm }]);
  const crashes = new Map(started.map((each) => [each.id, each.crashes]));
  claim.crashes = new Map(jobs.map((id) => [id, crashes.get(id) ?? 0]));
  const told = started.map(async ({ id, earlierRuns, crashes }) => [
    await state.names.jobOf(id),
    { earlierRuns, crashes },
  ]);
  return Object.fromEntries(await Promise.all(told));
}

export async function noteRun<Tx>(state: WorldState<Tx>, { by, run }: CommandOf<'noteRun'>): Promise<Result> {
  const driver = await state.driver(by);
  const runId = state.names.runId(run);
  return driver.noteRun({ runId, jobs: state.runs.get(runId) ?? [] }, { progress: 'half' });
}

export async function write<Tx>(state: WorldState<Tx>, { by }: CommandOf<'write'>): Promise<Result> {
  const { cast, names } = state;
  const { held, jobs } = state.claim(by);
  const note = [...jobs.values()].map(({ publicId }) => names.job(publicId)).join(', ');
  await cast.database.run(held.handle, `INSERT INTO ${EFFECTS} VALUES ('${names.own(note)}')`);
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
