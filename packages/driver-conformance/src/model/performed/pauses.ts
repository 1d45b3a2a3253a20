import type { CommandOf } from '../command.js';
import type { Result } from '../result.js';
import type { WorldState } from './state.js';
import { DAY_MS, LONG_AGO } from './time.js';

export async function pause<Tx>(
  state: WorldState<Tx>,
  { by, target, until, mode }: CommandOf<'pause'>,
): Promise<Result> {
  const own = state.names.ownTarget(target);
  const ends = until === 'for ever' ? null : until === 'tomorrow' ? await state.in(DAY_MS) : LONG_AGO;
  const change = { ...own, until: ends, reason: null, by };
  const store = await state.store(by);
  state.resets.set(`pause ${target.scope} ${target.name}`, (driver) => driver.admission.resume(own));
  return store.admission.pause(change, mode);
}

export async function resume<Tx>(
  state: WorldState<Tx>,
  { by, target }: CommandOf<'resume'>,
): Promise<Result> {
  return (await state.store(by)).admission.resume(state.names.ownTarget(target));
}
