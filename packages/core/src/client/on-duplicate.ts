import { type Duration, milliseconds } from '../duration.js';
import { InvalidInputError } from '../errors.js';
import type { UniqueScope } from '../job/job.js';
import { checkOptions } from '../known-options.js';

/** A unique key, and what it does. */
export interface Unique {
  /** The text that no second job of the kind may have, 1 to 512 characters. */
  readonly key: string;
  /** For how long it refuses a second job: while the first is `outstanding`, or for `ever`. Default `outstanding`. */
  readonly scope?: UniqueScope;
  /** What a second job does to the first: `keep`, `replace` or a debounce. Default `keep`. */
  readonly onDuplicate?: OnDuplicate;
}

/**
 * - `keep`: the first job stays as it is.
 * - `replace`: the waiting job gets the payload, time, priority and limits of the second one.
 * - `debounce`: the same, and each enqueue puts the job off.
 *
 * If a run has the first job, with `replace` and `debounce` the second one is enqueued, and runs after it.
 */
export type OnDuplicate = 'keep' | 'replace' | { readonly debounce: Debounce };

export interface Debounce {
  /** How long the job waits after the last enqueue. */
  readonly quiet: Duration;
  /** How long it waits at most after the first one. */
  readonly max: Duration;
}

/** How a waiting job is replaced. */
export interface Replacing {
  /** The time of the new job, in milliseconds from now. Undefined: the enqueue says it. */
  readonly quietMs?: number;
  /** The latest time of the waiting job, in milliseconds after its creation. */
  readonly latestMs?: number;
}

/** Undefined where a duplicate is kept. @throws InvalidInputError */
export function replacingOf({ scope = 'outstanding', onDuplicate = 'keep' }: Unique): Replacing | undefined {
  if (onDuplicate === 'keep') return undefined;
  if (scope !== 'outstanding')
    throw new InvalidInputError("unique.onDuplicate is for scope 'outstanding'. Leave one of them out.");
  if (onDuplicate === 'replace') return {};
  if (typeof onDuplicate === 'object' && onDuplicate !== null)
    checkOptions('unique.onDuplicate', onDuplicate, ['debounce']);
  const { debounce }: { readonly debounce?: Debounce } = Object(onDuplicate);
  if (debounce === undefined)
    throw new InvalidInputError(
      "unique.onDuplicate must be 'keep', 'replace' or { debounce: { quiet, max } }.",
    );
  checkOptions('debounce', debounce, ['quiet', 'max']);
  const quietMs = milliseconds(debounce.quiet, 'quiet');
  const latestMs = milliseconds(debounce.max, 'max');
  if (quietMs > latestMs) throw new InvalidInputError('max must not be shorter than quiet.');
  return { quietMs, latestMs };
}
