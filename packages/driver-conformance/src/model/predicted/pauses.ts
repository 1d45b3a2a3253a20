import type { CommandOf } from '../command.js';
import type { Result } from '../result.js';
import { change } from './change.js';
import { placeOf } from './paused.js';
import type { ModelState } from './state.js';

export function pause(state: ModelState, { by, target, until, mode }: CommandOf<'pause'>): Result {
  const place = placeOf(target);
  return change(state, by, () => {
    const before = state.pauses.get(place)?.until;
    const endsLater = before === 'for ever' || (before === 'tomorrow' && until === 'long ago');
    if (mode === 'extend' && endsLater) return;
    if (until === 'long ago') state.pauses.delete(place);
    else state.pauses.set(place, { target, until });
  });
}

export function resume(state: ModelState, { by, target }: CommandOf<'resume'>): Result {
  return change(state, by, () => void state.pauses.delete(placeOf(target)));
}
