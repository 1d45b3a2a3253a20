import { milliseconds } from '../duration.js';
import { InvalidInputError } from '../errors.js';
import type { Debounce, Unique } from '../job/enqueue-options.js';
import { checkOptions } from '../known-options.js';

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
