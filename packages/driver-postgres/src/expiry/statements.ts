import type { Tables } from '../schema/tables.js';
import { WITHIN } from '../values/within.js';

/** Milliseconds until the first time is over. */
export const untilExpiry = ({ expiry }: Tables): string =>
  `(SELECT extract(epoch FROM min(expires_at) - statement_timestamp()) * 1000 FROM ${expiry})`;

/** The jobs that are of no use after a time. */
export const expiryStatements = ({ job, expiry }: Tables) => ({
  // $2 and $3: the time.
  note: `
      WITH noted AS (
        INSERT INTO ${expiry} (public_id, expires_at)
        SELECT public_id, coalesce(to_timestamp(expires_at / 1000), statement_timestamp() + delay * interval '1 ms')
        FROM unnest($1::uuid[], $2::float8[], $3::float8[]) AS given (public_id, expires_at, delay)
      )
      SELECT 'true' AS answer WHERE true ${WITHIN}`,

  overOf: `SELECT public_id FROM ${expiry} WHERE public_id = ANY($1::uuid[]) AND expires_at <= clock_timestamp()`,

  // A lease's run has begun in time.
  over: `
      SELECT expiry.public_id FROM ${expiry} AS expiry LEFT JOIN ${job} AS job ON job.public_id = expiry.public_id
      WHERE expires_at <= clock_timestamp() AND job.status IS DISTINCT FROM 'in-progress' AND expiry.public_id <> ALL($1::uuid[])
      ORDER BY expires_at LIMIT $2`,

  // $2: the error, and $3 the host.
  cancel: `
      WITH free AS MATERIALIZED (
        SELECT id, public_id, status, redrives FROM ${job} WHERE public_id = ANY($1::uuid[])
        ORDER BY id FOR NO KEY UPDATE SKIP LOCKED
      ), cancelled AS (
        UPDATE ${job} AS job SET status = 'cancelled', error = $2::jsonb, finished_at = clock_timestamp(), finished_by = $3
        FROM free WHERE job.id = free.id AND free.status = 'new' AND free.redrives = 0
        RETURNING job.public_id
      ), forgotten AS (
        DELETE FROM ${expiry} AS expiry WHERE public_id = ANY($1::uuid[]) AND (
          public_id IN (SELECT public_id FROM free WHERE status <> 'in-progress')
          OR NOT EXISTS (SELECT FROM ${job} AS job WHERE job.public_id = expiry.public_id))
      )
      SELECT public_id FROM cancelled`,
});
