import { defineHandler } from '@rowlock/core';
import { z } from 'zod';
import { connect } from '../connect.mjs';

const QUEUES = 20;

/** How many actions of operators are on record, which are kept for longer than jobs. */
export const ENTRIES = 100_000;

/** A schedule of each queue's kind is one of these: once a year. */
const SCHEDULES = 100;

const WEEK_MINUTES = 7 * 24 * 60;

/** Sums of earlier minutes were put together by ten. */
const FINE_MINUTES = 4 * 60;

/** How long jobs have waited and run, in the buckets of the drivers. */
const TIMES = JSON.stringify([0, 1, 2, 5, 9, 5, 2, 1, ...new Array(12).fill(0)]);

/** How many rows one statement adds. MySQL keeps what it would undo. */
const STEP = 100_000;

/**
 * Rows n of a number of rows, in $1 to $2. Each of them is by a formula of n: one of 20 queues, which has one kind; a
 * key for a tenth. One settled job of a hundred has failed, and one was cancelled. A fifth of the waiting jobs are
 * delayed, and a tenth have one of 20 limits.
 */
const FILL = {
  postgres: {
    settled: `
      WITH added AS (
        INSERT INTO rowlock.job (queue, kind, key, payload, status, process_id, attempt, error, created_at, available_at, started_at,
                                 finished_at, created_by)
        SELECT 'queue-' || n % ${QUEUES}, 'kind-' || n % ${QUEUES}, CASE WHEN n % 10 = 0 THEN 'key-' || n % 10007 END,
               jsonb_build_object('customer', n % 1000),
               CASE n % 100 WHEN 1 THEN 'error' WHEN 2 THEN 'cancelled' ELSE 'complete' END,
               gen_random_uuid(), 1,
               CASE WHEN n % 100 = 1 THEN jsonb_build_object('name', 'Error', 'message', 'no answer from host ' || n % 7, 'code', 'ETIMEDOUT') END,
               at, at, at, at + interval '100 ms', 'filler'
        FROM generate_series($1::bigint, $2::bigint) AS n, LATERAL (
          SELECT now() - interval '7 days' + n * interval '7 days' / $3::float8 AS at) AS time
        RETURNING id, process_id, created_at
      )
      INSERT INTO rowlock.run (process_id, job_id, worker_id, jobs_before, started_at)
      SELECT process_id, id, $4, created_at + interval '1 ms', created_at FROM added`,
    waiting: `
      INSERT INTO rowlock.job (queue, kind, key, payload, due, available_at, limits, created_by)
      SELECT 'queue-' || n % ${QUEUES}, 'kind-' || n % ${QUEUES}, CASE WHEN n % 10 = 0 THEN 'key-' || n % 10007 END,
             jsonb_build_object('customer', n % 1000), n % 5 > 0,
             CASE WHEN n % 5 > 0 THEN now() - interval '1 minute' ELSE now() + interval '1 day' + n * interval '1 second' END,
             CASE WHEN n % 10 = 3 THEN '{"limit-' || n / 10 % 20 || '":5}' ELSE '' END, 'filler'
      FROM generate_series($1::bigint, $2::bigint) AS n`,
    counted: `
      INSERT INTO rowlock.tally (minute, queue, kind, completed, failed, cancelled, retried, waits, runs)
      SELECT minute, 'queue-' || n, 'kind-' || n, 49, n % 3, 0, n % 2, ARRAY${TIMES}, ARRAY${TIMES}
      FROM generate_series(1, $1::integer) AS back, generate_series(0, ${QUEUES - 1}) AS n,
        LATERAL (SELECT date_trunc('minute', now()) - back * interval '1 minute' AS minute) AS time
      WHERE back <= ${FINE_MINUTES} OR extract(epoch FROM minute)::bigint % 600 = 0`,
    noted: `
      INSERT INTO rowlock.audit (noted_at, operator, action, scope, name, details)
      SELECT now() - (${ENTRIES} - n) * interval '1 minute', 'operator-' || n % 30, CASE n % 2 WHEN 0 THEN 'pause' ELSE 'resume' END,
             'queue', 'queue-' || n % ${QUEUES}, '{"reason":"a deploy"}'
      FROM generate_series(1, $1::integer) AS n`,
    tidy: ['job', 'run', 'tally', 'audit'].map((name) => `VACUUM (ANALYZE) rowlock.${name}`),
  },
  mysql: {
    settled: [
      `INSERT INTO rowlock_job (queue, kind, \`key\`, payload, status, process_id, attempt, error, created_at, available_at, started_at,
                               finished_at, created_by)
      WITH RECURSIVE series (n) AS (SELECT ? UNION ALL SELECT n + 1 FROM series WHERE n < ?)
      SELECT CONCAT('queue-', n % ${QUEUES}), CONCAT('kind-', n % ${QUEUES}), IF(n % 10 = 0, CONCAT('key-', n % 10007), NULL),
             JSON_OBJECT('customer', n % 1000), CASE n % 100 WHEN 1 THEN 'error' WHEN 2 THEN 'cancelled' ELSE 'complete' END,
             UUID(), 1,
             IF(n % 100 = 1, JSON_OBJECT('name', 'Error', 'message', CONCAT('no answer from host ', n % 7), 'code', 'ETIMEDOUT'), NULL),
             at, at, at, at + INTERVAL 100000 MICROSECOND, 'filler'
      FROM series, LATERAL (SELECT UTC_TIMESTAMP(6) - INTERVAL 7 DAY + INTERVAL n * 604800 / ? SECOND AS at) AS time`,
      `INSERT INTO rowlock_run (process_id, job_id, worker_id, jobs_before, started_at)
      SELECT process_id, id, ?, created_at + INTERVAL 1000 MICROSECOND, created_at FROM rowlock_job
      WHERE created_by = 'filler' AND id > COALESCE((SELECT MAX(job_id) FROM rowlock_run AS last), 0)`,
    ],
    waiting: `
      INSERT INTO rowlock_job (queue, kind, \`key\`, payload, due, available_at, limits, created_by)
      WITH RECURSIVE series (n) AS (SELECT ? UNION ALL SELECT n + 1 FROM series WHERE n < ?)
      SELECT CONCAT('queue-', n % ${QUEUES}), CONCAT('kind-', n % ${QUEUES}), IF(n % 10 = 0, CONCAT('key-', n % 10007), NULL),
             JSON_OBJECT('customer', n % 1000), n % 5 > 0,
             IF(n % 5 > 0, UTC_TIMESTAMP(6) - INTERVAL 1 MINUTE, UTC_TIMESTAMP(6) + INTERVAL 1 DAY + INTERVAL n SECOND),
             IF(n % 10 = 3, CONCAT('{"limit-', FLOOR(n / 10) % 20, '":5}'), ''), 'filler'
      FROM series`,
    counted: `
      INSERT INTO rowlock_tally (minute, queue, kind, completed, failed, cancelled, retried, waits, runs)
      WITH RECURSIVE series (back) AS (SELECT 1 UNION ALL SELECT back + 1 FROM series WHERE back < ?),
        lane (n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM lane WHERE n < ${QUEUES - 1})
      SELECT minute, CONCAT('queue-', n), CONCAT('kind-', n), 49, n % 3, 0, n % 2, '${TIMES}', '${TIMES}'
      FROM series, lane, LATERAL (
        SELECT CAST(DATE_FORMAT(UTC_TIMESTAMP(), '%Y-%m-%d %H:%i:00') AS DATETIME) - INTERVAL back MINUTE AS minute
      ) AS time
      WHERE back <= ${FINE_MINUTES} OR MINUTE(minute) % 10 = 0`,
    noted: `
      INSERT INTO rowlock_audit (noted_at, operator, action, scope, name, details)
      WITH RECURSIVE series (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM series WHERE n < ?)
      SELECT UTC_TIMESTAMP(6) - INTERVAL (${ENTRIES} - n) MINUTE, CONCAT('operator-', n % 30), IF(n % 2, 'resume', 'pause'),
             'queue', CONCAT('queue-', n % ${QUEUES}), '{"reason":"a deploy"}'
      FROM series`,
    tidy: ['ANALYZE TABLE rowlock_job, rowlock_run, rowlock_tally, rowlock_audit'],
  },
};

