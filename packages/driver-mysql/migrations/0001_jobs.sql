-- Run in the database that holds Rowlock's tables. Each statement can be run again: MySQL commits each by itself.
-- utf8mb4_0900_bin compares to the byte and to the last blank; on MariaDB utf8mb4_nopad_bin takes its place.
-- Times are UTC. No foreign keys: a reference to a locked row would make its writer wait.

CREATE TABLE IF NOT EXISTS rowlock_job (
  id            BIGINT NOT NULL AUTO_INCREMENT PRIMARY KEY,
  -- Random, for rows that are written by hand; the driver brings its own. UUID() could be guessed.
  public_id     CHAR(36) CHARACTER SET ascii COLLATE ascii_bin NOT NULL DEFAULT (LOWER(CONCAT(
                  HEX(RANDOM_BYTES(4)), '-', HEX(RANDOM_BYTES(2)), '-4', SUBSTR(HEX(RANDOM_BYTES(2)), 2), '-8',
                  SUBSTR(HEX(RANDOM_BYTES(2)), 2), '-', HEX(RANDOM_BYTES(6))))) UNIQUE,
  queue         VARCHAR(128) NOT NULL DEFAULT 'default',
  kind          VARCHAR(128) NOT NULL,
  `key`         VARCHAR(512),
  payload       JSON NOT NULL DEFAULT (JSON_OBJECT()),
  -- Lower runs sooner, so that the claim's index is ascending in all its columns.
  priority      SMALLINT NOT NULL DEFAULT 0,
  available_at  DATETIME(6) NOT NULL DEFAULT (UTC_TIMESTAMP(6)),
  -- Whether available_at has come. What is not due stays out of the claim's index, however much of it there is.
  -- A row that is marked due too early is not claimed before its time: the claim looks at available_at too.
  due           BOOLEAN NOT NULL DEFAULT TRUE,
  status        VARCHAR(16) CHARACTER SET ascii COLLATE ascii_bin NOT NULL DEFAULT 'new',
  -- The run that settled the job last; in a lease, the run that has it.
  process_id    CHAR(36) CHARACTER SET ascii COLLATE ascii_bin,
  -- When a lease ends in any case; without a meaning in other states.
  leased_until  DATETIME(6),
  attempt       INT NOT NULL DEFAULT 0,
  max_attempts  INT NOT NULL DEFAULT 5,
  -- How many crashed runs "attempt" includes.
  crashes       INT NOT NULL DEFAULT 0,
  -- A cancellation that is heard late is meant for the job before the redrives that came after it.
  redrives      INT NOT NULL DEFAULT 0,
  unique_key    VARCHAR(512),
  unique_scope  VARCHAR(16) CHARACTER SET ascii COLLATE ascii_bin NOT NULL DEFAULT 'outstanding',
  output        JSON,
  error         JSON,
  metadata      JSON NOT NULL DEFAULT (JSON_OBJECT()),
  -- JSON with the names in order and without blanks, or '': see rowlock_limit_slot. Jobs with equal texts wait in one line.
  limits        VARCHAR(512) NOT NULL DEFAULT '',
  created_at    DATETIME(6) NOT NULL DEFAULT (UTC_TIMESTAMP(6)),
  created_by    VARCHAR(255) NOT NULL DEFAULT '',
  started_at    DATETIME(6),
  started_by    VARCHAR(255),
  finished_at   DATETIME(6),
  finished_by   VARCHAR(255),

  -- MySQL has no partial indexes. NULL in these keeps a row out of the part of an index that is searched.
  claimable     TINYINT AS (IF(status = 'new' AND due, 1, NULL)) VIRTUAL,
  leased        TINYINT AS (IF(status = 'in-progress', 1, NULL)) VIRTUAL,
  later         TINYINT AS (IF(status = 'new' AND NOT due, 1, NULL)) VIRTUAL,
  -- Of a job without a key it is NULL: nobody looks for it there, and its settlement has one index less to change, which takes a
  -- fifth off it.
  outstanding   TINYINT AS (IF(`key` IS NOT NULL AND status IN ('new', 'in-progress'), 1, NULL)) VIRTUAL,
  failed        VARCHAR(16) CHARACTER SET ascii COLLATE ascii_bin AS (IF(status IN ('error', 'cancelled'), status, NULL)) VIRTUAL,
  -- Kind and key in one, unmistakably.
  taken_key     VARCHAR(648) AS (IF(unique_scope = 'ever' OR status IN ('new', 'in-progress'),
                                    CONCAT(CHAR_LENGTH(kind), ' ', kind, unique_key), NULL)) VIRTUAL,

  -- The claim, in exactly its order. Jobs without limits are one range of it, and jobs with the same limits are another.
  KEY job_claim (queue, claimable, limits, priority, id),
  -- The jobs whose time is still to come, in the order in which it comes.
  KEY job_later (queue, later, available_at),
  -- The jobs that are leased.
  KEY job_leased (queue, leased),
  -- The siblings of a job, the jobs that it depends on, and the history of an entity.
  KEY job_entity (`key`, outstanding, queue, id),
  -- What failed or was cancelled, for operators, in the order of the ids. NULL stays NULL when a job is completed.
  KEY job_failed (failed),
  -- A second job with a unique key is refused while the first is outstanding, or for ever.
  -- Descending, so that those without a key come last and each new one after all others: a transaction that gives a job a key that a
  -- settled one had locks the gaps beside that one's old place, and nobody without a key is to wait for its end.
  UNIQUE KEY job_unique (taken_key DESC),

  CONSTRAINT job_status CHECK (status IN ('new', 'in-progress', 'complete', 'error', 'cancelled')),
  CONSTRAINT job_finished CHECK ((finished_at IS NOT NULL) = (status IN ('complete', 'error', 'cancelled'))),
  CONSTRAINT job_in_progress CHECK (status <> 'in-progress' OR process_id IS NOT NULL),
  CONSTRAINT job_error CHECK (status <> 'error' OR error IS NOT NULL),
  CONSTRAINT job_attempts CHECK (attempt >= 0 AND crashes >= 0 AND max_attempts BETWEEN 1 AND 1000),
  CONSTRAINT job_unique_scope CHECK (unique_scope IN ('outstanding', 'ever')),
  CONSTRAINT job_lengths CHECK (
    CHAR_LENGTH(queue) > 0 AND CHAR_LENGTH(kind) > 0
    AND CHAR_LENGTH(`key`) > 0 AND CHAR_LENGTH(unique_key) > 0),
  CONSTRAINT job_metadata CHECK (JSON_TYPE(metadata) = 'OBJECT'),
  CONSTRAINT job_limits CHECK (limits = '' OR (JSON_VALID(limits) AND JSON_TYPE(limits) = 'OBJECT'))
) ENGINE = InnoDB ROW_FORMAT = DYNAMIC DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin;

