import { AFTER_JOBS } from './given.js';
import { identifier } from './identifier.js';
import type { Server } from './session.js';

/** The columns of a job as a worker holds it. Times are milliseconds, so that no setting of the session alters them. */
const JOB = `id, public_id, queue, kind, key, payload, priority, status, attempt, max_attempts, crashes, metadata,
  extract(epoch FROM created_at) * 1000 AS created_at`;

/** What decides how long a job is kept. Whole milliseconds, rounded down: a job is never taken for older than it is. */
const ENTRY = `id, queue, status,
  floor(extract(epoch FROM statement_timestamp() - created_at) * 1000)::float8 AS created_ms,
  floor(extract(epoch FROM statement_timestamp() - finished_at) * 1000)::float8 AS settled_ms`;

/** What an enqueue's text depends on. */
export interface EnqueueShape {
  /** The jobs, as a table. */
  readonly given: string;
  /** Whether any of them has a unique key. */
  readonly unique: boolean;
  /** Whether it wakes workers: by the two values behind those of the jobs, the channel and an array. */
  readonly wakes: boolean;
}

/** Every SQL text of the driver, in the order of the flow. */
export interface Statements {
  readonly enqueue: (shape: EnqueueShape) => string;
  readonly findDuplicates: string;
  readonly notify: string;
  readonly notifySoon: string;
  readonly begin: string;
  readonly bounds: (scope: 'SESSION' | 'LOCAL', limitMs: number, server: Server) => string;
  readonly claim: string;
  readonly claimOne: string;
  readonly lockSiblings: string;
  readonly lockKey: string;
  readonly firstOutstanding: string;
  readonly lease: string;
  readonly lockLeased: string;
  readonly stopStatement: string;
  readonly startRuns: string;
  readonly startTogether: string;
  readonly flush: string;
  readonly writeOut: string;
  readonly endCrashed: string;
  readonly noteProgress: string;
  readonly release: string;
  readonly settle: string;
  readonly settleAll: string;
  readonly settleTogether: string;
  readonly settleAllTogether: string;
  readonly complete: string;
  readonly settleComplete: string;
  readonly settleAlike: string;
  readonly survey: string;
  readonly reclaim: string;
  readonly history: string;
  readonly historyBack: string;
  readonly prune: string;
  readonly takePruneTurn: string;
  readonly list: string;
  readonly count: string;
  readonly move: string;
  readonly forgetWorkers: string;
  readonly forgetRuns: string;
  readonly addWorker: string;
  readonly backend: string;
  readonly holdAnchor: string;
  readonly holdsAnchor: string;
  readonly endAnchor: string;
  readonly letAnchorGo: string;
  readonly keepAlive: string;
  readonly beat: string;
  readonly hear: string;
  readonly pruneBell: string;
  readonly reportLines: string;
  readonly stopWorker: string;
  readonly workers: string;
  readonly schemaVersion: string;
}

/** In a statement that is its own transaction: it is committed without waiting for the disk. */
const UNFLUSHED = "set_config('synchronous_commit', 'off', true) = 'off'";