/** A table with a long past and much to do, filled past Rowlock. */
export async function openHistory(database, url) {
  const texts = FILL[database];
  const plain = await connect(database, url);
  if (database === 'mysql') await plain.ask('SET SESSION cte_max_recursion_depth = 1000000000');

  async function inSteps(rows, add) {
    for (let from = 1; from <= rows; from += STEP) await add(from, Math.min(rows, from + STEP - 1));
  }

  return {
    /** @param workerId The worker that has run them */
    settled: (rows, workerId) =>
      inSteps(rows, async (from, to) => {
        if (database === 'postgres') return plain.ask(texts.settled, [from, to, rows, workerId]);
        const [jobs, runs] = texts.settled;
        await plain.ask(jobs, [from, to, rows]);
        await plain.ask(runs, [workerId]);
      }),
    /** A week of sums as workers leave them, or of as many minutes as there were jobs for. */
    counted: (rows) => plain.ask(texts.counted, [Math.min(WEEK_MINUTES, Math.ceil(rows / QUEUES))]),
    noted: () => plain.ask(texts.noted, [ENTRIES]),
    async schedules(rowlock) {
      for (let n = 0; n < SCHEDULES; n++) {
        const lane = n % QUEUES;
        const handler = defineHandler({
          kind: `kind-${lane}`,
          queue: `queue-${lane}`,
          payload: z.null(),
          run: () => {},
        });
        await rowlock.schedules.set(`schedule-${n}`, { handler, payload: null, cron: '0 0 1 1 *' });
      }
    },
    waiting: (rows) => inSteps(rows, (from, to) => plain.ask(texts.waiting, [from, to])),
    async tidy() {
      for (const text of texts.tidy) await plain.ask(text);
    },
    end: () => plain.end(),
  };
}