-- The workers: alive as long as their session holds the user lock with their id. Behind a proxy that lets clients share
-- sessions they have none that is their own: there they are alive until the time that they put off again and again.
CREATE TABLE IF NOT EXISTS rowlock_worker (
  -- Random, and made by the driver: an id that comes again would make a dead worker seem alive.
  id           INT NOT NULL PRIMARY KEY,
  name         VARCHAR(128) NOT NULL,
  host         VARCHAR(255) NOT NULL,
  pid          INT NOT NULL,
  queues       JSON NOT NULL,
  -- The schedules that its program declares.
  schedules    JSON NOT NULL DEFAULT (JSON_ARRAY()),
  -- The kinds that it serves, each with those whose earlier jobs of a key go first.
  kinds        JSON NOT NULL DEFAULT (JSON_OBJECT()),
  started_at   DATETIME(6) NOT NULL DEFAULT (UTC_TIMESTAMP(6)),
  stopped_at   DATETIME(6),
  alive_until  DATETIME(6),
  -- The server through which the worker writes, and when it wrote there last: a worker that starts refuses to use another one beside it.
  server       VARCHAR(400) NOT NULL DEFAULT '',
  written_at   DATETIME(6),
  -- Until when it is this worker's turn to prune.
  prunes_until DATETIME(6),
  -- `lines` is a reserved word. Per queue, the public id of the job that the newest sweep has come to; null at rest.
  `lines`     JSON NOT NULL DEFAULT (JSON_OBJECT()),
  -- What its runs have now, by queue and kind, as it has reported last.
  running      JSON NOT NULL DEFAULT (JSON_ARRAY()),
  -- The jobs of its runs of one job, as it has reported last. Other such runs that go on began at runs_since or later: the time of the report before.
  -- NULL: there were no two reports yet.
  running_ids  JSON NOT NULL DEFAULT (JSON_ARRAY()),
  runs_since   DATETIME(6),
  reported_at  DATETIME(6)
) ENGINE = InnoDB ROW_FORMAT = DYNAMIC DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin;

