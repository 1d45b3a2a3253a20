import type { LimitNumbers } from '@rowlock/core/types';
import type { CommandOf } from '../command.js';
import type { Setting } from '../parts.js';
import type { Result } from '../result.js';
import { orRolledBack } from './claim.js';
import { startsOf } from './rates.js';
import type { WorldState } from './state.js';

export async function enter<Tx>(
  state: WorldState<Tx>,
  { by, name, max }: CommandOf<'enter'>,
): Promise<Result> {
  const { held } = await state.begin(by);
  return orRolledBack(state, by, held.enterLimits(state.names.limitsText({ [name]: max })));
}

export async function setLimit<Tx>(
  state: WorldState<Tx>,
  { by, name, numbers }: CommandOf<'setLimit'>,
): Promise<Result> {
  const own = state.names.own(name);
  state.resets.set(`limit ${name}`, (driver) => driver.admission.set(own, null, by));
  return (await state.store(by)).admission.set(own, numbers && numbersOf(numbers), by);
}

function numbersOf({ max, spacing }: Setting): LimitNumbers {
  return { ...(max !== undefined && { max }), ...(spacing !== undefined && startsOf(spacing)) };
}
