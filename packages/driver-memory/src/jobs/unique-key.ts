import { isSettled } from '@rowlock/core/driver';
import type { Row } from '../engine/row.js';
import type { Table } from '../engine/table.js';
import type { Transaction } from '../engine/transaction.js';
import type { JobRow } from './job-row.js';

/**
 * The job that has this job's unique key, as `tx` sees it, or undefined where the key is free. Waits only for a transaction
 * that has written a job with this key. A handler that runs has written none.
 */
export async function holderOfUniqueKey(
  jobs: Table<JobRow>,
  tx: Transaction,
  job: Pick<JobRow, 'id' | 'kind' | 'uniqueKey'>,
): Promise<JobRow | undefined> {
  if (job.uniqueKey === null) return undefined;
  const has = (version: JobRow | undefined): boolean =>
    version !== undefined &&
    version.id !== job.id &&
    version.kind === job.kind &&
    version.uniqueKey === job.uniqueKey &&
    (version.uniqueScope === 'ever' || !isSettled(version.status));

  for (;;) {
    const rows = jobs.rowsBy('uniqueKey', job.uniqueKey).filter((row) => row.versions().some(has));
    const disputed = rows.find((row) => isDisputed(row, tx, has));
    if (disputed === undefined) return rows.map((row) => row.seenBy(tx)).find(has);
    await tx.waitFor(disputed);
  }
}

/** Whether another transaction has freed or taken the key, and has not committed. */
function isDisputed(
  row: Row<JobRow>,
  tx: Transaction,
  has: (version: JobRow | undefined) => boolean,
): boolean {
  return !row.isFreeFor(tx) && !row.versions().every(has);
}
