import type { JobId } from '../job/job.js';

/** Lower than every job's id. */
export const NO_ID: JobId = 0n;

/** As high as an id can be: both databases have 64 bits, signed. */
export const HIGHEST_ID: JobId = 2n ** 63n - 1n;

/** The lowest and the highest of some ids. Both are 0 without ids. */
export function rangeOf(ids: readonly JobId[]): readonly [first: JobId, last: JobId] {
  let [first = NO_ID, last = NO_ID] = [ids[0], ids[0]];
  for (const id of ids) {
    if (id < first) first = id;
    if (id > last) last = id;
  }
  return [first, last];
}
