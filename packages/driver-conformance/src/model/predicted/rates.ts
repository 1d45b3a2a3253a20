import type { CommandOf } from '../command.js';
import { RATE_NAMES, type Spacing } from '../parts.js';
import type { Result } from '../result.js';
import type { ModelState } from './state.js';

/** Takes a start of each, or of none. Returns how many hours each has to wait. */
export function takeStarts(state: ModelState, { rates }: CommandOf<'takeStarts'>): Result {
  const take = state.takes++;
  const starts = rates.map(({ name, ...own }) => {
    const numbers = state.settings.get(name)?.spacing ?? own;
    const rate = state.rates.get(name) ?? { next: 0, before: 0, last: null };
    const next = Math.min(rate.next, numbers.hours * numbers.burst);
    return { name, rate, numbers, next, wait: waitOf(next, numbers) };
  });
  const isFree = starts.every(({ wait }) => wait === 0);
  for (const { name, rate, numbers, next } of starts) {
    if (isFree) {
      const taken = Math.max(next, 0) + numbers.hours;
      state.rates.set(name, { next: taken, before: rate.next, last: take });
    } else rate.next = next;
  }
  return starts.map(({ wait }) => wait);
}

function waitOf(next: number, { hours, burst }: Spacing): number {
  return Math.max(0, next - (burst - 1) * hours);
}

export function giveBackStarts({ rates }: ModelState, { take }: CommandOf<'giveBackStarts'>): Result {
  for (const name of RATE_NAMES) {
    const rate = rates.get(name);
    if (rate?.last === take) rates.set(name, { ...rate, next: rate.before, last: null });
  }
  return undefined;
}

export function hoursPass({ rates }: ModelState, { name, hours }: CommandOf<'hoursPass'>): Result {
  const rate = rates.get(name);
  if (rate !== undefined) rate.next -= hours;
  return undefined;
}