-- The run records: a row for each job of each run, written outside the transaction that holds the claim, so that
-- running work is visible and crashes can be counted. One that is not finished is the run that completed the job, if the
-- job's row says so; else, of a job that nobody holds, a crash.
CREATE TABLE IF NOT EXISTS rowlock_run (
  process_id   CHAR(36) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  job_id       BIGINT NOT NULL,
  worker_id    INT NOT NULL,
  -- Its job was created before this time. A job that was created later has the id of an earlier one, as after a TRUNCATE: the record is
  -- not of that job. Taken from the jobs and not from the clock, so a clock that goes back hides no crash.
  jobs_before  DATETIME(6) NOT NULL DEFAULT (UTC_TIMESTAMP(6)),
  started_at   DATETIME(6) NOT NULL DEFAULT (UTC_TIMESTAMP(6)),
  finished_at  DATETIME(6),
  -- The event by which it ended: reclaim is a crash.
  outcome      VARCHAR(16) CHARACTER SET ascii COLLATE ascii_bin,
  error        JSON,
  progress     JSON,
  -- In the order in which most jobs are run: a record is added where the last one was.
  PRIMARY KEY (job_id, process_id),
  -- The latest runs of a worker.
  KEY run_started (worker_id, started_at),
  CONSTRAINT run_finished CHECK ((finished_at IS NOT NULL) = (outcome IS NOT NULL))
) ENGINE = InnoDB ROW_FORMAT = DYNAMIC DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin;

-- A run of several jobs, or runs that share a transaction, in one row for as long as it goes on. Its end takes it away; what came of jobs
-- that are not complete is written into their records by then. One that is met by somebody who holds one of its jobs was left by a
-- crash, and is written into the records first. In the order in which most jobs are run: what is over lies before what is looked for.
CREATE TABLE IF NOT EXISTS rowlock_open_run (
  last_id      BIGINT NOT NULL,
  process_id   CHAR(36) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  first_id     BIGINT NOT NULL,
  worker_id    INT NOT NULL,
  -- All its jobs were created before this time: see rowlock_run.
  jobs_before  DATETIME(6) NOT NULL DEFAULT (UTC_TIMESTAMP(6)),
  started_at   DATETIME(6) NOT NULL DEFAULT (UTC_TIMESTAMP(6)),
  job_ids      JSON NOT NULL,
  PRIMARY KEY (last_id, process_id)
) ENGINE = InnoDB ROW_FORMAT = DYNAMIC DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin;

-- The slots of limits. A run holds one of each of its limits: by a lock on the row, for as long as its transaction goes on, or by a mark
-- for as long as its lease does. No row is both locked for long and marked. A limit has as many rows as were needed at once. rowlock_prune_slots deletes old ones.
CREATE TABLE IF NOT EXISTS rowlock_limit_slot (
  name          VARCHAR(512) NOT NULL,
  n             INT NOT NULL,
  made_at       DATETIME(6) NOT NULL DEFAULT (UTC_TIMESTAMP(6)),
  -- The leased run that has the slot.
  run_id        CHAR(36) CHARACTER SET ascii COLLATE ascii_bin,
  -- When the mark ends in any case.
  leased_until  DATETIME(6),
  PRIMARY KEY (name, n),
  KEY slot_run (run_id),
  CONSTRAINT slot_marked CHECK ((run_id IS NULL) = (leased_until IS NULL))
) ENGINE = InnoDB ROW_FORMAT = DYNAMIC DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin;

