import { identifier } from './identifier.js';

const MS_EPOCH = "TIMESTAMPDIFF(MICROSECOND, '1970-01-01', ";
const ms = (column: string): string => `${MS_EPOCH}${column}) / 1000`;

/** The columns of a job as a worker holds it: ids, JSON and times as text, whatever the connection's settings. */
const JOB = `CAST(job.id AS CHAR) AS id, job.public_id, job.queue, job.kind, job.\`key\`,
  CAST(job.payload AS CHAR) AS payload, job.priority, job.status, job.attempt, job.max_attempts, job.crashes,
  CAST(job.metadata AS CHAR) AS metadata, CAST(${ms('job.created_at')} AS CHAR) AS created_at`;

/** What a group is made of: what is due, and what a lease has. */
const RUNS_NOW = `(status = 'in-progress' OR (status = 'new' AND available_at <= UTC_TIMESTAMP(6)))`;

/** What decides how long a job is kept. Whole milliseconds, rounded down: a job is never taken for older than it is. */
const ENTRY = `CAST(job.id AS CHAR) AS id, queue, status,
  CAST(FLOOR(TIMESTAMPDIFF(MICROSECOND, created_at, UTC_TIMESTAMP(6)) / 1000) AS CHAR) AS created_ms,
  CAST(FLOOR(TIMESTAMPDIFF(MICROSECOND, finished_at, UTC_TIMESTAMP(6)) / 1000) AS CHAR) AS settled_ms`;

/** Every SQL text of the driver, in the order of the flow. A list of placeholders comes in as `places`, given rows as a table of them. */
export interface Statements {
  readonly enqueue: (given: string) => string;
  readonly findDuplicates: (jobs: number) => string;
  readonly findSeen: (jobs: number) => string;
  readonly committed: (publicIds: string) => string;
  readonly ring: string;
  readonly begin: string;
  readonly idleLimit: (seconds: number) => string;
  readonly claim: (from: 'start' | 'line', kinds: string, busy: string) => string;
  readonly claimFromPage: (from: 'start' | 'line', kinds: string, busy: string) => string;
  readonly keysOfPage: (from: 'start' | 'line', kinds: string, busy: string) => string;
  readonly siblings: (given: string) => string;
  readonly lockSiblings: (ids: string) => string;
  readonly lockManySiblings: (ids: string) => string;
  readonly locked: (ids: string) => string;
  readonly lockAgain: (ids: string) => string;
  readonly firstOutstanding: (kinds: string, except: string) => string;
  readonly lease: (ids: string) => string;
  readonly lockLeased: (ids: string) => string;
  readonly startRuns: (given: string) => string;
  readonly startTogether: (given: string) => string;
  readonly findRuns: (given: string) => string;
  readonly endCrashedRuns: (given: string) => string;
  readonly startKnownRuns: (given: string) => string;
  readonly startKnownTogether: string;
  readonly findOpenRun: string;
  readonly outstanding: (ids: string) => string;
  readonly writeOut: (given: string) => string;
  readonly endOpenRun: string;
  readonly noteProgress: (ids: string) => string;
  readonly release: (given: string) => string;
  readonly settle: (endings: string) => string;
  readonly settleAlike: (ids: string) => string;
  readonly settledBy: (ids: string) => string;
  readonly endRuns: (endings: string) => string;
  readonly endTogether: string;
  readonly findLater: string;
  readonly lockLater: (ids: string) => string;
  readonly promote: (ids: string) => string;
  readonly nextDue: string;
  readonly waiting: (kinds: string) => string;
  readonly leased: string;
  readonly lapsed: string;
  readonly lockLapsed: (ids: string) => string;
  readonly reclaim: (ids: string) => string;
  readonly history: string;
  readonly historyBack: string;
  readonly lockSettled: (ids: string) => string;
  readonly prune: (ids: string) => string;
  readonly pruneRuns: (ids: string) => string;
  readonly findPruner: string;
  readonly takePruneTurn: string;
  readonly list: (where: string) => string;
  readonly count: (where: string) => string;
  readonly find: string;
  readonly lockOne: string;
  readonly move: string;
  readonly findGone: string;
  readonly forgetWorkers: (ids: string) => string;
  readonly findForgotten: string;
  readonly addWorker: string;
  readonly holdAnchor: string;
  readonly holdsAnchor: string;
  readonly anchorHolder: string;
  readonly self: string;
  readonly nap: string;
  readonly sleep: (late: string) => string;
  readonly writes: string;
  readonly rung: (late: string) => string;
  readonly heard: (late: string) => string;
  readonly lastRings: string;
  readonly findRings: (rings: string) => string;
  readonly sleepers: string;
  readonly onlyReads: string;
  readonly pruneBell: string;
  readonly beat: string;
  readonly reportLines: string;
  readonly stopWorker: string;
  readonly workers: string;
  readonly schemaVersion: string;
}

