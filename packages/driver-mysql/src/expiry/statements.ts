import { availableAt } from '../jobs/statements/enqueue.js';
import type { Tables } from '../schema/tables.js';

/** Milliseconds until the first time is over. */
export const untilExpiry = ({ expiry }: Tables): string =>
  `SELECT CAST(TIMESTAMPDIFF(MICROSECOND, UTC_TIMESTAMP(6), MIN(expires_at)) / 1000 AS CHAR) FROM ${expiry}`;

/** The jobs that are of no use after a time. */
export const expiryStatements = ({ job, expiry }: Tables) => ({
  note: (given: string): string => `
      INSERT INTO ${expiry} (public_id, expires_at)
      SELECT public_id, ${availableAt('available_at', 'delay')} FROM ${given}`,

  overOf: (publicIds: string): string =>
    `SELECT public_id FROM ${expiry} FORCE INDEX (PRIMARY) WHERE public_id IN (${publicIds}) AND expires_at <= UTC_TIMESTAMP(6)`,

  // A lease's run has begun in time.
  over: (except: string): string => `
      SELECT expiry.public_id FROM ${expiry} AS expiry FORCE INDEX (expiry_next)
      LEFT JOIN ${job} AS job FORCE INDEX (public_id) ON job.public_id = expiry.public_id
      WHERE expires_at <= UTC_TIMESTAMP(6) AND COALESCE(job.status, '') <> 'in-progress'${except === '' ? '' : ` AND expiry.public_id NOT IN (${except})`}
      ORDER BY expires_at LIMIT ?`,

  // By primary key alone, as every lock on jobs.
  lockExpired: (ids: string): string => `
      SELECT CAST(job.id AS CHAR) AS id, job.public_id, job.status, job.redrives
      FROM ${job} AS job FORCE INDEX (PRIMARY) WHERE id IN (${ids}) ORDER BY job.id FOR UPDATE SKIP LOCKED`,

  // The rows are locked already.
  cancelExpired: (given: string): string => `
      UPDATE ${given} STRAIGHT_JOIN ${job} AS job FORCE INDEX (PRIMARY) ON job.id = given.id
      SET job.status = 'cancelled', job.error = ?, job.finished_at = UTC_TIMESTAMP(6), job.finished_by = ?`,

  // Without the conversion the column would be converted, and each row be read.
  forgetExpired: (given: string): string => `
      DELETE expiry FROM ${given} STRAIGHT_JOIN ${expiry} AS expiry FORCE INDEX (PRIMARY)
      ON expiry.public_id = CONVERT(given.public_id USING ascii) COLLATE ascii_bin`,
});
