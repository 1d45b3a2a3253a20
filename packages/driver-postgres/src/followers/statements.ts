import type { Tables } from '../schema/tables.js';
import { WITHIN } from '../values/within.js';

/** The time of a job that waits for others. */
export const NEVER = "'9999-12-31T00:00:00Z'::timestamptz";

const OUTSTANDING = "('new', 'in-progress')";

/** Whether any job may wait for others. */
export const anyFollower = ({ follower }: Tables): string => `EXISTS (SELECT FROM ${follower})`;

/** The outstanding jobs for which a job waits. */
export const followed = ({ job, follower }: Tables, publicId: string): string =>
  `${follower} AS edge JOIN ${job} AS first ON first.public_id = edge.after_id
          WHERE edge.public_id = ${publicId} AND first.status IN ${OUTSTANDING}`;

/** The jobs that wait for others. */
export const followerStatements = (tables: Tables) => {
  const { job, follower } = tables;

  // The candidates' own rows are locked before their edges are deleted, so only the holder of such a lock deletes them.
  const ready = (candidates: string): string => `
      WITH candidate AS MATERIALIZED (${candidates}), ready AS MATERIALIZED (
        SELECT public_id FROM candidate
        WHERE NOT EXISTS (SELECT FROM ${followed(tables, 'candidate.public_id')})
      )`;
  const admit = (candidates: string, last: string): string => `${ready(candidates)}, free AS (
        SELECT id, public_id FROM ${job} WHERE public_id = ANY(ARRAY(SELECT public_id FROM ready))
        ORDER BY id FOR NO KEY UPDATE SKIP LOCKED
      ), over AS (
        DELETE FROM ${follower} WHERE public_id = ANY(ARRAY(
          SELECT public_id FROM free
          UNION ALL
          SELECT public_id FROM ready WHERE NOT EXISTS (SELECT FROM ${job} AS own WHERE own.public_id = ready.public_id)
        ))
        RETURNING public_id, available_at
      ), admitted AS (
        UPDATE ${job} AS job SET available_at = own.available_at, due = own.available_at <= clock_timestamp()
        FROM (SELECT public_id, min(available_at) AS available_at FROM over GROUP BY public_id) AS own
        WHERE job.public_id = own.public_id AND job.status = 'new' AND job.available_at = ${NEVER}
        RETURNING job.queue
      )
      SELECT to_json(ARRAY(SELECT DISTINCT queue FROM admitted)) AS queues, ${last} AS last,
             EXISTS (SELECT FROM ready JOIN ${job} AS own USING (public_id) WHERE public_id NOT IN (SELECT public_id FROM free)) AS skipped`;

  const find = (candidates: string, last: string): string => `${ready(candidates)}
      SELECT to_json(ARRAY(SELECT public_id FROM ready WHERE public_id <> ALL($3::uuid[]))) AS ready, ${last} AS last`;
  const after = `SELECT DISTINCT public_id FROM ${follower} WHERE after_id = ANY($1::uuid[]) LIMIT $2`;
  const beyond = `SELECT DISTINCT public_id FROM ${follower} WHERE public_id > $1::uuid ORDER BY public_id LIMIT $2`;
  const last = '(SELECT public_id FROM candidate ORDER BY public_id OFFSET $2::integer - 1)';

  return {
    // $1: the jobs that wait, and $2 those for which they wait, pair by pair. $3 and $4: the time of the waiting job.
    follow: `
      WITH given AS MATERIALIZED (
        SELECT * FROM unnest($1::uuid[], $2::uuid[], $3::float8[], $4::float8[]) AS given (public_id, after_id, available_at, delay)
      ), named AS MATERIALIZED (
        SELECT given.*, first.status FROM given LEFT JOIN ${job} AS first ON first.public_id = given.after_id
      ), waiting AS MATERIALIZED (
        SELECT DISTINCT public_id FROM named
        WHERE status IN ${OUTSTANDING} AND NOT EXISTS (SELECT FROM named WHERE status IS NULL)
      ), noted AS (
        INSERT INTO ${follower} (public_id, after_id, available_at)
        SELECT public_id, after_id, coalesce(to_timestamp(available_at / 1000), statement_timestamp() + delay * interval '1 ms')
        FROM named WHERE public_id IN (SELECT public_id FROM waiting)
      )
      SELECT json_build_object(
        'waiting', ARRAY(SELECT public_id FROM waiting),
        'missing', (SELECT after_id FROM named WHERE status IS NULL LIMIT 1))::text AS answer
      WHERE true ${WITHIN}`,

    admitAfter: admit(after, 'NULL::uuid'),
    admitBeyond: admit(beyond, last),

    // Where one of the jobs cannot be let go: those to let go without the ones in $3, and the same of some of them.
    findReadyAfter: find(after, 'NULL::uuid'),
    findReadyBeyond: find(beyond, last),
    admitSome: admit('SELECT unnest($1::uuid[]) AS public_id', 'NULL::uuid'),
  };
};
