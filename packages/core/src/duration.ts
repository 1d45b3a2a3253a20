import { InvalidInputError } from './errors.js';
import { shown } from './shown.js';

const UNITS = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

/** Milliseconds, or a number and a unit: `'250ms'`, `'30s'`, `'5m'`, `'2h'`, `'1.5d'`. */
export type Duration = number | `${number}${keyof typeof UNITS}`;

/** A century: a longer duration is a mistake. */
const LONGEST_MS = 100 * 366 * UNITS.d;

/**
 * A duration in whole milliseconds.
 *
 * @param name Names the option in the error.
 * @throws InvalidInputError unless it is a duration from 0 ms to a hundred years.
 */
export function milliseconds(duration: Duration, name = 'duration'): number {
  const ms = typeof duration === 'number' ? duration : parse(duration);
  if (!(ms >= 0 && ms <= LONGEST_MS)) {
    throw new InvalidInputError(
      `${name} must be milliseconds or like '250ms', '30s', '5m', '2h' or '1.5d', not ${shown(duration)}.`,
    );
  }
  return Math.round(ms);
}

function parse(text: unknown): number {
  const [, amount, unit] = /^(\d+(?:\.\d+)?)(ms|s|m|h|d)$/.exec(typeof text === 'string' ? text : '') ?? [];
  return isUnit(unit) ? Number(amount) * UNITS[unit] : Number.NaN;
}

function isUnit(unit: string | undefined): unit is keyof typeof UNITS {
  return unit !== undefined && unit in UNITS;
}