export function statements(schema: string): Statements {
  const table = (name: string): string => `${identifier(schema)}.rowlock_${name}`;
  const [job, run, openRun, worker, bell, migration] = [
    'job',
    'run',
    'open_run',
    'worker',
    'bell',
    'migration',
  ].map(table);

  const isRunnable = (kinds: string, busy: string): string =>
    `place.available_at <= UTC_TIMESTAMP(6) AND place.kind IN (${kinds}) AND (place.\`key\` IS NULL OR place.\`key\` NOT IN (${busy}))`;

  const places = (range: string, order: string, kinds: string, busy: string): string => `
        (SELECT place.id, place.priority, place.\`key\` FROM ${job} AS place FORCE INDEX (job_claim)
         WHERE queue = ? AND claimable = 1 ${range} AND ${isRunnable(kinds, busy)}
         ORDER BY ${order} LIMIT ?)`;

  // A page of what a claim looks at, in its order: from the first job on, or from the line, in the two halves that are its ranges,
  // each walked by the index alone.
  const page = (from: 'start' | 'line', kinds: string, busy: string): string =>
    from === 'start'
      ? `${places('', 'place.priority, place.id', kinds, busy)} AS candidate`
      : `(${places('AND priority = ? AND id > ?', 'place.id', kinds, busy)}
        UNION ALL${places('AND priority > ?', 'place.priority, place.id', kinds, busy)}
      ) AS candidate`;

  const lockedSiblings = (ids: string): string => `
      FROM ${job} AS job FORCE INDEX (PRIMARY)
      WHERE id IN (${ids}) AND ${RUNS_NOW}
      ORDER BY job.id
      FOR UPDATE NOWAIT`;

  return {
    // No INSERT IGNORE: it would cut what is too long. No ON DUPLICATE KEY UPDATE: it waits for a running handler. A plain
    // INSERT of a duplicate is refused at once; then the ones that are there are looked up and left out.
    enqueue: (given) => `
      INSERT INTO ${job} (public_id, queue, kind, \`key\`, payload, priority, available_at, due, max_attempts,
                          unique_key, unique_scope, metadata, created_by)
      SELECT public_id, queue, kind, job_key, payload, priority,
             COALESCE('1970-01-01' + INTERVAL ROUND(available_at * 1000) MICROSECOND,
                      UTC_TIMESTAMP(6) + INTERVAL ROUND(delay * 1000) MICROSECOND),
             COALESCE('1970-01-01' + INTERVAL ROUND(available_at * 1000) MICROSECOND <= UTC_TIMESTAMP(6), delay = 0),
             max_attempts, unique_key, COALESCE(unique_scope, 'outstanding'), metadata, created_by
      FROM ${given}
      ORDER BY place`,

    findDuplicates: (jobs) => `
      SELECT taken_key, public_id FROM ${job} FORCE INDEX (job_unique)
      WHERE taken_key IN (${repeated(jobs, '?')})`,

    // A range with almost nothing in it but its end: of one key of a unique index a plain read would stop at the row that had it
    // when the snapshot was made, and not come to the one that this transaction has inserted.
    findSeen: (jobs) => `
      SELECT taken_key, public_id FROM ${job} FORCE INDEX (job_unique)
      WHERE ${Array.from({ length: jobs }, () => '(taken_key > ? AND taken_key <= ?)').join(' OR ')}`,

    committed: (publicIds) => `SELECT public_id FROM ${job} WHERE public_id IN (${publicIds})`,

    ring: `INSERT INTO ${bell} (wake_up) VALUES (?)`,

    // The isolation level is the connection's: see prepareSession.
    begin: 'START TRANSACTION',

    // The server ends the connection of a claim that idles for longer, and with it the transaction.
    idleLimit: (seconds) => `SET SESSION wait_timeout = ${Math.ceil(seconds)}`,

    // `place` is a plain read of the claim's index, and locks nothing: a locking read of an index locks the index's records too, in an
    // order of its own, and with claims, sibling locks and settlements on three indexes that gave a deadlock in some thousand claims.
    // Only `job` is locked, by primary key, one row after the other as the index has them, so that LIMIT locks as many as it returns.
    claim: (from, kinds, busy) => `
      SELECT ${JOB} FROM ${job} AS place FORCE INDEX (job_claim)
      STRAIGHT_JOIN ${job} AS job FORCE INDEX (PRIMARY) ON job.id = place.id
      WHERE place.queue = ? AND place.claimable = 1
        ${from === 'start' ? '' : 'AND ((place.priority = ? AND place.id > ?) OR place.priority > ?)'}
        AND ${isRunnable(kinds, busy)} AND job.status = 'new' AND job.available_at <= UTC_TIMESTAMP(6)
      ORDER BY place.priority, place.id
      LIMIT ?
      FOR UPDATE OF job SKIP LOCKED`,

    // MariaDB has no OF. So the places, in brackets, are read first, and then locked in their order: an ORDER BY would lock all.
    claimFromPage: (from, kinds, busy) => `
      SELECT ${JOB} FROM ${page(from, kinds, busy)}
      STRAIGHT_JOIN ${job} AS job FORCE INDEX (PRIMARY) ON job.id = candidate.id
      WHERE job.status = 'new' AND job.available_at <= UTC_TIMESTAMP(6)
      LIMIT ?
      FOR UPDATE SKIP LOCKED`,

    // Whether a claim has looked at all there are, and whose they are.
    keysOfPage: (from, kinds, busy) => `
      SELECT candidate.\`key\`, COUNT(*) AS jobs FROM ${page(from, kinds, busy)} GROUP BY candidate.\`key\``,

    // A join, in which the server looks up each key by itself. Not in an order: where MariaDB 10.11 has to sort, it at times
    // takes `outstanding` for NULL in all rows, and finds none.
    siblings: (given) => `
      SELECT CAST(job.id AS CHAR) AS id, job.\`key\` FROM ${given}
      STRAIGHT_JOIN ${job} AS job FORCE INDEX (job_entity) ON job.\`key\` = given.entity
      WHERE outstanding = 1 AND queue = ? AND ${RUNS_NOW}
      LIMIT ?`,

    // Looked at again when they are locked: one may have been settled meanwhile, or put off.
    lockSiblings: (ids) => `SELECT ${JOB} ${lockedSiblings(ids)}`,

    // Of a key that has many more jobs than are wanted: the wanted ones are read when it is known which they are.
    lockManySiblings: (ids) =>
      `SELECT CAST(job.id AS CHAR) AS id, job.\`key\`, job.status ${lockedSiblings(ids)}`,

    locked: (ids) => `SELECT ${JOB} FROM ${job} AS job FORCE INDEX (PRIMARY) WHERE id IN (${ids})`,

    // After a deadlock. Whoever has had a job meanwhile has counted an attempt, has put it off, or has it still.
    lockAgain: (ids) => `
      SELECT CAST(job.id AS CHAR) AS id, job.attempt FROM ${job} AS job FORCE INDEX (PRIMARY)
      WHERE id IN (${ids}) AND status = 'new' AND available_at <= UTC_TIMESTAMP(6)
      ORDER BY job.id
      FOR UPDATE NOWAIT`,

    // A plain read answers: a job whose handler runs is still outstanding in what is committed.
    firstOutstanding: (kinds, except) => `
      SELECT CAST(MIN(id) AS CHAR) AS id FROM ${job} FORCE INDEX (job_entity)
      WHERE \`key\` = ? AND outstanding = 1 AND kind IN (${kinds}) AND id > ? AND id < ? AND id NOT IN (${except})`,

    lease: (ids) => `
      UPDATE ${job} SET status = 'in-progress', process_id = ?,
                        leased_until = UTC_TIMESTAMP(6) + INTERVAL ROUND(? * 1000) MICROSECOND
      WHERE id IN (${ids}) AND status = 'new'`,

    // Waits for those who look at the key's jobs just now. What this run has settled already is returned as well: a commit
    // whose answer was lost is found again.
    lockLeased: (ids) => `
      SELECT CAST(job.id AS CHAR) AS id, status FROM ${job} AS job FORCE INDEX (PRIMARY)
      WHERE id IN (${ids}) AND process_id = ?
      ORDER BY job.id
      FOR UPDATE`,

    // For runs of one job each. Of jobs that had runs before nothing is written: with LEFT JOINs, which keep the order, and by which each
    // job is looked up by itself.
    startRuns: (given) => `
      INSERT INTO ${run} (job_id, process_id, worker_id)
      SELECT given.job_id, given.process_id, given.worker_id FROM ${given}
      LEFT JOIN ${run} AS earlier FORCE INDEX (PRIMARY) ON earlier.job_id = given.job_id
      LEFT JOIN ${openRun} AS open ON open.last_id >= given.job_id AND open.first_id <= given.job_id
      WHERE earlier.job_id IS NULL AND open.last_id IS NULL`,

    // A run of several jobs, or runs that share a transaction, in one row, which goes with the settlement. A record for each of 500
    // jobs took a quarter to four tenths of the rate.
    startTogether: (given) => `
      INSERT INTO ${openRun} (process_id, worker_id, first_id, last_id, job_ids)
      SELECT ?, ?, ?, ?, ? FROM DUAL
      WHERE NOT EXISTS (
          SELECT 1 FROM ${given} STRAIGHT_JOIN ${run} AS earlier FORCE INDEX (PRIMARY) ON earlier.job_id = given.job_id)
        AND NOT EXISTS (SELECT 1 FROM ${openRun} AS open WHERE open.last_id >= ? AND open.first_id <= ?)`,

    // By a join: for 500 jobs an IN took the server 3.9 ms, and this 1.1. The rows without an id are open runs that may have some of
    // these jobs: those that lie where these do.
    findRuns: (given) => `
      SELECT CAST(given.job_id AS CHAR) AS id, COUNT(*) AS earlier_runs,
             CAST(SUM(outcome IS NULL OR outcome = 'reclaim') AS SIGNED) AS crashes,
             CAST(SUM(outcome IS NULL) AS SIGNED) AS unfinished, NULL AS process_id, NULL AS job_ids
      FROM ${given} STRAIGHT_JOIN ${run} AS run FORCE INDEX (PRIMARY)
        ON run.job_id = given.job_id AND run.process_id <> given.process_id
      GROUP BY given.job_id
      UNION ALL
      SELECT NULL, 0, 0, 0, process_id, CAST(job_ids AS CHAR) FROM ${openRun} WHERE last_id >= ? AND first_id <= ?`,

    endCrashedRuns: (given) => `
      UPDATE ${given} STRAIGHT_JOIN ${run} AS run FORCE INDEX (PRIMARY)
        ON run.job_id = given.job_id AND run.process_id <> given.process_id
      SET run.finished_at = UTC_TIMESTAMP(6), run.outcome = 'reclaim'
      WHERE run.finished_at IS NULL`,

    // Whatever is known of these jobs. Those that were written stay.
    startKnownRuns: (given) => `
      INSERT INTO ${run} (job_id, process_id, worker_id) SELECT job_id, process_id, worker_id FROM ${given}
      ON DUPLICATE KEY UPDATE progress = ${run}.progress`,

    startKnownTogether: `
      INSERT INTO ${openRun} (process_id, worker_id, first_id, last_id, job_ids) VALUES (?, ?, ?, ?, ?)`,

    findOpenRun: `
      SELECT CAST(last_id AS CHAR) AS last_id, CAST(job_ids AS CHAR) AS job_ids FROM ${openRun} WHERE last_id >= ? AND process_id = ?`,

    outstanding: (ids) => `
      SELECT CAST(job.id AS CHAR) AS id FROM ${job} AS job FORCE INDEX (PRIMARY)
      WHERE id IN (${ids}) AND status IN ('new', 'in-progress')`,

    // A job that has a record of it, for its progress, keeps that.
    writeOut: (given) => `
      INSERT INTO ${run} (job_id, process_id, worker_id, started_at)
      SELECT given.job_id, open.process_id, open.worker_id, open.started_at
      FROM ${given} STRAIGHT_JOIN ${openRun} AS open ON open.last_id = ? AND open.process_id = given.process_id
      ON DUPLICATE KEY UPDATE progress = ${run}.progress`,

    endOpenRun: `DELETE FROM ${openRun} WHERE last_id = ? AND process_id = ?`,

    noteProgress: (ids) =>
      `UPDATE ${run} SET progress = ? WHERE job_id IN (${ids}) AND process_id = ? AND finished_at IS NULL`,

    release: (given) => `
      UPDATE ${given} STRAIGHT_JOIN ${run} AS run FORCE INDEX (PRIMARY)
        ON run.job_id = given.job_id AND run.process_id = given.process_id
      SET run.finished_at = UTC_TIMESTAMP(6), run.outcome = 'release'`,

    // By primary key alone; the rows are locked already, so this waits for nobody. STRAIGHT_JOIN, because in a table of a few
    // rows the optimizer would rather read, and lock, all of them.
    settle: (endings) => `
      UPDATE ${endings}
      STRAIGHT_JOIN ${job} AS job FORCE INDEX (PRIMARY) ON job.id = ending.id
      SET job.status = ending.status,
          job.process_id = ending.process_id,
          job.attempt = ending.attempt,
          job.crashes = ending.crashes,
          job.output = ending.output,
          job.error = ending.error,
          job.due = IF(ending.status = 'new', ending.delay = 0, job.due),
          job.available_at = IF(ending.status = 'new',
            UTC_TIMESTAMP(6) + INTERVAL ROUND(ending.delay * 1000) MICROSECOND, job.available_at),
          job.started_at = UTC_TIMESTAMP(6) - INTERVAL ROUND(ending.took * 1000) MICROSECOND,
          job.started_by = ending.settled_by,
          job.finished_at = IF(ending.status = 'new', NULL, UTC_TIMESTAMP(6)),
          job.finished_by = IF(ending.status = 'new', NULL, ending.settled_by)
      WHERE job.status = ?`,

    // The same for jobs that have ended for good, and whose settlements differ in nothing: one job, or those of a batch.
    settleAlike: (ids) => `
      UPDATE ${job} FORCE INDEX (PRIMARY)
      SET process_id = ?, status = ?, attempt = ?, crashes = ?, output = ?, error = ?,
          started_at = UTC_TIMESTAMP(6) - INTERVAL ROUND(? * 1000) MICROSECOND, started_by = ?,
          finished_at = UTC_TIMESTAMP(6), finished_by = ?
      WHERE id IN (${ids}) AND status = ?`,

    settledBy: (endings) => `
      SELECT CAST(job.id AS CHAR) AS id FROM ${endings}
      STRAIGHT_JOIN ${job} AS job FORCE INDEX (PRIMARY) ON job.id = ending.id AND job.process_id = ending.process_id`,

    endRuns: (endings) => `
      UPDATE ${endings}
      STRAIGHT_JOIN ${run} AS run FORCE INDEX (PRIMARY) ON run.job_id = ending.id AND run.process_id = ending.process_id
      SET run.finished_at = UTC_TIMESTAMP(6), run.outcome = ending.event, run.error = ending.error`,

    endTogether: `
      DELETE FROM ${openRun} WHERE last_id = ? AND process_id = ? AND JSON_LENGTH(job_ids) = ?`,

    findLater: `
      SELECT CAST(id AS CHAR) AS id FROM ${job} FORCE INDEX (job_later)
      WHERE queue = ? AND later = 1 AND available_at <= UTC_TIMESTAMP(6)
      ORDER BY available_at
      LIMIT 1000`,

    lockLater: (ids) => `
      SELECT CAST(job.id AS CHAR) AS id FROM ${job} AS job FORCE INDEX (PRIMARY)
      WHERE id IN (${ids}) AND status = 'new' AND NOT due
      ORDER BY job.id
      FOR UPDATE SKIP LOCKED`,

    promote: (ids) => `UPDATE ${job} SET due = TRUE WHERE id IN (${ids})`,

    nextDue: `
      SELECT CAST(TIMESTAMPDIFF(MICROSECOND, UTC_TIMESTAMP(6), available_at) / 1000 AS CHAR) AS next_due_ms
      FROM ${job} FORCE INDEX (job_later)
      WHERE queue = ? AND later = 1 AND available_at > UTC_TIMESTAMP(6)
      ORDER BY available_at
      LIMIT 1`,

    waiting: (kinds) => `
      SELECT 1 FROM ${job} FORCE INDEX (job_claim)
      WHERE queue = ? AND claimable = 1 AND available_at <= UTC_TIMESTAMP(6) AND kind IN (${kinds})
      ORDER BY priority, id
      LIMIT 1`,

    leased: `SELECT 1 FROM ${job} FORCE INDEX (job_leased) WHERE queue = ? AND leased = 1 LIMIT 1`,

    lapsed: `
      SELECT CAST(job.id AS CHAR) AS id, job.process_id, CAST(run.worker_id AS CHAR) AS worker_id,
             CAST(leased_until < UTC_TIMESTAMP(6) AS SIGNED) AS is_over,
             CAST(NOT ${alive('run.worker_id')} AS SIGNED) AS is_lapsed
      FROM ${job} AS job FORCE INDEX (job_leased)
      JOIN ${run} AS run ON run.job_id = job.id AND run.process_id = job.process_id
      LEFT JOIN ${worker} AS worker ON worker.id = run.worker_id
      WHERE job.queue = ? AND job.leased = 1
        AND (leased_until < UTC_TIMESTAMP(6) OR NOT ${alive('run.worker_id')})`,

    // Looked at again when it is locked: it may have been settled meanwhile, and leased anew.
    lockLapsed: (ids) => `
      SELECT CAST(job.id AS CHAR) AS id, job.process_id FROM ${job} AS job FORCE INDEX (PRIMARY)
      WHERE id IN (${ids}) AND status = 'in-progress'
      ORDER BY job.id
      FOR UPDATE SKIP LOCKED`,

    // Without its process_id no run can take a job for its own any more.
    reclaim: (ids) => `UPDATE ${job} SET status = 'new', process_id = NULL WHERE id IN (${ids})`,

    // Not ordered by `id` alone, which would be the text of the column above.
    history: `SELECT ${ENTRY} FROM ${job} AS job FORCE INDEX (PRIMARY) WHERE job.id > ? ORDER BY job.id LIMIT ?`,

    historyBack: `SELECT ${ENTRY} FROM ${job} AS job FORCE INDEX (PRIMARY) WHERE job.id < ? ORDER BY job.id DESC LIMIT ?`,

    // By the primary key alone: an index for it would cost each settlement one more entry, and each delete locks on it.
    lockSettled: (ids) => `
      SELECT CAST(job.id AS CHAR) AS id FROM ${job} AS job FORCE INDEX (PRIMARY)
      WHERE id IN (${ids}) AND status IN ('complete', 'error', 'cancelled')
        AND finished_at <= UTC_TIMESTAMP(6) - INTERVAL ROUND(? * 1000) MICROSECOND
      ORDER BY job.id
      FOR UPDATE SKIP LOCKED`,

    prune: (ids) => `DELETE job FROM ${job} AS job FORCE INDEX (PRIMARY) WHERE id IN (${ids})`,

    // Of a table of a few rows the optimizer would rather read, and lock, all.
    pruneRuns: (ids) => `DELETE run FROM ${run} AS run FORCE INDEX (PRIMARY) WHERE job_id IN (${ids})`,

    findPruner: `SELECT 1 FROM ${worker} WHERE prunes_until > UTC_TIMESTAMP(6) AND id <> ? LIMIT 1`,

    takePruneTurn: `
      UPDATE ${worker} SET prunes_until = UTC_TIMESTAMP(6) + INTERVAL ROUND(? * 1000) MICROSECOND WHERE id = ?`,

    // The newest run tells whether a live worker has the job: hold writes nothing into the row.
    list: (where) => `
      SELECT CAST(job.id AS CHAR) AS id, job.public_id, job.queue, job.kind, job.\`key\`,
             CAST(job.payload AS CHAR) AS payload, job.priority, job.attempt, job.max_attempts, job.crashes,
             CAST(job.metadata AS CHAR) AS metadata, job.unique_key, CAST(job.output AS CHAR) AS output,
             CAST(job.error AS CHAR) AS error, job.created_by, job.started_by, job.finished_by,
             IF(${HELD}, 'in-progress', job.status) AS status,
             IF(${HELD}, ${newest('process_id')}, job.process_id) AS process_id,
             IF(${HELD}, worker.name, NULL) AS worker,
             CAST(IF(${OPEN} AND NOT last.process_id <=> open.process_id, NULL, last.progress) AS CHAR) AS progress,
             CAST(${ms('job.created_at')} AS CHAR) AS created_at,
             CAST(${ms('job.available_at')} AS CHAR) AS available_at,
             CAST(${ms(`IF(${HELD}, ${newest('started_at')}, job.started_at)`)} AS CHAR) AS started_at,
             CAST(${ms('job.finished_at')} AS CHAR) AS finished_at
      FROM ${job} AS job
      LEFT JOIN ${run} AS last ON last.job_id = job.id AND last.process_id = (
        SELECT process_id FROM ${run} AS newest WHERE newest.job_id = job.id ORDER BY started_at DESC LIMIT 1)
      LEFT JOIN ${openRun} AS open ON open.last_id >= job.id AND open.process_id = (
        SELECT process_id FROM ${openRun} AS newest
        WHERE newest.last_id >= job.id AND newest.first_id <= job.id AND JSON_CONTAINS(newest.job_ids, CAST(job.id AS CHAR))
        ORDER BY started_at DESC LIMIT 1)
      LEFT JOIN ${worker} AS worker ON worker.id = ${newest('worker_id')}
      WHERE ${where}
      ORDER BY job.id DESC
      LIMIT ?`,

    count: (where) => `SELECT status, COUNT(*) AS jobs FROM ${job} AS job WHERE ${where} GROUP BY status`,

    find: `SELECT CAST(id AS CHAR) AS id, status FROM ${job} WHERE public_id = ?`,

    lockOne: `SELECT status FROM ${job} WHERE id = ? FOR UPDATE SKIP LOCKED`,

    move: `
      UPDATE ${job} SET
        attempt = IF(? = 'new', 0, attempt),
        error = IF(? = 'new', NULL, error),
        due = IF(? = 'new', TRUE, due),
        available_at = IF(? = 'new', UTC_TIMESTAMP(6), available_at),
        finished_at = IF(? = 'new', NULL, UTC_TIMESTAMP(6)),
        finished_by = IF(? = 'new', NULL, ?),
        status = ?
      WHERE id = ?`,

    // One that is alive may be without its session for a moment: hence the month for those who did not say that they stop.
    findGone: `
      SELECT CAST(id AS CHAR) AS id FROM ${worker} AS worker
      WHERE COALESCE(stopped_at, alive_until, started_at + INTERVAL 30 DAY) < UTC_TIMESTAMP(6) - INTERVAL 1 DAY
        AND NOT ${alive('worker.id')}
      ORDER BY worker.id
      LIMIT 1000`,

    forgetWorkers: (ids) => `DELETE FROM ${worker} WHERE id IN (${ids})`,

    // What is left of them.
    findForgotten: `
      SELECT CAST(last_id AS CHAR) AS last_id, process_id, CAST(job_ids AS CHAR) AS job_ids FROM ${openRun} AS open
      WHERE NOT EXISTS (SELECT 1 FROM ${worker} AS worker WHERE worker.id = open.worker_id)`,

    addWorker: `INSERT INTO ${worker} (name, host, pid, queues) VALUES (?, ?, ?, ?)`,

    // Freed with the session: the proof that the worker is alive.
    holdAnchor: 'SELECT GET_LOCK(?, 0) AS held',

    // The proof again, and the question whether anybody is there.
    holdsAnchor: 'SELECT IS_USED_LOCK(?) <=> CONNECTION_ID() AS held',

    anchorHolder: 'SELECT IS_USED_LOCK(?) AS connection',

    self: 'SELECT CAST(CONNECTION_ID() AS CHAR) AS connection',

    nap: 'SELECT SLEEP(?) AS slept',

    // The bell is looked at by the statement that sleeps: a call that comes before it is seen, one that comes after it
    // interrupts it, and none falls in between.
    sleep: (late) =>
      `SELECT SLEEP(IF(EXISTS(SELECT 1 FROM ${bell} WHERE id > ? OR id IN (${late})), 0, ?)) AS slept, ${ONLY_READS} AS only_reads`,

    // Refused where only some accounts may write, and this one may not. It locks nothing that anybody waits for.
    writes: `SELECT 1 FROM ${worker} WHERE id = ? FOR UPDATE SKIP LOCKED`,

    rung: (late) => `SELECT 1 FROM ${bell} WHERE id > ? OR id IN (${late}) LIMIT 1`,

    heard: (late) => `
      SELECT CAST(id AS CHAR) AS id, CAST(wake_up AS CHAR) AS wake_up FROM ${bell}
      WHERE id > ? OR id IN (${late})
      ORDER BY id`,

    lastRings: `
      SELECT CAST(id AS CHAR) AS id FROM (SELECT id FROM ${bell} ORDER BY id DESC LIMIT 100) AS last ORDER BY last.id`,

    findRings: (rings) => `SELECT CAST(id AS CHAR) AS id FROM ${bell} WHERE id IN (${rings})`,

    // Who holds a worker's lock is that worker's session, whatever became of the numbers of connections since.
    sleepers: `
      SELECT CAST(id AS CHAR) AS worker, CAST(IS_USED_LOCK(CONCAT(?, id)) AS CHAR) AS connection, CAST(queues AS CHAR) AS queues
      FROM ${worker}
      WHERE stopped_at IS NULL AND IS_USED_LOCK(CONCAT(?, id)) IS NOT NULL`,

    onlyReads: `SELECT ${ONLY_READS} AS only_reads`,

    // What others are still adding, or clear away as well, is skipped.
    pruneBell: `
      DELETE ${bell} FROM ${bell} JOIN (
        SELECT id FROM ${bell} FORCE INDEX (PRIMARY) WHERE id < ? ORDER BY id LIMIT 10000 FOR UPDATE SKIP LOCKED
      ) AS old USING (id)`,

    beat: `
      UPDATE ${worker} SET alive_until = UTC_TIMESTAMP(6) + INTERVAL ROUND(? * 1000) MICROSECOND
      WHERE id = ? AND stopped_at IS NULL`,

    reportLines: `UPDATE ${worker} SET \`lines\` = ? WHERE id = ?`,

    stopWorker: `UPDATE ${worker} SET stopped_at = UTC_TIMESTAMP(6), alive_until = NULL, \`lines\` = JSON_OBJECT() WHERE id = ?`,

    workers: `
      SELECT CAST(id AS CHAR) AS id, name, host, pid, CAST(queues AS CHAR) AS queues, CAST(\`lines\` AS CHAR) AS \`lines\`,
             CAST(${ms('started_at')} AS CHAR) AS started_at,
             CAST(stopped_at IS NULL AND ${alive('worker.id')} AS SIGNED) AS alive
      FROM ${worker} AS worker
      WHERE COALESCE(stopped_at, started_at) > UTC_TIMESTAMP(6) - INTERVAL 1 HOUR
         OR (stopped_at IS NULL AND ${alive('worker.id')})
      ORDER BY worker.id DESC
      LIMIT 1000`,

    schemaVersion: `SELECT COALESCE(MAX(version), 0) AS version FROM ${migration}`,
  };
}

