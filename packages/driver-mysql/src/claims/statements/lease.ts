import type { Tables } from '../../schema/tables.js';
import { alive } from '../../workers/statements/anchor.js';

/** The worker of a lease's record. No worker has the id 0, and a lock must have a name. */
const RECORDED = 'COALESCE(run.worker_id, 0)';

/** Leases, and the reclaim of those that are over or whose worker is gone. */
export const leaseStatements = ({ job, run, worker }: Tables) => ({
  lease: (ids: string): string => `
      UPDATE ${job} FORCE INDEX (PRIMARY)
      SET status = 'in-progress', process_id = ?,
          leased_until = UTC_TIMESTAMP(6) + INTERVAL ROUND(? * 1000) MICROSECOND
      WHERE id IN (${ids}) AND status = 'new'`,

  // Reads without a lock. A lock would wait for a later run that has such a job.
  ofRun: (ids: string): string => `
      SELECT CAST(id AS CHAR) AS id FROM ${job} FORCE INDEX (PRIMARY) WHERE id IN (${ids}) AND process_id = ?`,

  // Waits for claims that lock the key's jobs just now. Also returns a job that this run has settled already, so that a commit whose
  // answer was lost is found again.
  lockLeased: (ids: string): string => `
      SELECT CAST(job.id AS CHAR) AS id, status FROM ${job} AS job FORCE INDEX (PRIMARY)
      WHERE id IN (${ids}) AND process_id = ?
      ORDER BY job.id
      FOR UPDATE`,

  // A lease without a record is put back when it is over, as nobody can say whose it is. The second ? but one is the calling worker.
  reclaimable: (given: string): string => `
      SELECT CAST(job.id AS CHAR) AS id, job.public_id, job.process_id, CAST(run.worker_id AS CHAR) AS worker_id,
             CAST(leased_until < UTC_TIMESTAMP(6) AS SIGNED) AS is_over,
             CAST(NOT ${alive(RECORDED)} AS SIGNED) AS is_missing
      FROM ${given} STRAIGHT_JOIN ${job} AS job FORCE INDEX (job_leased) ON job.queue = given.queue AND job.leased = 1
      LEFT JOIN ${run} AS run ON run.job_id = job.id AND run.process_id = job.process_id
      LEFT JOIN ${worker} AS worker ON worker.id = run.worker_id
      WHERE leased_until < UTC_TIMESTAMP(6) OR run.worker_id = ? OR NOT ${alive(RECORDED)}`,

  // Checks the state again when the row is locked: the job may have been settled meanwhile, and leased anew.
  lockReclaimable: (ids: string): string => `
      SELECT CAST(job.id AS CHAR) AS id, job.process_id FROM ${job} AS job FORCE INDEX (PRIMARY)
      WHERE id IN (${ids}) AND status = 'in-progress'
      ORDER BY job.id
      FOR UPDATE SKIP LOCKED`,

  // A job without a process_id belongs to no run.
  reclaim: (ids: string): string =>
    `UPDATE ${job} FORCE INDEX (PRIMARY) SET status = 'new', process_id = NULL WHERE id IN (${ids})`,
});
