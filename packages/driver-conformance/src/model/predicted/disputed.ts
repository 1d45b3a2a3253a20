import { type Actor, type Caller, isCaller } from '../parts.js';
import { hasKey, type ModelJob, type Row } from './job.js';
import type { ModelState } from './state.js';

/**
 * Whether somebody else has written a row that has this unique key, or had it, and has not committed that; or has given another
 * key again: on MySQL that keeps others from its neighbours.
 */
export function isDisputed(
  state: ModelState,
  kind: string,
  key: string | undefined,
  by: Actor | Caller,
): boolean {
  if (key === undefined) return false;
  return [...state.transactions].some(
    ([who, tx]) =>
      !(who === by && isCaller(who)) &&
      [...tx.rows].some(
        ([job, row]) =>
          hasKey(job, row, kind, key) || hasKey(job, job.row, kind, key) || isGivenAgain(state, job, row),
      ),
  );
}

/** Whether this row has a unique key that a job had before, this one or another. */
function isGivenAgain(state: ModelState, job: ModelJob, row: Row | null): boolean {
  const { kind, unique } = job.wanted;
  if (unique === null || !hasKey(job, row, kind, unique.key) || hasKey(job, job.row, kind, unique.key))
    return false;
  return (
    job.row !== null ||
    state.jobs.some(
      ({ wanted }) => wanted !== job.wanted && wanted.kind === kind && wanted.unique?.key === unique.key,
    )
  );
}
