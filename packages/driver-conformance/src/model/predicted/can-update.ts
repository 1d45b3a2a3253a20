import { isCaller, type Updating } from '../parts.js';
import type { ModelState } from './state.js';
import { seen, type Transaction } from './transaction.js';

/**
 * What the contract leaves open a caller does not do. Its transaction may not find a job that was committed since it began. It may keep
 * the lock of a job that is in another state.
 */
export function canUpdate(
  state: ModelState,
  tx: Transaction | undefined,
  { by, job: place, from }: Updating,
): boolean {
  const job = state.jobs[place];
  if (job === undefined || !isCaller(by)) return job !== undefined;
  if (tx !== undefined && !tx.found.has(job) && !tx.rows.has(job)) return false;
  const row = seen(job, tx);
  return row === null || !state.isFree(job, tx) || from.includes(row.status);
}
