import type { CommandOf } from '../command.js';
import type { Result } from '../result.js';
import { change } from './change.js';
import { FULL, takeSlots } from './slots.js';
import type { ModelState } from './state.js';

export function enter(state: ModelState, { by, name, max }: CommandOf<'enter'>): Result {
  if (takeSlots(state, state.open(by), { [name]: max })) return undefined;
  state.end(by, 'rollback');
  return FULL;
}

export function setLimit(state: ModelState, { by, name, max }: CommandOf<'setLimit'>): Result {
  return change(state, by, () => void (max === null ? state.sizes.delete(name) : state.sizes.set(name, max)));
}
