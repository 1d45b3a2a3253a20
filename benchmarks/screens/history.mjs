import { connect } from '../connect.mjs';

const QUEUES = 20;

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
    tidy: ['VACUUM (ANALYZE) rowlock.job', 'VACUUM (ANALYZE) rowlock.run'],
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
    tidy: ['ANALYZE TABLE rowlock_job, rowlock_run'],
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
    waiting: (rows) => inSteps(rows, (from, to) => plain.ask(texts.waiting, [from, to])),
    async tidy() {
      for (const text of texts.tidy) await plain.ask(text);
    },
    end: () => plain.end(),
  };
}
