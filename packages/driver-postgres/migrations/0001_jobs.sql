-- Run with search_path set to Rowlock's own schema alone: the names below are not qualified, so that the
-- schema's name can be chosen.

-- What one column may hold is said by its domain, whose checks a session plans once. The CHECK constraints of a table are read from the
-- catalog and planned by each statement that writes to it: eight of them took 53 of the 95 us of a job's settlement, and 58 of the 94 of
-- its insert. So there is one, for what the columns say of each other.
CREATE DOMAIN job_name AS text CHECK (length(VALUE) BETWEEN 1 AND 128);
CREATE DOMAIN job_key AS text CHECK (length(VALUE) BETWEEN 1 AND 512);
CREATE DOMAIN job_status AS text CHECK (VALUE IN ('new', 'in-progress', 'complete', 'error', 'cancelled'));
CREATE DOMAIN job_attempts AS integer CHECK (VALUE >= 0);
CREATE DOMAIN job_max_attempts AS integer CHECK (VALUE BETWEEN 1 AND 1000);
CREATE DOMAIN job_unique_scope AS text CHECK (VALUE IN ('outstanding', 'ever'));
-- How long to wait for infinity cannot be told, and every worker asks how long for what comes next.
CREATE DOMAIN job_time AS timestamptz CONSTRAINT time_is_finite CHECK (isfinite(VALUE));
-- What is read is bounded, too: a jsonb of 40 kB may be 46 MB of text, as 1e308 is written out with all its digits. A value of up to 200 bytes
-- is some two million characters at most, and most values are so small that they need not be written out for the check.
CREATE DOMAIN job_json AS jsonb
  CONSTRAINT at_most_2_mib CHECK (pg_column_size(VALUE) <= 200 OR octet_length(VALUE::text) <= 2097152);
CREATE DOMAIN job_metadata AS job_json CHECK (jsonb_typeof(VALUE) = 'object');

-- The two indexes without a condition get a second entry for each job when it is settled, right beside the first: with half of each page left
-- free, settling 500 jobs takes a tenth less of the server's time than splitting pages for them, and inserting them takes the same.
CREATE TABLE job (
  id            bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY WITH (fillfactor = 50),
  public_id     uuid NOT NULL DEFAULT gen_random_uuid() UNIQUE WITH (fillfactor = 50),
  queue         job_name NOT NULL DEFAULT 'default',
  kind          job_name NOT NULL,
  key           job_key,
  payload       job_json NOT NULL DEFAULT '{}',
  -- Lower runs sooner, so that the claim's index is ascending in all its columns.
  priority      smallint NOT NULL DEFAULT 0,
  available_at  job_time NOT NULL DEFAULT clock_timestamp(),
  -- Whether available_at has come. What is not due stays out of the claim's index, however much of it there is.
  -- A row that is marked due too early is not claimed before its time: the claim looks at available_at too.
  due           boolean NOT NULL DEFAULT true,
  status        job_status NOT NULL DEFAULT 'new',
  -- The run that settled the job last; in a lease, the run that has it.
  process_id    uuid,
  -- When a lease ends in any case; without a meaning in other states.
  leased_until  timestamptz,
  attempt       job_attempts NOT NULL DEFAULT 0,
  max_attempts  job_max_attempts NOT NULL DEFAULT 5,
  -- How many crashed runs "attempt" includes.
  crashes       job_attempts NOT NULL DEFAULT 0,
  -- A cancellation that is heard late is meant for the job before the redrives that came after it.
  redrives      integer NOT NULL DEFAULT 0,
  unique_key    job_key,
  unique_scope  job_unique_scope NOT NULL DEFAULT 'outstanding',
  output        job_json,
  error         jsonb,
  metadata      job_metadata NOT NULL DEFAULT '{}',
  created_at    timestamptz NOT NULL DEFAULT clock_timestamp(),
  created_by    text NOT NULL DEFAULT '',
  started_at    timestamptz,
  started_by    text,
  finished_at   timestamptz,
  finished_by   text,

  CONSTRAINT job_state CHECK (
    CASE status
      WHEN 'new' THEN finished_at IS NULL
      WHEN 'in-progress' THEN finished_at IS NULL AND process_id IS NOT NULL
      WHEN 'error' THEN finished_at IS NOT NULL AND error IS NOT NULL
      ELSE finished_at IS NOT NULL
    END
  )
);

