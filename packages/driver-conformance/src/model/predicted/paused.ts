import type { PauseTarget } from '@rowlock/core/driver';
import type { Wanted } from '../parts.js';
import type { ModelState } from './state.js';

/** One of the targets that are paused, if any is. */
export function pausedNow({ pauses }: ModelState, nth: number): PauseTarget | undefined {
  return [...pauses.values()][nth % Math.max(1, pauses.size)]?.target;
}

/** Whether the jobs are paused: by all that they have, or by what they have in common with others of any kind. */
export function isPaused(
  { pauses }: ModelState,
  { queue, kind, limits }: Wanted,
  of: 'this kind' | 'any kind' = 'this kind',
): boolean {
  const own = of === 'any kind' ? [] : [`kind ${kind}`];
  const limited = Object.keys(limits ?? {}).map((name) => `limit ${name}`);
  return ['all ', `queue ${queue}`, ...own, ...limited].some((place) => pauses.has(place));
}

export function endsTomorrow({ pauses }: ModelState): boolean {
  return [...pauses.values()].some(({ until }) => until === 'tomorrow');
}

/** The pause's place in the model's map of them. */
export function placeOf({ scope, name }: PauseTarget): string {
  return `${scope} ${name}`;
}
