import { type Actor, type Caller, isCaller } from '../parts.js';
import type { Result } from '../result.js';
import type { ModelState } from './state.js';

/** Whether another application has set something, and has not committed it: a third one would wait for it. */
export function othersSet({ transactions }: ModelState, by: Actor | Caller): boolean {
  return [...transactions].some(([who, { hasSettings }]) => who !== by && hasSettings);
}

/** Sets something at once, or with the commit of the application's transaction. */
export function change(state: ModelState, by: Actor | Caller, set: () => void): Result {
  if (!isCaller(by)) return set();
  const tx = state.open(by);
  tx.hasSettings = true;
  tx.endings.push(set);
  return undefined;
}
