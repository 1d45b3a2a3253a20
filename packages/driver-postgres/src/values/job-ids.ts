import type { JobId } from '@rowlock/core/driver';

/** The lowest and the highest of some ids. Both are 0 without ids. */
export function rangeOf(ids: readonly JobId[]): readonly [first: JobId, last: JobId] {
  let [first = 0n, last = 0n] = [ids[0], ids[0]];
  for (const id of ids) {
    if (id < first) first = id;
    if (id > last) last = id;
  }
  return [first, last];
}

/** Before, and beyond, every id. */
export const NO_ID: JobId = 0n;
export const HIGHEST_ID: JobId = 2n ** 63n - 1n;
