import type { State } from '@rowlock/core';
import { type JobId, NO_ID } from '@rowlock/core/driver';
import { change, query } from '../query.js';
import { inOrder } from '../values/job-ids.js';
import { inParts, list } from '../values/list.js';
import type { ClaimTransaction } from './claim-transaction.js';
import { writeOut } from './open-runs.js';

/**
 * Commits a lease of these jobs. A run of several jobs gets a record for each job: a lease lasts, and may be of some of them.
 *
 * @throws DriverError
 */
export async function lease(
  tx: ClaimTransaction,
  runId: string,
  jobs: readonly JobId[],
  forMs: number,
): Promise<void> {
  const { sql } = tx.context;
  if (!tx.jobs.isOne) await writeOut(tx.on, sql, { runId, jobs });
  for (const part of inParts(jobs)) {
    const wanted = list(part);
    await change(tx.on, sql.leases.lease(wanted.places), [runId, forMs, ...wanted.values]);
  }
  await tx.slots.mark(tx.on, sql, runId, forMs);
  await tx.commit();
}

/** Locks those of these jobs that the run was the last to hold, and returns their states. @throws DriverError */
export async function lockLeased(
  tx: ClaimTransaction,
  runId: string,
  jobs: readonly JobId[],
  isCommitted: boolean,
): Promise<ReadonlyMap<JobId, State>> {
  const states = new Map<JobId, State>();
  for (const part of inParts(inOrder(isCommitted ? await jobsOfRun(tx, runId, jobs) : jobs))) {
    // The list never has one id alone. A row found by one id would stay locked even if another run has the job by now.
    const wanted = list([...part, NO_ID]);
    const text = tx.context.sql.leases.lockLeased(wanted.places);
    const rows = await query<{ id: string; status: State }>(tx.on, text, [...wanted.values, runId]);
    for (const { id, status } of rows) states.set(BigInt(id), status);
  }
  tx.jobs.leased([...states].flatMap(([id, state]) => (state === 'in-progress' ? id : [])));
  return states;
}

async function jobsOfRun(
  tx: ClaimTransaction,
  runId: string,
  jobs: readonly JobId[],
): Promise<readonly JobId[]> {
  const found: JobId[] = [];
  for (const part of inParts(jobs)) {
    const wanted = list(part);
    const text = tx.context.sql.leases.ofRun(wanted.places);
    const rows = await query<{ id: string }>(tx.on, text, [...wanted.values, runId]);
    found.push(...rows.map(({ id }) => BigInt(id)));
  }
  return found;
}
