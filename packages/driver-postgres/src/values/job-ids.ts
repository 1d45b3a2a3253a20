import type { JobId } from '@rowlock/core/driver';

/** The lowest and the highest of some ids; 0 of none. */
export function rangeOf(ids: readonly JobId[]): readonly [first: JobId, last: JobId] {
  let [first = 0n, last = 0n] = [ids[0], ids[0]];
  for (const id of ids) {
    if (id < first) first = id;
    if (id > last) last = id;
  }
  return [first, last];
}