export function statements(schema: string): Statements {
  const job = `${identifier(schema)}.job`;
  const run = `${identifier(schema)}.run`;
  const openRun = `${identifier(schema)}.open_run`;
  const worker = `${identifier(schema)}.worker`;
  const bell = `${identifier(schema)}.bell`;
  const migration = `${identifier(schema)}.migration`;

  /** The ids of the workers that are alive. $1 is the lock's class, unsigned as pg_locks shows it. */
  const alive = `alive AS MATERIALIZED (
        SELECT objid::bigint AS id FROM ${ANCHORS}
        UNION ALL
        SELECT id FROM ${worker} WHERE alive_until > statement_timestamp()
      )`;

  /** For those who cannot LISTEN. One that has just missed a beat is rung for still. */
  const rung = (wakeUps: string, condition = 'true'): string => `rung AS (
        INSERT INTO ${bell} (wake_up) SELECT wake_up::jsonb FROM unnest(${wakeUps}::text[]) AS wake_up
        WHERE ${condition}
          AND EXISTS (SELECT FROM ${worker} WHERE alive_until > statement_timestamp() - interval '1 minute')
      )`;

  /** Whether an open run has one of these jobs, which lie between the two ids. */
  const has = (jobs: string, first: string, last: string): string =>
    `last_id >= ${first} AND first_id <= ${last}
          AND EXISTS (SELECT FROM unnest(job_ids) AS has (id) WHERE has.id = ANY(${jobs}::bigint[]))`;

  /** What is known of the jobs in $3; the row without an id is for the open runs that have one of them. */
  const known = `known AS MATERIALIZED (
        SELECT job_id AS id, count(*) AS earlier_runs, count(*) FILTER (WHERE outcome = 'reclaim') AS crashes,
               count(*) FILTER (WHERE finished_at IS NULL) AS unfinished
        FROM ${run} WHERE job_id = ANY($3) GROUP BY job_id
        UNION ALL
        SELECT NULL, 0, 0, count(*) FROM ${openRun} WHERE ${has('$3', '$4', '$5')} HAVING count(*) > 0
      )`;

  /** Writes open runs into the records of those of their jobs that are outstanding still. */
  const writtenOut = (condition: string): string => `open AS (
        DELETE FROM ${openRun} WHERE ${condition} RETURNING process_id, worker_id, started_at, job_ids
      ), written AS (
        INSERT INTO ${run} (process_id, job_id, worker_id, started_at)
        SELECT open.process_id, job.id, worker_id, open.started_at FROM open JOIN ${job} AS job ON job.id = ANY(job_ids)
        WHERE status IN ('new', 'in-progress')
        ON CONFLICT DO NOTHING
      )`;

  const settled = `
      WITH ending AS MATERIALIZED (
        SELECT * FROM unnest($1::bigint[], $2::uuid[], $3::text[], $4::text[], $5::integer[], $6::integer[], $7::float8[],
                             $8::float8[], $9::jsonb[], $10::jsonb[], $11::text[])
          AS ending (id, process_id, event, status, attempt, crashes, delay, took, output, error, by)
      ), settled AS (
        UPDATE ${job} AS job SET
          status = ending.status,
          process_id = ending.process_id,
          attempt = ending.attempt,
          crashes = ending.crashes,
          output = ending.output,
          error = ending.error,
          due = CASE ending.status WHEN 'new' THEN ending.delay = 0 ELSE job.due END,
          available_at = CASE ending.status
            WHEN 'new' THEN clock_timestamp() + ending.delay * interval '1 ms' ELSE job.available_at END,
          started_at = clock_timestamp() - ending.took * interval '1 ms',
          started_by = ending.by,
          finished_at = CASE ending.status WHEN 'new' THEN NULL ELSE clock_timestamp() END,
          finished_by = CASE ending.status WHEN 'new' THEN NULL ELSE ending.by END
        FROM ending
        WHERE job.id = ANY($1) AND job.id = ending.id AND job.status = $12
        RETURNING job.id
      ), ended AS (
        UPDATE ${run} AS run SET finished_at = clock_timestamp(), outcome = ending.event, error = ending.error
        FROM ending JOIN settled USING (id)
        WHERE run.job_id = ANY($13) AND run.process_id = ending.process_id AND run.job_id = ending.id
      )`;

  /**
   * Records of an open run's jobs that are ended as they are made; those that are there are ended by `ended`. One may be made
   * for progress meanwhile: this statement began too early to see it, so it is left to the conflict. Counted, as the planner would make
   * a join of NOT EXISTS, and read the whole table for it.
   */
  const fresh = (processId: string): string =>
    `(SELECT count(*) FROM ${run} AS noted WHERE noted.job_id = has.id AND noted.process_id = ${processId}) = 0`;
  const endedMeanwhile = `ON CONFLICT (job_id, process_id) DO UPDATE SET
          finished_at = excluded.finished_at, outcome = excluded.outcome, error = excluded.error`;

  /** Of an open run: its end. $14 is not beyond the last of its jobs; those of them that are not settled by this have a record each. */
  const settledTogether = `${settled}, over AS (
        DELETE FROM ${openRun} WHERE last_id >= $14 AND process_id = ANY($2)
        RETURNING process_id, worker_id, started_at, job_ids
      ), kept AS (
        INSERT INTO ${run} (process_id, job_id, worker_id, started_at, finished_at, outcome, error)
        SELECT over.process_id, has.id, worker_id, started_at, CASE WHEN event IS NOT NULL THEN clock_timestamp() END, event, ending.error
        FROM over CROSS JOIN unnest(job_ids) AS has (id)
        LEFT JOIN (settled JOIN ending USING (id)) ON settled.id = has.id
        WHERE event IS DISTINCT FROM 'complete' AND ${fresh('over.process_id')}
        ${endedMeanwhile}
      )`;

  /**
   * NO KEY: stays out of the way of foreign keys to the job. The comparison of rows is the line in the sand. statement_timestamp():
   * now() would be the transaction's begin. So that the planner takes a plan for any values for as cheap as one for these, and does not
   * make one for each claim: a limit that is a parameter counts as a tenth of what there may be; and what it knows of the keys, that all are
   * busy for one, it does not look for in coalesce(). Beside a million settled and a million later jobs, or 100,000 of a busy key,
   * each claim of one job was planned anew, for half as much again of the server's time for the job.
   */
  const claim = (limit: string): string => `
      SELECT ${JOB} FROM ${job}
      WHERE queue = $1 AND status = 'new' AND due AND available_at <= statement_timestamp()
        AND (priority, id) > ($2, $3)
        AND kind = ANY($4)
        AND coalesce(key <> ALL($5), true)
      ORDER BY priority, id
      LIMIT ${limit}
      FOR NO KEY UPDATE SKIP LOCKED`;

  /** All jobs of some keys that somebody may run now: refused, if somebody has one. */
  const locked = (which: string): string => `locked AS MATERIALIZED (
        SELECT ${JOB} FROM ${job}
        WHERE queue = $1 AND ${which} AND status IN ('new', 'in-progress')
          AND (status = 'in-progress' OR available_at <= statement_timestamp())
        ORDER BY id
        FOR NO KEY UPDATE NOWAIT
      )`;

  /** Of jobs that are complete, without output: their settlement, if it is the same for all. */
  const completed = (which: string): string => `
        UPDATE ${job} SET
          status = 'complete',
          process_id = $2,
          attempt = $3,
          crashes = $4,
          output = NULL,
          error = NULL,
          started_at = clock_timestamp() - $5::float8 * interval '1 ms',
          started_by = $6,
          finished_at = clock_timestamp(),
          finished_by = $6
        WHERE ${which} AND status = $7
        RETURNING id
      `;

  const settledIds = 'SELECT id FROM settled';
  const allSettled = 'SELECT 1 / (count(*) = cardinality($1))::integer AS all_settled FROM settled';

  return {
    // One statement for one job and for thousands. ON CONFLICT DO NOTHING does not wait for a claim's row lock; DO
    // UPDATE would wait for the whole handler. Without a unique key nothing can conflict, and thousands take a fifth less. COPY
    // took as long as arrays do.
    enqueue: ({ given, unique, wakes }) => {
      const insert = `
      INSERT INTO ${job} (public_id, queue, kind, key, payload, priority, available_at, due, max_attempts,
                          unique_key, unique_scope, metadata, created_by)
      SELECT public_id, queue, kind, key, payload, priority,
             coalesce(to_timestamp(available_at / 1000), clock_timestamp() + delay * interval '1 ms'),
             coalesce(to_timestamp(available_at / 1000) <= clock_timestamp(), delay = 0),
             max_attempts, unique_key, coalesce(unique_scope, 'outstanding'), metadata, created_by
      FROM ${given}
      ORDER BY place
      ${unique ? 'ON CONFLICT DO NOTHING' : ''}`;
      if (!wakes) return unique ? `${insert} RETURNING public_id` : insert;
      const [channel, wakeUps] = [`$${AFTER_JOBS}`, `$${AFTER_JOBS + 1}`];
      // The subquery is done once, when there is a first row: with the commit of what is inserted workers are told of it.
      return `
      WITH inserted AS (${insert} RETURNING public_id),
      ${rung(wakeUps, 'EXISTS (SELECT FROM inserted)')}
      SELECT public_id, (SELECT count(pg_notify(${channel}, wake_up)) FROM unnest(${wakeUps}::text[]) AS wake_up)
      FROM inserted
      ${unique ? '' : 'LIMIT 1'}`;
    },

    findDuplicates: `
      SELECT given.place, found.public_id
      FROM unnest($1::text[], $2::text[]) WITH ORDINALITY AS given (kind, unique_key, place)
      JOIN ${job} AS found ON found.kind = given.kind AND found.unique_key = given.unique_key
       AND (found.unique_scope = 'ever' OR found.status IN ('new', 'in-progress'))`,

    notify: `WITH ${rung('$2')} SELECT pg_notify($1, wake_up) FROM unnest($2::text[]) AS wake_up`,

    // In a transaction of its own, which need not wait for the disk: nobody needs a notification after a power cut.
    // https://www.postgresql.org/docs/current/wal-async-commit.html
    notifySoon: `
      WITH ${rung('$2')}
      SELECT pg_notify($1, wake_up), set_config('synchronous_commit', 'off', true) FROM unnest($2::text[]) AS wake_up`,

    // Whatever the server's defaults: a claim and the locks after it must each see what is committed by then.
    begin: 'BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE',

    // For a session, or, LOCAL, for a transaction. The server lets go of a client that has vanished when it has been silent for
    // 20 s: asked for a sign of life after 10 s, 5 times; or when it does not take what is sent to it. Where that cannot be set,
    // as on a Unix socket, the server ignores it. A client that ends while its statement runs is noticed within a second.
    bounds: (scope, limitMs, { boundsTransactions, looksForClients }) =>
      [
        `idle_in_transaction_session_timeout = ${atLeast1(limitMs)}`,
        ...(boundsTransactions ? [`transaction_timeout = ${atLeast1(limitMs)}`] : []),
        ...(looksForClients ? ['client_connection_check_interval = 1000'] : []),
        'tcp_keepalives_idle = 10',
        'tcp_keepalives_interval = 2',
        'tcp_keepalives_count = 5',
        'tcp_user_timeout = 20000',
      ]
        .map((setting) => `SET ${scope} ${setting}`)
        .join('; '),

    claim: claim('$6'),

    claimOne: claim('1'),

    // Of several keys. The inner query locks them all, in one order for everybody; only the first of each key are returned.
    lockSiblings: `
      WITH ${locked('key = ANY($2)')}, placed AS (
        SELECT *, row_number() OVER (PARTITION BY key ORDER BY (status = 'in-progress') DESC, id) AS place FROM locked
      )
      SELECT * FROM placed WHERE place <= $3 ORDER BY key, place`,

    // The same of one key. A plan for any number of them counts with ten, so one was made each time, for 260 us a job. It still is where
    // statistics know few keys, of which one has most jobs.
    lockKey: `
      WITH ${locked('key = $2')}
      SELECT * FROM locked ORDER BY (status = 'in-progress') DESC, id LIMIT $3`,

    // A plain read answers: a job whose handler runs is still outstanding in what is committed. Materialized, because
    // for a bare min(id) the planner may walk the primary key through a key's whole history: 755 ms instead of 0.1 ms
    // with half a million settled jobs of the key.
    firstOutstanding: `
      WITH outstanding AS MATERIALIZED (
        SELECT id FROM ${job} WHERE key = $1 AND kind = ANY($2) AND status IN ('new', 'in-progress')
      )
      SELECT min(id) AS id FROM outstanding WHERE id < $3 AND id <> ALL($4)`,

    // What an open run has on record together is written out: a lease lasts, and may be of some of its jobs.
    lease: `
      WITH ${writtenOut('last_id >= $4 AND process_id = $1')}
      UPDATE ${job} SET status = 'in-progress', process_id = $1, leased_until = clock_timestamp() + $3 * interval '1 ms'
      WHERE id = ANY($2) AND status = 'new'`,

    // While the session idles, the server ignores it.
    stopStatement: 'SELECT pg_cancel_backend($1)',

    // Waits for those who look at the key's jobs just now. What this run has settled already is returned as well: a commit
    // whose answer was lost is found again.
    lockLeased: `
      SELECT id, status FROM ${job} WHERE id = ANY($2) AND process_id = $1
      ORDER BY id
      FOR NO KEY UPDATE`,

    // A job's record, for runs of one job each. $1 and $3 are as long as each other. If a run of these jobs is not finished, nothing is
    // written: the caller holds the jobs, so it has crashed, and is to be ended first. Jobs by ANY and not by a join: of a join, the
    // planner would read the whole table when it knows little of it. Everybody sees it at once; the flush comes beside the handlers,
    // by a statement of its own. https://www.postgresql.org/docs/current/wal-async-commit.html
    startRuns: `
      WITH ${known}, started AS (
        INSERT INTO ${run} (process_id, job_id, worker_id)
        SELECT process_id, job_id, worker_id FROM unnest($1::uuid[], $2::integer[], $3::bigint[])
          AS given (process_id, worker_id, job_id)
        WHERE NOT EXISTS (SELECT FROM known WHERE unfinished > 0)
          AND ${UNFLUSHED}
      )
      SELECT * FROM known`,

    // The same for a run of several jobs, or runs that share a transaction: one row, which goes with the settlement. A record for each
    // of 500 jobs took a third of the rate.
    startTogether: `
      WITH ${known}, started AS (
        INSERT INTO ${openRun} (process_id, worker_id, job_ids, first_id, last_id)
        SELECT $1::uuid, $2::integer, $3::bigint[], $4::bigint, $5::bigint
        WHERE NOT EXISTS (SELECT FROM known WHERE unfinished > 0)
          AND ${UNFLUSHED}
      )
      SELECT * FROM known`,

    // A commit that writes to the log is answered when the log is on the disk up to it, and so all that was committed before. A message
    // in the log is the least that can be written.
    flush: `SELECT FROM pg_logical_emit_message(true, 'rowlock', '')`,

    writeOut: `WITH ${writtenOut(has('$1', '$2', '$3'))} SELECT`,

    endCrashed: `
      UPDATE ${run} SET finished_at = clock_timestamp(), outcome = 'reclaim' WHERE job_id = ANY($1) AND finished_at IS NULL`,

    // Of an open run, into records that are made for it.
    noteProgress: `
      WITH noted AS (
        UPDATE ${run} SET progress = $3 WHERE job_id = ANY($1) AND process_id = $2 AND finished_at IS NULL
      )
      INSERT INTO ${run} (process_id, job_id, worker_id, started_at, progress)
      SELECT process_id, has.id, worker_id, started_at, $3::jsonb
      FROM ${openRun}, unnest(job_ids) AS has (id)
      WHERE last_id >= ANY($1) AND process_id = $2 AND has.id = ANY($1)
      ON CONFLICT DO NOTHING`,

    release: `
      WITH over AS (
        DELETE FROM ${openRun} WHERE last_id >= $3 AND process_id = $2 RETURNING worker_id, started_at, job_ids
      ), ended AS (
        UPDATE ${run} SET finished_at = clock_timestamp(), outcome = 'release' WHERE job_id = ANY($1) AND process_id = $2
      )
      INSERT INTO ${run} (process_id, job_id, worker_id, started_at, finished_at, outcome)
      SELECT $2, has.id, worker_id, started_at, clock_timestamp(), 'release' FROM over CROSS JOIN unnest(job_ids) AS has (id)
      WHERE ${fresh('$2')}
      ${endedMeanwhile}`,

    // Of a job that is complete the run's record stays as it is: the row has the run's id, and says when. To write it as well
    // took a third of the rate of a queue of small jobs. Jobs by ANY: see startRuns.
    settle: `${settled} ${settledIds}`,

    // With a COMMIT right behind it: fails, and all is rolled back, unless everything was written.
    settleAll: `${settled} ${allSettled}`,

    // The same at the end of an open run.
    settleTogether: `${settledTogether} ${settledIds}`,

    settleAllTogether: `${settledTogether} ${allSettled}`,

    // The same for a job that is complete, without output: what most settlements are. Its plan does for any job; that for any
    // number of them would count with ten, so they are planned each time.
    complete: completed('id = $1'),

    settleComplete: `
      WITH settled AS (${completed('id = $1')})
      SELECT 1 / count(*)::integer AS all_settled FROM settled`,

    // And for jobs that are all complete, without output, and whose settlements differ in nothing: a sixth less of the server's
    // time than with a run's id for each, and that a fifth less than with a row of values for each.
    settleAlike: `
      WITH settled AS (${completed('id = ANY($1::bigint[])')}), over AS (
        DELETE FROM ${openRun} WHERE last_id = $8 AND process_id = $2 AND cardinality(job_ids) = cardinality($1)
      )
      ${allSettled}`,

    // The subqueries per queue each walk their own part of an index. Without its order, the last one would be planned as
    // a scan of the table.
    survey: `
      WITH promoted AS (
        UPDATE ${job} SET due = true
        WHERE id = ANY(ARRAY(
          SELECT id FROM ${job}
          WHERE queue = ANY($1) AND status = 'new' AND NOT due AND available_at <= statement_timestamp()
          ORDER BY available_at
          LIMIT 1000
          FOR NO KEY UPDATE SKIP LOCKED
        ))
        RETURNING id
      )
      SELECT (SELECT count(*) FROM promoted) AS promoted,
             (SELECT extract(epoch FROM min(later.at) - statement_timestamp()) * 1000
              FROM unnest($1::text[]) AS lane (queue)
              CROSS JOIN LATERAL (
                SELECT min(available_at) AS at FROM ${job}
                WHERE job.queue = lane.queue AND status = 'new' AND NOT due AND available_at > statement_timestamp()
              ) AS later) AS next_due_ms,
             EXISTS (
               SELECT FROM unnest($1::text[]) AS lane (queue)
               CROSS JOIN LATERAL (
                 SELECT FROM ${job}
                 WHERE job.queue = lane.queue AND status = 'new' AND due AND available_at <= statement_timestamp()
                   AND kind = ANY($2)
                 ORDER BY priority, id
                 LIMIT 1
               ) AS found) AS waiting,
             EXISTS (SELECT FROM ${job} WHERE queue = ANY($1) AND status = 'in-progress') AS leased`,

    // Without its process_id a job that was put back is no longer found by a run that would settle it.
    // The last condition of the lock is looked at again when the row is locked: it may have been settled, and leased anew.
    reclaim: `
      WITH ${alive}, leased AS MATERIALIZED (
        SELECT job.id, job.process_id, run.worker_id, leased_until < clock_timestamp() AS over,
               run.worker_id NOT IN (SELECT id FROM alive) AS lapsed
        FROM ${job} AS job JOIN ${run} AS run ON run.process_id = job.process_id AND run.job_id = job.id
        WHERE job.queue = ANY($2) AND job.status = 'in-progress'
      ), free AS (
        SELECT job.id FROM ${job} AS job JOIN leased ON job.id = leased.id
        WHERE (over OR (lapsed AND leased.worker_id = ANY($3)))
          AND job.status = 'in-progress' AND job.process_id = leased.process_id
        FOR NO KEY UPDATE OF job SKIP LOCKED
      ), reclaimed AS (
        UPDATE ${job} AS job SET status = 'new', process_id = NULL FROM free WHERE job.id = free.id RETURNING job.id
      )
      SELECT (SELECT count(*) FROM reclaimed) AS reclaimed,
             (SELECT coalesce(jsonb_agg(DISTINCT worker_id::text), '[]') FROM leased WHERE lapsed) AS lapsed`,

    history: `SELECT ${ENTRY} FROM ${job} WHERE id > $1 ORDER BY id LIMIT $2`,

    historyBack: `SELECT ${ENTRY} FROM ${job} WHERE id < $1 ORDER BY id DESC LIMIT $2`,

    // By the primary key alone: an index for it would cost each settlement one more entry. The conditions of the lock are looked at
    // again when the row is locked: it may have been redriven, and settled anew.
    prune: `
      WITH free AS MATERIALIZED (
        SELECT id FROM ${job}
        WHERE id = ANY($1) AND status IN ('complete', 'error', 'cancelled')
          AND finished_at <= statement_timestamp() - $2 * interval '1 ms'
        ORDER BY id
        FOR UPDATE SKIP LOCKED
      ), pruned AS (
        DELETE FROM ${job} WHERE id = ANY(ARRAY(SELECT id FROM free)) RETURNING id
      ), forgotten AS (
        DELETE FROM ${run} WHERE job_id = ANY(ARRAY(SELECT id FROM pruned))
      )
      SELECT count(*) AS pruned FROM pruned`,

    takePruneTurn: `
      UPDATE ${worker} SET prunes_until = clock_timestamp() + $2 * interval '1 ms'
      WHERE id = $1 AND NOT EXISTS (SELECT FROM ${worker} WHERE prunes_until > statement_timestamp() AND id <> $1)
      RETURNING id`,

    // The newest run tells whether a live worker has the job: hold writes nothing into the row. The two lists of
    // states together are all of them; apart, each lets its partial index be used for a key.
    list: `
      WITH ${alive}
      SELECT job.id, public_id, queue, kind, key, payload, priority, attempt, max_attempts, crashes, metadata,
             unique_key, output, job.error, created_by, started_by, finished_by,
             CASE WHEN held THEN 'in-progress' ELSE status END AS status,
             CASE WHEN held THEN last.process_id ELSE job.process_id END AS process_id,
             CASE WHEN held THEN worker.name END AS worker,
             last.progress,
             extract(epoch FROM created_at) * 1000 AS created_at,
             extract(epoch FROM available_at) * 1000 AS available_at,
             extract(epoch FROM CASE WHEN held THEN last.started_at ELSE job.started_at END) * 1000 AS started_at,
             extract(epoch FROM job.finished_at) * 1000 AS finished_at
      FROM ${job} AS job
      LEFT JOIN LATERAL (
        SELECT process_id, worker_id, progress, started_at, finished_at FROM ${run} WHERE job_id = job.id
        UNION ALL
        SELECT process_id, worker_id, NULL, started_at, NULL FROM ${openRun}
        WHERE last_id >= job.id AND first_id <= job.id AND job.id = ANY(job_ids)
        ORDER BY started_at DESC, progress LIMIT 1
      ) AS last ON true
      LEFT JOIN ${worker} AS worker ON worker.id = last.worker_id
      CROSS JOIN LATERAL (
        SELECT coalesce(last.finished_at IS NULL AND status IN ('new', 'in-progress')
                        AND last.worker_id IN (SELECT id FROM alive), false) AS held
      ) AS state
      WHERE ($2::uuid IS NULL OR public_id = $2)
        AND ($3::text IS NULL OR queue = $3)
        AND ($4::text IS NULL OR kind = $4)
        AND ($5::text IS NULL OR key = $5)
        AND ($6::text IS NULL OR status = $6)
        AND ($7::bigint IS NULL OR job.id < $7)
        AND (status IN ('new', 'in-progress') OR status IN ('complete', 'error', 'cancelled'))
      ORDER BY job.id DESC
      LIMIT $8`,

    count: `
      SELECT status, count(*) AS jobs FROM ${job}
      WHERE ($1::text IS NULL OR queue = $1)
        AND ($2::text IS NULL OR kind = $2)
        AND ($3::text IS NULL OR key = $3)
        AND ($4::text IS NULL OR status = $4)
        AND (status IN ('new', 'in-progress') OR status IN ('complete', 'error', 'cancelled'))
      GROUP BY status`,

    // $2: where the event may start; $3: where it leads.
    move: `
      WITH free AS (
        SELECT id, status FROM ${job} WHERE public_id = $1 FOR NO KEY UPDATE SKIP LOCKED
      ), moved AS (
        UPDATE ${job} AS job SET
          status = $3::text,
          attempt = CASE $3::text WHEN 'new' THEN 0 ELSE job.attempt END,
          error = CASE $3::text WHEN 'new' THEN NULL ELSE job.error END,
          due = CASE $3::text WHEN 'new' THEN true ELSE due END,
          available_at = CASE $3::text WHEN 'new' THEN clock_timestamp() ELSE available_at END,
          finished_at = CASE $3::text WHEN 'new' THEN NULL ELSE clock_timestamp() END,
          finished_by = CASE $3::text WHEN 'new' THEN NULL ELSE $4 END
        FROM free
        WHERE job.id = free.id AND free.status = ANY($2)
        RETURNING job.id
      )
      SELECT status, EXISTS (SELECT FROM free) AS free, EXISTS (SELECT FROM moved) AS moved
      FROM ${job} WHERE public_id = $1`,

    // One that is alive may be without its session for a moment: hence the month for those who did not say that they stop.
    forgetWorkers: `
      WITH ${alive}
      DELETE FROM ${worker} WHERE id = ANY(ARRAY(
        SELECT id FROM ${worker}
        WHERE coalesce(stopped_at, alive_until, started_at + interval '30 days') < statement_timestamp() - interval '1 day'
          AND id NOT IN (SELECT id FROM alive)
        ORDER BY id
        LIMIT 1000
        FOR UPDATE SKIP LOCKED
      ))`,

    // What is left of them.
    forgetRuns: `WITH ${writtenOut(`NOT EXISTS (SELECT FROM ${worker} AS worker WHERE worker.id = worker_id)`)} SELECT`,

    addWorker: `INSERT INTO ${worker} (name, host, pid, queues) VALUES ($1, $2, $3, $4) RETURNING id`,

    backend: 'SELECT pg_backend_pid() AS pid',

    // Takes no transaction id and goes with the session: the proof that the worker is alive.
    holdAnchor: `SELECT pg_try_advisory_lock($1, $2) AS held`,

    // The proof again, and the question whether anybody is there.
    holdsAnchor: `
      SELECT EXISTS (SELECT FROM ${ANCHORS} AND objid = $2::bigint::oid AND pid = pg_backend_pid()) AS held`,

    // Whoever holds the worker's lock is that worker's session; by the number it is the one that was lost.
    endAnchor: `
      SELECT pg_terminate_backend(pid) FROM ${ANCHORS} AND objid = $2::bigint::oid AND pid = $3`,

    letAnchorGo: `SELECT pg_advisory_unlock($1, $2)`,

    // So the server lets go of the locks of a client that is silently gone within 20 s, after that client knows it: see
    // keepAsking. Sockets of other sorts, and systems without these, ignore them.
    keepAlive: `
      SELECT set_config('tcp_keepalives_idle', '10', false), set_config('tcp_keepalives_interval', '3', false),
             set_config('tcp_keepalives_count', '3', false), set_config('tcp_user_timeout', '15000', false)`,

    // Need not wait for the disk: nobody needs a beat after a power cut.
    beat: `
      UPDATE ${worker} SET alive_until = clock_timestamp() + $2 * interval '1 ms'
      WHERE id = $1 AND stopped_at IS NULL
      RETURNING set_config('synchronous_commit', 'off', true)`,

    // What is committed now and was not at the snapshot of the last look: each ring once, in whatever order they commit.
    // Without a last look, nothing.
    hear: `
      SELECT pg_current_snapshot()::text AS seen,
             (SELECT coalesce(jsonb_agg(wake_up ORDER BY id), '[]') FROM ${bell}
              WHERE rung_in >= pg_snapshot_xmin($1::pg_snapshot)
                AND NOT pg_visible_in_snapshot(rung_in, $1::pg_snapshot)) AS wake_ups`,

    pruneBell: `DELETE FROM ${bell} WHERE rung_at < statement_timestamp() - interval '1 minute'`,

    // Nor does this, which would make the jobs' commits wait.
    reportLines: `
      UPDATE ${worker} SET lines = $2 WHERE id = $1 RETURNING set_config('synchronous_commit', 'off', true)`,

    stopWorker: `UPDATE ${worker} SET stopped_at = clock_timestamp(), alive_until = NULL, lines = '{}' WHERE id = $1`,

    workers: `
      WITH ${alive}
      SELECT id, name, host, pid, to_jsonb(queues) AS queues, lines, extract(epoch FROM started_at) * 1000 AS started_at,
             id IN (SELECT id FROM alive) AS alive
      FROM ${worker}
      WHERE id IN (SELECT id FROM alive)
         OR coalesce(stopped_at, started_at) > clock_timestamp() - interval '1 hour'
      ORDER BY id DESC
      LIMIT 1000`,

    schemaVersion: `SELECT coalesce(max(version), 0) AS version FROM ${migration}`,
  };
}

/** 0 would be no limit. */
function atLeast1(ms: number): number {
  return Math.max(1, Math.round(ms));
}

/** The anchors' locks in pg_locks. $1 is their class, unsigned. */
const ANCHORS = `pg_locks
        WHERE locktype = 'advisory' AND classid = $1::bigint::oid AND objsubid = 2 AND granted
          AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`;