-- Vacuum comes after some dead rows and not, as by default, after a fifth of a history that may be millions. With 500,000 settled
-- rows, 850 jobs a second for three minutes left 8 % less in the table and a fifth less in the index of outstanding jobs; the
-- claim's own stays as small without it (90 kB) unless an old snapshot holds it up.
-- No fillfactor of the table: a status that changes is never a HOT update, as it is in the indexes' conditions (0 of 40,000), so room in the page saves
-- only log (at 80: 4 %, at 50: 16 %), and settled rows would leave it empty for ever. Run records are HOT without it (5,000 of 5,000),
-- and would take twice the room; so are the lines of workers. No partitions by time: settled and later jobs are in none of the claim's
-- indexes, so a claim beside a million of each is as quick as without, and pruning by partition could not keep an old
-- job that is outstanding.
ALTER TABLE job SET (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000);

-- The claim, in exactly its order. It holds due, new jobs alone.
CREATE INDEX job_claim ON job (queue, priority, id) WHERE status = 'new' AND due;

-- The jobs whose time is still to come, in the order in which it comes.
CREATE INDEX job_later ON job (queue, available_at) WHERE status = 'new' AND NOT due;

-- The jobs that are leased.
CREATE INDEX job_leased ON job (queue) WHERE status = 'in-progress';

-- The siblings of a job, and the jobs that it depends on.
CREATE INDEX job_outstanding ON job (key, queue, id) WHERE status IN ('new', 'in-progress') AND key IS NOT NULL;

-- The history of an entity.
CREATE INDEX job_settled ON job (key, id) WHERE status IN ('complete', 'error', 'cancelled') AND key IS NOT NULL;

-- A second job with a unique key is refused while the first is outstanding, or for ever.
CREATE UNIQUE INDEX job_unique ON job (kind, unique_key)
  WHERE unique_key IS NOT NULL AND (unique_scope = 'ever' OR status IN ('new', 'in-progress'));

-- The workers: alive as long as their session holds the advisory lock with their id. Behind a pooler that lets clients
-- share sessions they have none that is their own: there they are alive until the time that they put off again and again.
CREATE TABLE worker (
  -- Random, and made by the driver: an id that comes again would make a dead worker seem alive.
  id           integer PRIMARY KEY,
  name         text NOT NULL,
  host         text NOT NULL,
  pid          integer NOT NULL,
  queues       text[] NOT NULL,
  started_at   timestamptz NOT NULL DEFAULT clock_timestamp(),
  stopped_at   timestamptz,
  alive_until  timestamptz,
  -- Until when it is this worker's turn to prune.
  prunes_until timestamptz,
  -- Per queue, the public id of the job that the newest sweep has come to; null at rest.
  lines        jsonb NOT NULL DEFAULT '{}'
);

CREATE INDEX worker_beating ON worker (alive_until) WHERE alive_until IS NOT NULL;

-- The doorbell, for workers that cannot LISTEN: a row for each wake-up, written only while there are such workers, who clear
-- it away a minute later.
CREATE TABLE bell (
  id       bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  wake_up  jsonb NOT NULL,
  -- The transaction that rang: whoever listens asks for what it could not see at its last look.
  rung_in  xid8 NOT NULL DEFAULT pg_current_xact_id(),
  rung_at  timestamptz NOT NULL DEFAULT clock_timestamp()
);

CREATE INDEX bell_rung ON bell (rung_in);

-- The run records: a row for each job of each run, written outside the transaction that holds the claim, so that
-- running work is visible and crashes can be counted. One that is not finished, of a job that nobody holds, is a
-- crash; of a job that is complete, with this process_id, the run that completed it. No foreign key: a reference would lock the
-- job.
CREATE TABLE run (
  process_id   uuid NOT NULL,
  job_id       bigint NOT NULL,
  worker_id    integer NOT NULL,
  -- Its job was created before this time. A job that was created later has the id of an earlier one, as after a TRUNCATE with RESTART
  -- IDENTITY: the record is not of that job. Taken from the jobs and not from the clock, so a clock that goes back hides no crash.
  jobs_before  timestamptz NOT NULL DEFAULT clock_timestamp(),
  started_at   timestamptz NOT NULL DEFAULT clock_timestamp(),
  finished_at  timestamptz,
  -- The event by which it ended: reclaim is a crash.
  outcome      text,
  error        jsonb,
  progress     jsonb,
  PRIMARY KEY (job_id, process_id),
  CONSTRAINT run_finished CHECK ((finished_at IS NOT NULL) = (outcome IS NOT NULL))
);

