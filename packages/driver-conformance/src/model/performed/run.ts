import type { CommandOf } from '../command.js';
import type { Result } from '../result.js';
import { EFFECTS } from './cast.js';
import type { WorldState } from './state.js';

export async function startRun<Tx>(state: WorldState<Tx>, { by }: CommandOf<'startRun'>): Promise<Result> {
  const claim = state.claim(by);
  const driver = await state.driver(by);
  const processId = state.runOf(claim);
  const { anchor } = await state.session(by);
  const { workerId } = anchor;
  const started = await driver.startRun({ processId, workerId, jobs: [...claim.jobs.keys()] });
  claim.crashes = new Map(started.map(({ id, crashes }) => [id, crashes]));
  const told = started.map(async ({ id, earlierRuns, crashes }) => [
    await state.names.jobOf(id),
    { earlierRuns, crashes },
  ]);
  return Object.fromEntries(await Promise.all(told));
}

export async function noteRun<Tx>(state: WorldState<Tx>, { by, run }: CommandOf<'noteRun'>): Promise<Result> {
  const driver = await state.driver(by);
  return driver.noteRun(state.names.processId(run), { progress: 'half' });
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

export function release<Tx>(state: WorldState<Tx>, { by }: CommandOf<'release'>): Promise<Result> {
  const claim = state.lastOf(by);
  return claim.held.release(state.runOf(claim));
}
