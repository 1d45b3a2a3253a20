import type { JobId } from '@rowlock/core/driver';

/** Lower than every job's id. */
export const NO_ID = 0n;

/** As high as an id can be. */
export const HIGHEST_ID = 2n ** 63n - 1n;

/** The lowest and the highest of some ids. Both are 0 without ids. */
export function rangeOf(ids: readonly JobId[]): readonly [first: JobId, last: JobId] {
  let [first = 0n, last = 0n] = [ids[0], ids[0]];
  for (const id of ids) {
    if (id < first) first = id;
    if (id > last) last = id;
  }
  return [first, last];
}

/** The order in which every transaction locks jobs. */
export function inOrder(ids: readonly JobId[]): readonly JobId[] {
  return [...ids].sort((a, b) => Number(a - b));
}

/** The ids in a column of JSON. JSON.parse would round those beyond 2^53. */
export function idsOf(text: string): readonly JobId[] {
  return text.slice(1, -1).split(',').map(BigInt);
}