-- A run of several jobs, or runs that share a transaction, in one row for as long as it goes on. Its end takes it away; what came of jobs
-- that are not complete is written into their records by then. One that is met by somebody who holds one of its jobs was left by a
-- crash, and is written into the records first. In the order in which most jobs are run: what is over lies before what is looked for.
CREATE TABLE open_run (
  last_id      bigint NOT NULL,
  process_id   uuid NOT NULL,
  first_id     bigint NOT NULL,
  worker_id    integer NOT NULL,
  -- All its jobs were created before this time: see run.
  jobs_before  timestamptz NOT NULL DEFAULT clock_timestamp(),
  started_at   timestamptz NOT NULL DEFAULT clock_timestamp(),
  job_ids      bigint[] NOT NULL,
  PRIMARY KEY (last_id, process_id)
);

-- The ids of 500 jobs stay as they are: to compress them took a twentieth of the server's time for a batch.
ALTER TABLE open_run SET (toast_tuple_target = 8160);

-- Enqueues from any language, or from a trigger, in the caller's transaction. Workers are woken by its commit.
--   SELECT * FROM rowlock.enqueue('spreadsheet.update', '{"rows": 3}', key => 'budget', queue => 'spreadsheets');
-- Returns 'enqueued', or 'duplicate' with the public id of the job that has the unique key already.
CREATE FUNCTION enqueue(
  kind          text,
  payload       jsonb DEFAULT '{}',
  queue         text DEFAULT 'default',
  key           text DEFAULT NULL,
  priority      integer DEFAULT 0,
  available_at  timestamptz DEFAULT NULL,
  max_attempts  integer DEFAULT 5,
  unique_key    text DEFAULT NULL,
  unique_scope  text DEFAULT 'outstanding',
  metadata      jsonb DEFAULT '{}',
  -- Leave it out. The table is known by its number, and so stays the same when its schema is renamed.
  job_table     regclass DEFAULT 'job'::regclass
) RETURNS TABLE (outcome text, public_id uuid)
LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp
AS $$
#variable_conflict use_column
DECLARE
  available timestamptz := coalesce(enqueue.available_at, clock_timestamp());
  existing uuid;
BEGIN
  -- The caller's temporary tables come last: unnamed they would come first, and a `job` among them would be taken for Rowlock's.
  -- The setting ends with the function, which has one of its own.
  PERFORM set_config('search_path', format('%I, pg_temp', nspname), true)
  FROM pg_class JOIN pg_namespace AS schema ON schema.oid = relnamespace
  WHERE pg_class.oid = enqueue.job_table;

  -- The job that has the key may be settled between the two statements: then there is room, so try again.
  FOR attempt IN 1..10 LOOP
    INSERT INTO job (kind, payload, queue, key, priority, available_at, due, max_attempts, unique_key, unique_scope,
                     metadata, created_by)
    VALUES (enqueue.kind, enqueue.payload, enqueue.queue, enqueue.key, enqueue.priority::smallint, available,
            available <= clock_timestamp(), enqueue.max_attempts, enqueue.unique_key, enqueue.unique_scope,
            enqueue.metadata, coalesce(host(inet_client_addr()), 'local'))
    ON CONFLICT (kind, unique_key) WHERE unique_key IS NOT NULL AND (unique_scope = 'ever' OR status IN ('new', 'in-progress'))
    DO NOTHING
    RETURNING job.public_id INTO existing;
    IF existing IS NOT NULL THEN
      -- A full queue of notifications would make the commit fail.
      PERFORM pg_notify('rowlock:' || current_schema(), json_build_object('queue', enqueue.queue)::text)
      WHERE pg_notification_queue_usage() < 0.9;
      INSERT INTO bell (wake_up) SELECT jsonb_build_object('queue', enqueue.queue)
      WHERE EXISTS (SELECT FROM worker WHERE alive_until > statement_timestamp() - interval '1 minute');
      RETURN QUERY SELECT 'enqueued', existing;
      RETURN;
    END IF;

    SELECT job.public_id INTO existing FROM job
    WHERE job.kind = enqueue.kind AND job.unique_key = enqueue.unique_key
      AND (job.unique_scope = 'ever' OR job.status IN ('new', 'in-progress'));
    IF existing IS NOT NULL THEN
      RETURN QUERY SELECT 'duplicate', existing;
      RETURN;
    END IF;
  END LOOP;
  RAISE EXCEPTION 'The unique key of % kept changing hands; try again.', enqueue.kind USING ERRCODE = '40001';
END
$$;
