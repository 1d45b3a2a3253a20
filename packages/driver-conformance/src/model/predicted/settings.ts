import type { CommandOf } from '../command.js';
import type { Setting } from '../parts.js';
import type { Result } from '../result.js';
import type { ModelState } from './state.js';

export function settings({ settings: limits, pauses }: ModelState, _: CommandOf<'settings'>): Result {
  return {
    limits: [...limits].map(([name, setting]) => `${name}: ${said(setting)}`).sort(),
    pauses: [...pauses].map(([target, { until }]) => `${target}: ${until}`).sort(),
  };
}

function said({ max, spacing }: Setting): string {
  return `${max ?? 'any'}, ${spacing === undefined ? 'any' : `${spacing.hours} h, ${spacing.burst} at once`}`;
}
