import { availableAt } from '../jobs/statements/enqueue.js';
import type { Tables } from '../schema/tables.js';

/** Whether the job of this row waits for others. */
const isFollower = "job.available_at >= '9999-12-31'";

/** A row if any job may wait for others. */
export const anyFollower = ({ follower }: Tables): string => `SELECT 1 FROM ${follower} LIMIT 1`;

const OUTSTANDING = "('new', 'in-progress')";

/** The jobs that wait for others. */
export const followerStatements = ({ job, follower }: Tables) => ({
  follow: (given: string): string => `
      INSERT INTO ${follower} (public_id, after_id, available_at)
      SELECT public_id, after_id, ${availableAt('available_at', 'delay')} FROM ${given}`,

  followersOf: (publicIds: string): string =>
    `SELECT DISTINCT public_id FROM ${follower} FORCE INDEX (follower_after) WHERE after_id IN (${publicIds}) LIMIT ?`,

  followersBeyond: `SELECT DISTINCT public_id FROM ${follower} WHERE public_id > ? ORDER BY public_id LIMIT ?`,

  waiting: (publicIds: string): string => `
      SELECT DISTINCT edge.public_id FROM ${follower} AS edge FORCE INDEX (PRIMARY)
      STRAIGHT_JOIN ${job} AS first FORCE INDEX (public_id) ON first.public_id = edge.after_id
      WHERE edge.public_id IN (${publicIds}) AND first.status IN ${OUTSTANDING}`,

  findFollowers: (publicIds: string): string =>
    `SELECT CAST(id AS CHAR) AS id, public_id FROM ${job} WHERE public_id IN (${publicIds})`,

  // By primary key alone, as every lock on jobs.
  lockFollowers: (ids: string): string => `
      SELECT CAST(job.id AS CHAR) AS id, job.public_id, job.queue, job.status = 'new' AND ${isFollower} AS waits
      FROM ${job} AS job FORCE INDEX (PRIMARY) WHERE id IN (${ids}) ORDER BY job.id FOR UPDATE SKIP LOCKED`,

  timesOf: (publicIds: string): string =>
    `SELECT public_id, CAST(MIN(available_at) AS CHAR) AS available_at FROM ${follower} FORCE INDEX (PRIMARY)
      WHERE public_id IN (${publicIds}) GROUP BY public_id`,

  // The rows are locked already.
  admit: (given: string): string => `
      UPDATE ${given}
      STRAIGHT_JOIN ${job} AS job FORCE INDEX (PRIMARY) ON job.id = given.id
      SET job.due = given.available_at <= UTC_TIMESTAMP(6), job.available_at = given.available_at`,

  // Without the conversion the column would be converted, and each row be read.
  forgetFollowers: (given: string): string => `
      DELETE edge FROM ${given} STRAIGHT_JOIN ${follower} AS edge FORCE INDEX (PRIMARY)
      ON edge.public_id = CONVERT(given.public_id USING ascii) COLLATE ascii_bin`,
});