-- The numbers of limits that were set at run time: how many at once, and how many starts in so many milliseconds. They go before those that jobs
-- bring, each that is not null. Apart from slots and starts, so that a caller's open transaction that sets them holds up nobody.
CREATE TABLE IF NOT EXISTS rowlock_limit_setting (
  name    VARCHAR(128) NOT NULL PRIMARY KEY,
  max     INT,
  starts  INT,
  per_ms  BIGINT,
  burst   INT,
  set_at  DATETIME(6) NOT NULL DEFAULT (UTC_TIMESTAMP(6)),
  set_by  VARCHAR(255) NOT NULL DEFAULT '',
  CONSTRAINT limit_setting_max CHECK (max BETWEEN 1 AND 1000),
  CONSTRAINT limit_setting_some CHECK (COALESCE(max, starts) IS NOT NULL),
  CONSTRAINT limit_setting_starts CHECK (
    COALESCE(starts, per_ms, burst) IS NULL
    OR starts IS NOT NULL AND per_ms IS NOT NULL AND burst IS NOT NULL
    AND starts BETWEEN 1 AND 1000000 AND per_ms BETWEEN 1 AND 2678400000 AND burst BETWEEN 1 AND 1000)
) ENGINE = InnoDB ROW_FORMAT = DYNAMIC DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin;

-- The work that is paused. The claim's statement reads these rows, and a pause begins for all workers with its commit. One that has ended
-- stays until the next one is set.
CREATE TABLE IF NOT EXISTS rowlock_pause (
  scope         VARCHAR(16) NOT NULL,
  -- That of the queue, the kind or the limit; '' of all.
  name          VARCHAR(128) NOT NULL,
  paused_until  DATETIME(6),
  reason        VARCHAR(512),
  paused_by     VARCHAR(255) NOT NULL DEFAULT '',
  paused_at     DATETIME(6) NOT NULL DEFAULT (UTC_TIMESTAMP(6)),
  PRIMARY KEY (scope, name),
  KEY pause_end (paused_until),
  CONSTRAINT pause_scope CHECK (scope IN ('queue', 'kind', 'limit', 'all') AND (scope = 'all') = (name = ''))
) ENGINE = InnoDB ROW_FORMAT = DYNAMIC DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin;

-- The starts of rates: the generic cell rate algorithm. A row is locked by rowlock_take_starts alone, never by a claim.
CREATE TABLE IF NOT EXISTS rowlock_rate (
  name         VARCHAR(128) NOT NULL PRIMARY KEY,
  -- When the next start would be, if all starts were evenly spaced.
  next_at      DATETIME(6) NOT NULL DEFAULT (UTC_TIMESTAMP(6)),
  -- The last take, until it is given back, and the time before it.
  last_take    CHAR(36) CHARACTER SET ascii COLLATE ascii_bin,
  before_take  DATETIME(6) NOT NULL DEFAULT (UTC_TIMESTAMP(6))
) ENGINE = InnoDB ROW_FORMAT = DYNAMIC DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin;