/** Whether the server takes no writes, but of accounts with a right for that. MariaDB 12 says OFF, ON or more, others 0 or 1. */
const ONLY_READS = "(CAST(@@GLOBAL.read_only AS CHAR) NOT IN ('0', 'OFF') OR @@GLOBAL.innodb_read_only)";

/** Whether a job's newest run is on record with others. */
const OPEN = '(open.process_id IS NOT NULL AND COALESCE(last.started_at <= open.started_at, TRUE))';

/** A column of a job's newest run. */
const newest = (column: string): string => `IF(${OPEN}, open.${column}, last.${column})`;

/** Whether the newest run has not ended and its worker lives. The ? is the prefix of the workers' locks. */
const HELD = `(${newest('process_id')} IS NOT NULL AND (${OPEN} OR last.finished_at IS NULL)
               AND job.status IN ('new', 'in-progress') AND ${alive(newest('worker_id'))})`;

/** Whether a worker's session holds its lock, or its heartbeat holds. The ? is the prefix of the workers' locks. */
function alive(id: string): string {
  return `(IS_USED_LOCK(CONCAT(?, ${id})) IS NOT NULL OR COALESCE(worker.alive_until > UTC_TIMESTAMP(6), FALSE))`;
}

function repeated(times: number, text: string): string {
  return Array.from({ length: times }, () => text).join(', ');
}
