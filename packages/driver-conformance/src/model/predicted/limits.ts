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

export function setLimit(state: ModelState, { by, name, numbers }: CommandOf<'setLimit'>): Result {
  const { settings } = state;
  return change(
    state,
    by,
    () => void (numbers === null ? settings.delete(name) : settings.set(name, numbers)),
  );
}
