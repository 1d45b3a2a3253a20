import { parseArgs } from 'node:util';
import { FAULTS } from './faults/index.js';
import { MODES, type Mode } from './mode.js';
import { DATABASES, type DatabaseName } from './system.js';

export interface Options {
  readonly seed: number;
  readonly databases: readonly DatabaseName[];
  readonly modes: readonly Mode[];
  readonly faults: readonly string[];
  /** Worker processes of each mode. With `schedules`, of all. */
  readonly workers: number;
  readonly mixed: boolean;
  /** The mixed run with the subjects in its load, and workers of the frozen version. */
  readonly together: boolean;
  readonly schedules: boolean;
  /** How long all of it may take; the mixed run takes exactly that. */
  readonly minutes: number;
  readonly json: boolean;
}

/** What was asked for cannot be done; the message says what can. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

const MINUTES = 10;
const TOGETHER_MINUTES = 5;
const WORKERS = 3;

/** Processes that fire schedules. */
const FIRING = 5;

/** @throws UsageError */
export function readOptions(args: readonly string[]): Options {
  const values = parsed(args);
  const names = FAULTS.map(({ name }) => name);
  const { together = false, mixed = together, schedules = false } = values;
  if (schedules && (mixed || values.mode !== undefined || values.fault !== undefined))
    throw new UsageError('--schedules takes no --mixed, --together, --mode and --fault.');
  if (together && values.workers === '1')
    throw new UsageError('--together needs 2 workers of each mode, one of each version.');
  const workers = schedules ? FIRING : WORKERS;
  return {
    seed: values.seed === undefined ? Date.now() % 1_000_000 : number('--seed', values.seed, 0, 2 ** 31),
    databases: choice('--database', values.database, DATABASES),
    modes: choice('--mode', values.mode, MODES),
    faults: choice('--fault', values.fault, names),
    workers: values.workers === undefined ? workers : number('--workers', values.workers, 1, 8),
    mixed,
    together,
    schedules,
    minutes:
      values.minutes === undefined
        ? together
          ? TOGETHER_MINUTES
          : MINUTES
        : number('--minutes', values.minutes, 0.1, 1_440),
    json: values.json ?? false,
  };
}

const KNOWN = {
  seed: { type: 'string' },
  database: { type: 'string', multiple: true },
  mode: { type: 'string', multiple: true },
  fault: { type: 'string', multiple: true },
  workers: { type: 'string' },
  mixed: { type: 'boolean' },
  together: { type: 'boolean' },
  schedules: { type: 'boolean' },
  minutes: { type: 'string' },
  json: { type: 'boolean' },
} as const;

function parsed(args: readonly string[]) {
  try {
    return parseArgs({ args: [...args], options: KNOWN, strict: true }).values;
  } catch (error) {
    const known = Object.keys(KNOWN).map((name) => `--${name}`);
    const message = error instanceof Error ? error.message.split('. ')[0] : String(error);
    throw new UsageError(`${message}. Known options: ${known.join(', ')}.`);
  }
}

function number(name: string, given: string, least: number, most: number): number {
  const value = Number(given);
  if (given.trim() !== '' && value >= least && value <= most) return value;
  throw new UsageError(`${name} must be a number from ${least} to ${most}, not ${JSON.stringify(given)}.`);
}

function choice<Name extends string>(
  option: string,
  given: readonly string[] | undefined,
  known: readonly Name[],
): readonly Name[] {
  if (given === undefined) return known;
  const unknown = given.find((name) => !known.some((each) => each === name));
  if (unknown === undefined) return known.filter((name) => given.includes(name));
  const all = known.map((name) => JSON.stringify(name)).join(', ');
  throw new UsageError(`${option} takes ${all}, not ${JSON.stringify(unknown)}.`);
}
