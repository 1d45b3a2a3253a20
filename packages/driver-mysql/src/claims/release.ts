import type { RunRef } from '@rowlock/core/driver';
import { recordsOf } from '../jobs/given-rows.js';
import { change } from '../query.js';
import type { ClaimTransaction } from './claim-transaction.js';
import { writeOut } from './open-runs.js';

/** Ends a run's records as `release`, and the transaction. @throws DriverError */
export async function release(tx: ClaimTransaction, run: RunRef): Promise<void> {
  const { sql } = tx.context;
  tx.beginRelease();
  await writeOut(tx.on, sql, run);
  const records = recordsOf(run);
  // Without the claim, others may have ended the records rightly.
  const isHeld = !tx.lost.aborted && run.jobs.every((id) => tx.jobs.has(id));
  await change(tx.on, sql.runs.release(records.text), [...records.values, isHeld]);
  await tx.commit();
}
