import { type JobId, NO_ID } from '@rowlock/core/driver';

/** The lowest and the highest of some ids. Both are 0 without ids. */
export function rangeOf(ids: readonly JobId[]): readonly [first: JobId, last: JobId] {
  let [first = NO_ID, last = NO_ID] = [ids[0], ids[0]];
  for (const id of ids) {
    if (id < first) first = id;
    if (id > last) last = id;
  }
  return [first, last];
}