-- Jobs that are enqueued at times of their own. Whoever moves next_at enqueues the job in the same transaction, so a tick is there once. Times
-- are exact to the millisecond, as the workers compute them.
CREATE TABLE IF NOT EXISTS rowlock_schedule (
  name         VARCHAR(128) NOT NULL PRIMARY KEY,
  -- What is enqueued and when. The workers alone read it.
  plan         JSON NOT NULL,
  fingerprint  VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  -- Whether a program declares it, or a call has set it.
  source       VARCHAR(16) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  -- NULL: never again.
  next_at      DATETIME(3),
  -- The newest instant that is over, whether it had a job or not.
  tick_at      DATETIME(3),
  -- When a job came of a tick last.
  fired_at     DATETIME(6),
  -- The ticks that an outstanding job has left out: how many, the newest instant, and the public id of that job.
  skipped      BIGINT NOT NULL DEFAULT 0,
  skipped_tick DATETIME(3),
  skipped_for  CHAR(36) CHARACTER SET ascii COLLATE ascii_bin,
  -- Why it cannot be fired, and since when.
  broken       TEXT,
  broken_at    DATETIME(6),
  paused_at    DATETIME(6),
  paused_by    VARCHAR(255),
  updated_at   DATETIME(6) NOT NULL DEFAULT (UTC_TIMESTAMP(6)),
  updated_by   VARCHAR(255) NOT NULL DEFAULT '',
  -- NULL keeps those that are paused out of the part of the index that is searched.
  waits_until  DATETIME(3) AS (IF(paused_at IS NULL, next_at, NULL)) VIRTUAL,
  KEY schedule_next (waits_until),
  CONSTRAINT schedule_source CHECK (source IN ('code', 'dynamic')),
  CONSTRAINT schedule_paused CHECK ((paused_at IS NULL) = (paused_by IS NULL))
) ENGINE = InnoDB ROW_FORMAT = DYNAMIC DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin;

-- What workers have settled in each minute, for a week. They count in their memory, and add to these rows every few seconds.
CREATE TABLE IF NOT EXISTS rowlock_tally (
  minute     DATETIME NOT NULL,
  queue      VARCHAR(128) NOT NULL,
  kind       VARCHAR(128) NOT NULL,
  completed  INT NOT NULL,
  failed     INT NOT NULL,
  cancelled  INT NOT NULL,
  retried    INT NOT NULL,
  -- How many jobs have waited for each time, and how many runs have taken it. The times are those of the drivers.
  waits      JSON NOT NULL,
  runs       JSON NOT NULL,
  PRIMARY KEY (minute, queue, kind)
) ENGINE = InnoDB ROW_FORMAT = DYNAMIC DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin;

-- Changes that the triggers of a capture have lost, where it notes errors and goes on. A backfill deletes them.
CREATE TABLE IF NOT EXISTS rowlock_capture_loss (
  id        BIGINT NOT NULL AUTO_INCREMENT,
  name      VARCHAR(128) NOT NULL,
  error     TEXT NOT NULL,
  noted_at  DATETIME(6) NOT NULL DEFAULT (UTC_TIMESTAMP(6)),
  PRIMARY KEY (name, id),
  KEY capture_loss_id (id)
) ENGINE = InnoDB ROW_FORMAT = DYNAMIC DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin;

-- How far the backfill of a capture has come. Each step moves it in the transaction of its jobs.
CREATE TABLE IF NOT EXISTS rowlock_capture_backfill (
  name         VARCHAR(128) NOT NULL PRIMARY KEY,
  -- The id of the last row, as text by column. NULL: none yet.
  last         JSON,
  read_rows    BIGINT NOT NULL DEFAULT 0,
  started_at   DATETIME(6) NOT NULL DEFAULT (UTC_TIMESTAMP(6)),
  finished_at  DATETIME(6)
) ENGINE = InnoDB ROW_FORMAT = DYNAMIC DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin;

-- The jobs that wait for others: a row for each of those. Jobs are named by their public ids, as no number comes again there. A waiting job is
-- delayed until the year 9999, so no claim meets it. Whoever sees that none of the others is outstanding deletes its rows, and gives it its
-- own time.
CREATE TABLE IF NOT EXISTS rowlock_follower (
  public_id     CHAR(36) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  after_id      CHAR(36) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  available_at  DATETIME(6) NOT NULL,
  PRIMARY KEY (public_id, after_id),
  KEY follower_after (after_id)
) ENGINE = InnoDB ROW_FORMAT = DYNAMIC DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin;

-- The doorbell: a row for each wake-up, added and never changed, so that nobody waits for anybody to ring.
CREATE TABLE IF NOT EXISTS rowlock_bell (
  id       BIGINT NOT NULL AUTO_INCREMENT PRIMARY KEY,
  wake_up  JSON NOT NULL
) ENGINE = InnoDB ROW_FORMAT = DYNAMIC DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin;
