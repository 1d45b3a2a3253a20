import type { NewPause, PauseTarget } from '../driver/pause.js';
import { InvalidInputError } from '../errors.js';
import { checkDate, checkKey, checkName } from '../input.js';
import { checkOptions } from '../known-options.js';

/** The work to pause or to resume: of a queue, of a kind, with a limit, or all. */
export type Pausable =
  | { readonly queue: string }
  | { readonly kind: string }
  | { readonly limit: string }
  | 'all';

export interface PauseOptions {
  /** When the work is resumed by itself, by the database's clock. Default: never. */
  readonly until?: Date;
  /** Up to 512 characters, for `pauses`. Default: none. */
  readonly reason?: string;
}

const PAUSE_OPTIONS: readonly string[] = ['until', 'reason'] satisfies (keyof PauseOptions)[];

const SCOPES = ['queue', 'kind', 'limit'] as const;

/** @param by Who pauses. @throws InvalidInputError */
export function newPause(work: Pausable, options: PauseOptions, by: string): NewPause {
  checkOptions('pause()', options, PAUSE_OPTIONS);
  const { until, reason } = options;
  const target = pauseTarget(work);
  if (until !== undefined) checkDate('until', until);
  if (reason !== undefined) checkKey('reason', reason);
  return { ...target, until: until ?? null, reason: reason ?? null, by };
}

/** @throws InvalidInputError */
export function pauseTarget(work: Pausable): PauseTarget {
  if (work === 'all') return { scope: 'all', name: '' };
  const [named, ...others] = Object.entries(Object(work));
  const [given, name] = named ?? [];
  const scope = SCOPES.find((each) => each === given);
  if (scope === undefined || others.length > 0)
    throw new InvalidInputError("The work must be { queue }, { kind }, { limit } or 'all'.");
  checkName(`The ${scope}`, name);
  return { scope, name };
}
