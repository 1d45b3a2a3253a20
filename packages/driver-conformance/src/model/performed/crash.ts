import { countStates } from '../../count-states.js';
import type { DriverProcess } from '../../driver-harness.js';
import { endSessions } from '../../end-sessions.js';
import { endProcess } from '../../stage.js';
import { aborted, until } from '../../until.js';
import type { CommandOf } from '../command.js';
import type { Actor } from '../parts.js';
import type { Result } from '../result.js';
import { endSession } from './session.js';
import type { WorldState } from './state.js';

/** When this is over the server has noticed: its rows are free, and its worker is not alive, or is again. */
export async function crash<Tx>(state: WorldState<Tx>, { by, how }: CommandOf<'crash'>): Promise<Result> {
  const process = await state.process(by);
  const claim = state.claims.get(by);
  state.claims.delete(by);
  try {
    await (how === 'killed' ? kill(process) : cutOff(state, by, process));
    if (claim === undefined) return undefined;
    await aborted(claim.held.lost);
    return await claim.held.commit();
  } finally {
    await claim?.held.rollback();
    if (how === 'killed') await forget(state, by, process);
  }
}

export async function stop<Tx>({ sessions }: WorldState<Tx>, { by }: CommandOf<'stop'>): Promise<Result> {
  const session = sessions.get(by);
  sessions.delete(by);
  return session && endSession(session);
}

async function kill<Tx>(process: DriverProcess<Tx>): Promise<void> {
  await process.kill();
  await until('the sessions have ended', async () => (await process.sessions()).length === 0);
}

/** What is left of it in this process. */
async function forget<Tx>(
  { sessions, slots, setting }: WorldState<Tx>,
  by: Actor,
  process: DriverProcess<Tx>,
): Promise<void> {
  const session = sessions.get(by);
  sessions.delete(by);
  setting.processes.delete(by);
  slots.delete(by);
  if (session !== undefined) await endSession(session);
  await endProcess(process);
}

async function cutOff<Tx>(state: WorldState<Tx>, by: Actor, process: DriverProcess<Tx>): Promise<void> {
  const isBack = new Promise<void>((resolve) => state.onBack.set(by, resolve));
  await endSessions(process);
  if (state.sessions.has(by)) await isBack;
  // A pool learns of each of its connections by itself, a moment later.
  const filter = { queue: state.names.own('') };
  const asks = () => Array.from({ length: 4 }, () => countStates(process.driver, filter));
  await until('it has connections again', () => Promise.all(asks()).then(Boolean, () => false));
}
