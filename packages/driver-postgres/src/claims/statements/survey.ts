import { partsOf } from '../../admission/statements/limits.js';
import { pauseConditions } from '../../admission/statements/pauses.js';
import { untilExpiry } from '../../expiry/statements.js';
import { anyFollower } from '../../followers/statements.js';
import { literal } from '../../literal.js';
import { untilFirst } from '../../schedules/statements.js';
import type { Tables } from '../../schema/tables.js';
import { unseen } from '../../values/unseen.js';

const QUEUES = unseen('$1', 'text[]');
const KINDS = unseen('$2', 'text[]');

/** Those of the jobs that have not ended. */
const INDEXES = ['claim', 'limited', 'later', 'outstanding'];

/** The state of a worker's queues: which jobs have become due, and when more will. */
export const surveyStatements = (tables: Tables) => {
  const { job, openRun, limitSlot, rate, schedule } = tables;
  const { isAllPaused, pausedQueues, isKindOpen, firstEnd } = pauseConditions(tables);
  // Each queue's subquery walks its own part of a claim's index, to the first due job. Without its ORDER BY it would be planned as a scan
  // of the table.
  const due = (which: string, order: string): string => `
      SELECT lane.queue FROM unnest(${QUEUES}) AS lane (queue)
      CROSS JOIN LATERAL (
        SELECT FROM ${job}
        WHERE job.queue = lane.queue AND status = 'new' AND due AND ${which} AND available_at <= statement_timestamp()
        ORDER BY ${order}
        LIMIT 1
      ) AS found
      WHERE lane.queue <> ALL(${pausedQueues}) AND NOT ${isAllPaused}`;
  const ofKinds = `kind = ANY(${KINDS}) AND ${isKindOpen}`;
  // A part whose limit is paused may have very many jobs, so each part is looked at by itself.
  const limited = `
      SELECT FROM (${partsOf(tables, QUEUES, "''")}) AS part
      CROSS JOIN LATERAL (
        SELECT FROM ${job}
        WHERE job.queue = part.queue AND job.limits = part.limits AND status = 'new' AND due AND job.limits <> ''
          AND available_at <= statement_timestamp() AND ${ofKinds}
        ORDER BY priority, id
        LIMIT 1
      ) AS found
      WHERE NOT part.paused`;
  const plain = due(`limits = '' AND ${ofKinds}`, 'priority, id');

  // Of what a claim and a survey walk, each as the exponent of a power of two.
  const walked = [job, ...INDEXES.map((index) => `${job}_${index}`), openRun, limitSlot, rate];
  const size = (relation: string): string =>
    `log(8192 + pg_relation_size(to_regclass(${literal(relation)}))::float8)`;
  const sizes = `SELECT concat_ws(' ', ${walked.map((relation) => `floor(${size(relation)} / log(2))`).join(', ')}) AS sizes`;

  const seen = `
             (SELECT extract(epoch FROM least(min(later.at), (${firstEnd})) - statement_timestamp()) * 1000
              FROM unnest(${QUEUES}) AS lane (queue)
              CROSS JOIN LATERAL (
                SELECT min(available_at) AS at FROM ${job}
                WHERE job.queue = lane.queue AND status = 'new' AND NOT due AND available_at > statement_timestamp()
              ) AS later) AS next_due_ms,
             CASE WHEN EXISTS (${plain}) THEN 'unlimited' WHEN EXISTS (${limited}) THEN 'limited' END AS waiting,
             EXISTS (SELECT FROM ${job} WHERE queue = ANY(${QUEUES}) AND status = 'in-progress') AS leased,
             EXISTS (${due("limits <> ''", 'limits, priority, id')}) AS limited,
             ${anyFollower(tables)} AS followers,
             ${untilExpiry(tables)} AS next_expiry_ms,
             ${untilFirst(schedule)} AS next_tick_ms,
             (${sizes}) AS sizes`;

  return {
    dueQueues: plain,

    sizes,

    survey: `
      WITH promoted AS (
        UPDATE ${job} SET due = true
        WHERE id = ANY(ARRAY(
          SELECT found.id FROM unnest(${QUEUES}) AS lane (queue)
          CROSS JOIN LATERAL (
            SELECT id FROM ${job} AS job
            WHERE job.queue = lane.queue AND status = 'new' AND NOT due AND available_at <= statement_timestamp()
            ORDER BY available_at
            LIMIT 1000
            FOR NO KEY UPDATE SKIP LOCKED
          ) AS found
        ))
        RETURNING id
      )
      SELECT (SELECT count(*) FROM promoted) AS promoted,${seen}`,

    // Where one of the jobs cannot be promoted: the survey alone, the jobs to promote, and the promotion of some of them.
    surveyAlone: `SELECT 0::bigint AS promoted,${seen}`,

    findLater: `
      SELECT found.id, found.public_id FROM unnest(${QUEUES}) AS lane (queue)
      CROSS JOIN LATERAL (
        SELECT id, public_id FROM ${job} AS job
        WHERE job.queue = lane.queue AND status = 'new' AND NOT due AND available_at <= statement_timestamp()
          AND public_id <> ALL($2::uuid[])
        ORDER BY available_at
        LIMIT 1000
      ) AS found`,

    promote: `
      UPDATE ${job} SET due = true
      WHERE id = ANY(ARRAY(
        SELECT id FROM ${job}
        WHERE id = ANY($1::bigint[]) AND status = 'new' AND NOT due AND available_at <= statement_timestamp()
        ORDER BY id
        FOR NO KEY UPDATE SKIP LOCKED
      ))
      RETURNING id`,
  };
};
