import type { CommandOf } from '../command.js';
import type { Result } from '../result.js';
import type { ModelState } from './state.js';

export function settings({ sizes, pauses, numbers }: ModelState, _: CommandOf<'settings'>): Result {
  return {
    limits: [...sizes].map(([name, max]) => `${name}: ${max}`).sort(),
    pauses: [...pauses].map(([target, { until }]) => `${target}: ${until}`).sort(),
    rates: [...numbers].map(([name, { hours, burst }]) => `${name}: ${hours} h, ${burst} at once`).sort(),
  };
}
