import { pauseConditions } from '../../admission/statements/pauses.js';
import { untilExpiry } from '../../expiry/statements.js';
import { anyFollower } from '../../followers/statements.js';
import { untilFirst } from '../../schedules/statements.js';
import type { Tables } from '../../schema/tables.js';

/** The delayed jobs that have become due, the time when more will, and whether there is work. */
export const surveyStatements = (tables: Tables) => {
  const { job, schedule } = tables;
  const { isQueueOpen, isKindOpen, isTextOpen, firstEnd } = pauseConditions(tables);
  // Subqueries for a queue that read one row, by a part of an index. MySQL needs the whole index in the ORDER BY, where it otherwise
  // sorts all jobs of the queue. MariaDB would sort them then.
  const first = (what: string, which: string, order: string, kinds: string): string => `
        SELECT ${what} FROM ${job} FORCE INDEX (job_claim)
        WHERE queue = given.queue AND claimable = 1 ${which} AND available_at <= UTC_TIMESTAMP(6) AND kind IN (${kinds})
          AND ${isQueueOpen('given.queue')} AND ${isKindOpen('kind')}
        ORDER BY ${order}
        LIMIT 1`;
  // Jobs without limits come first.
  const waiting = (kinds: string): string =>
    first(
      'limits',
      `AND ${isTextOpen('limits')}`,
      '/*!80000 queue, claimable, */ limits, priority, id',
      kinds,
    );
  const withoutLimits = (kinds: string): string =>
    first('1', "AND limits = ''", '/*!80000 queue, claimable, limits, */ priority, id', kinds);

  // The last job of the queue has limits if one has. A condition for limits would be checked job by job.
  const limited = `
        SELECT NULLIF(limits, '') FROM ${job} FORCE INDEX (job_claim)
        WHERE queue = given.queue AND claimable = 1
        ORDER BY /*!80000 queue DESC, claimable DESC, */ limits DESC, priority DESC, id DESC
        LIMIT 1`;

  const later = `
        SELECT ${untilDue} FROM ${job} FORCE INDEX (job_later)
        WHERE queue = given.queue AND later = 1
        ORDER BY /*!80000 queue, later, */ available_at
        LIMIT 1`;

  const leased = `SELECT 1 FROM ${job} FORCE INDEX (job_leased) WHERE queue = given.queue AND leased = 1 LIMIT 1`;

  return {
    dueQueues: (given: string, kinds: string): string => `
      SELECT given.queue FROM ${given} WHERE (${withoutLimits(kinds)}) IS NOT NULL`,

    survey: (given: string, kinds: string): string => `
      SELECT given.queue, (${later}) AS next_due_ms, (${waiting(kinds)}) AS waiting, (${leased}) AS leased, (${limited}) AS limited,
             (${firstEnd}) AS resumes_ms, ${untilFirst(schedule)} AS next_tick_ms, (${anyFollower(tables)}) AS followers,
             (${untilExpiry(tables)}) AS next_expiry_ms
      FROM ${given}
      HAVING COALESCE(next_due_ms, waiting, leased, limited, resumes_ms, next_tick_ms, followers, next_expiry_ms) IS NOT NULL`,

    findLater: (except: string): string => `
      SELECT CAST(id AS CHAR) AS id, public_id FROM ${job} FORCE INDEX (job_later)
      WHERE queue = ? AND later = 1 AND available_at <= UTC_TIMESTAMP(6)${except === '' ? '' : ` AND public_id NOT IN (${except})`}
      ORDER BY available_at
      LIMIT 1000`,

    // A run may have delayed a job after it was found. Such a job must be found again at its time.
    lockLater: (ids: string): string => `
      SELECT CAST(job.id AS CHAR) AS id FROM ${job} AS job FORCE INDEX (PRIMARY)
      WHERE id IN (${ids}) AND status = 'new' AND NOT due AND available_at <= UTC_TIMESTAMP(6)
      ORDER BY job.id
      FOR UPDATE SKIP LOCKED`,

    promote: (ids: string): string =>
      `UPDATE ${job} FORCE INDEX (PRIMARY) SET due = TRUE WHERE id IN (${ids})`,

    // After a promotion. Jobs that are still to be promoted are left to the next survey.
    nextDue: `
      SELECT ${untilDue} AS next_due_ms FROM ${job} FORCE INDEX (job_later)
      WHERE queue = ? AND later = 1 AND available_at > UTC_TIMESTAMP(6)
      ORDER BY available_at
      LIMIT 1`,
  };
};

/** In milliseconds; not positive when the job's time has come. */
const untilDue = 'CAST(TIMESTAMPDIFF(MICROSECOND, UTC_TIMESTAMP(6), available_at) / 1000 AS CHAR)';
