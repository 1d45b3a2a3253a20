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
-- None, or JSON with up to eight names. A member is a size from 1 to 1000; or the numbers of a rate: starts, milliseconds, and a burst from
-- 1 to 1000; or a size and these. Most jobs have none, and need no look at the form.
CREATE DOMAIN job_limits AS text COLLATE "C" CONSTRAINT names_and_sizes CHECK (VALUE = '' OR length(VALUE) <= 512 AND VALUE ~
  '^\{(?:"(?:[^"\\\u0001-\u001f]|\\["\\/bfnrt]|\\u[[:xdigit:]]{4})+":'
  '(?:[1-9][0-9]{0,2}|1000|\[(?:(?:[1-9][0-9]{0,2}|1000),)?(?:[1-9][0-9]{0,5}|1000000),[1-9][0-9]{0,9},(?:[1-9][0-9]{0,2}|1000)\])'
  '(?:,(?!\})|(?=\}))){1,8}\}$');
CREATE DOMAIN limit_max AS integer CHECK (VALUE BETWEEN 1 AND 1000);
CREATE DOMAIN limit_starts AS integer CHECK (VALUE BETWEEN 1 AND 1000000);
CREATE DOMAIN limit_per_ms AS bigint CHECK (VALUE BETWEEN 1 AND 2678400000);

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
  -- How many runs may go on at once, by name. Jobs of a queue with equal limits are claimed as a line of their own.
  limits        job_limits NOT NULL DEFAULT '',
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

-- The claim, in exactly its order. It holds due, new jobs alone. Those with limits have an index of their own: they may have to wait, and
-- the claim of other jobs would walk past them.
CREATE INDEX job_claim ON job (queue, priority, id) WHERE status = 'new' AND due AND limits = '';
CREATE INDEX job_limited ON job (queue, limits, priority, id) WHERE status = 'new' AND due AND limits <> '';

-- The jobs whose time is still to come, in the order in which it comes.
CREATE INDEX job_later ON job (queue, available_at) WHERE status = 'new' AND NOT due;

-- The jobs that are leased.
CREATE INDEX job_leased ON job (queue) WHERE status = 'in-progress';

-- The siblings of a job, and the jobs that it depends on.
CREATE INDEX job_outstanding ON job (key, queue, id) WHERE status IN ('new', 'in-progress') AND key IS NOT NULL;

-- The history of an entity.
CREATE INDEX job_settled ON job (key, id) WHERE status IN ('complete', 'error', 'cancelled') AND key IS NOT NULL;

-- What failed or was cancelled, for operators. A job that is completed has no entry.
CREATE INDEX job_failed ON job (status, id) WHERE status IN ('error', 'cancelled');

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
  -- The schedules that its program declares.
  schedules    text[] NOT NULL DEFAULT '{}',
  -- The kinds that it serves, each with those whose earlier jobs of a key go first.
  kinds        jsonb NOT NULL DEFAULT '{}',
  started_at   timestamptz NOT NULL DEFAULT clock_timestamp(),
  stopped_at   timestamptz,
  alive_until  timestamptz,
  -- Until when it is this worker's turn to prune.
  prunes_until timestamptz,
  -- Per queue, the public id of the job that the newest sweep has come to; null at rest.
  lines        jsonb NOT NULL DEFAULT '{}',
  -- What its runs have now, by queue and kind, as it has reported last.
  running      jsonb NOT NULL DEFAULT '[]',
  -- The jobs of its runs of one job, as it has reported last. Other such runs that go on began at runs_since or later: the time of the report before.
  -- Null: there were no two reports yet.
  running_ids  bigint[] NOT NULL DEFAULT '{}',
  runs_since   timestamptz,
  reported_at  timestamptz
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

-- The latest runs of a worker. The record of a run that goes on is like that of a run that has completed its job, so no condition can leave out
-- the history.
CREATE INDEX run_started ON run (worker_id, started_at);

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

-- The slots of a limit: who has one holds the lock of its row, until the transaction ends. Rows are locked, and never changed, so a
-- lock never has to go after a newer version of its row. There are as many as were needed at once. prune_slots deletes old ones.
CREATE TABLE limit_slot (
  name     text NOT NULL,
  n        integer NOT NULL,
  made_at  timestamptz NOT NULL DEFAULT clock_timestamp(),
  PRIMARY KEY (name, n)
);

-- The slots of leases, which hold no lock: the lease's transaction writes the mark while it has the slot's lock. A mark ends with its row, and
-- at its time in any case.
CREATE TABLE limit_mark (
  run_id  uuid NOT NULL,
  name    text NOT NULL,
  n       integer NOT NULL,
  until   timestamptz NOT NULL,
  PRIMARY KEY (run_id, name)
);

CREATE INDEX limit_mark_of ON limit_mark (name, n);

-- The numbers of limits that were set at run time: how many at once, and how many starts in so many milliseconds. They count in place of what
-- jobs say, each that is not null. Apart from slots and starts, so that a caller's open transaction that sets them holds up nobody.
CREATE TABLE limit_setting (
  name    text PRIMARY KEY,
  max     limit_max,
  starts  limit_starts,
  per_ms  limit_per_ms,
  burst   limit_max,
  set_at  timestamptz NOT NULL DEFAULT clock_timestamp(),
  set_by  text NOT NULL DEFAULT '',
  CONSTRAINT limit_setting_some CHECK (num_nonnulls(max, starts) > 0),
  CONSTRAINT limit_setting_starts CHECK (num_nulls(starts, per_ms, burst) IN (0, 3))
);

-- The work that is paused. The claim's statement reads these rows, and a pause begins for all workers with its commit. One that has ended
-- stays until the next one is set.
CREATE TABLE pause (
  scope         text NOT NULL CHECK (scope IN ('queue', 'kind', 'limit', 'all')),
  -- That of the queue, the kind or the limit; '' of all.
  name          text NOT NULL,
  paused_until  job_time,
  reason        text,
  paused_by     text NOT NULL DEFAULT '',
  paused_at     timestamptz NOT NULL DEFAULT clock_timestamp(),
  PRIMARY KEY (scope, name),
  CONSTRAINT pause_name CHECK (CASE scope WHEN 'all' THEN name = '' ELSE length(name) BETWEEN 1 AND 128 END)
);

-- Otherwise the planner takes a table that was never looked at for one of ten pages, and each claim would search an index of nothing.
ANALYZE pause;

-- The starts of rates: the generic cell rate algorithm. A row is locked by single statements alone, never by a claim.
CREATE TABLE rate (
  name         text PRIMARY KEY,
  -- When the next start would be, if all starts were evenly spaced.
  next_at      timestamptz NOT NULL DEFAULT clock_timestamp(),
  -- The last take, until it is given back, and the time before it.
  last_take    uuid,
  before_take  timestamptz NOT NULL DEFAULT clock_timestamp()
);

-- Jobs that are enqueued at times of their own. Whoever moves next_at enqueues the job in the same transaction, so a tick is there once. Times
-- are exact to the millisecond, as the workers compute them.
CREATE TABLE schedule (
  name         job_name COLLATE "C" PRIMARY KEY,
  -- What is enqueued and when. The workers alone read it.
  plan         job_json NOT NULL,
  fingerprint  text NOT NULL,
  -- Whether a program declares it, or a call has set it.
  source       text NOT NULL CHECK (source IN ('code', 'dynamic')),
  -- Null: never again.
  next_at      timestamptz(3) CHECK (isfinite(next_at)),
  -- The newest instant that is over, whether it had a job or not.
  tick_at      timestamptz(3),
  -- When a job came of a tick last.
  fired_at     timestamptz,
  -- The ticks that an outstanding job has left out: how many, the newest instant, and the public id of that job.
  skipped      bigint NOT NULL DEFAULT 0,
  skipped_tick timestamptz(3),
  skipped_for  uuid,
  -- Why it cannot be fired, and since when.
  broken       text,
  broken_at    timestamptz,
  paused_at    timestamptz,
  paused_by    text,
  updated_at   timestamptz NOT NULL DEFAULT clock_timestamp(),
  updated_by   text NOT NULL DEFAULT '',
  CONSTRAINT schedule_paused CHECK ((paused_at IS NULL) = (paused_by IS NULL))
);

CREATE INDEX schedule_next ON schedule (next_at) WHERE paused_at IS NULL;

-- The jobs that wait for others: a row for each of those. Jobs are named by their public ids, as no number comes again there. A waiting job is
-- delayed until the year 9999, so no claim meets it. Whoever sees that none of the others is outstanding deletes its rows, and gives it its
-- own time.
CREATE TABLE follower (
  public_id     uuid NOT NULL,
  after_id      uuid NOT NULL,
  available_at  job_time NOT NULL,
  PRIMARY KEY (public_id, after_id)
);

CREATE INDEX follower_after ON follower (after_id);

-- What workers have settled in each minute, for a week. They count in their memory, and add to these rows every few seconds.
CREATE TABLE tally (
  minute     timestamptz NOT NULL,
  queue      text NOT NULL,
  kind       text NOT NULL,
  completed  integer NOT NULL,
  failed     integer NOT NULL,
  cancelled  integer NOT NULL,
  retried    integer NOT NULL,
  -- How many jobs have waited for each time, and how many runs have taken it. The times are those of the drivers.
  waits      integer[] NOT NULL,
  runs       integer[] NOT NULL,
  PRIMARY KEY (minute, queue, kind)
) WITH (fillfactor = 50);

-- Changes that the triggers of a capture have lost, where it notes errors and goes on. A backfill deletes them.
CREATE TABLE capture_loss (
  id        bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  name      text NOT NULL,
  error     text NOT NULL,
  noted_at  timestamptz NOT NULL DEFAULT clock_timestamp()
);

-- How far the backfill of a capture has come. Each step moves it in the transaction of its jobs.
CREATE TABLE capture_backfill (
  name         job_name COLLATE "C" PRIMARY KEY,
  -- The id of the last row, as text by column. Null: none yet.
  last         jsonb,
  rows         bigint NOT NULL DEFAULT 0,
  started_at   timestamptz NOT NULL DEFAULT clock_timestamp(),
  finished_at  timestamptz
);

-- The number of a limit's advisory lock, its gate. Takers share it for the time of one statement or message. Who looks whether the limit is full, and who
-- adds slots, has it alone.
CREATE FUNCTION limit_gate(name text) RETURNS bigint LANGUAGE sql IMMUTABLE RETURN hashtextextended(name, 27);

-- Takes a slot of each limit, in the transaction of its caller, and not twice in one. A slot of a limit is taken if, and only if, fewer slots than
-- the limit's size are taken at that moment, whatever size their takers had. Returns the number of the slot of each, in order. Behind these it
-- returns 0 if a limit is full, or -n if its table needs n slots: then no slot is taken.
--   own_schema: the name of this function's schema, which may have been renamed.
CREATE FUNCTION enter_limits(names text[], sizes integer[], own_schema text) RETURNS integer[]
LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  taken integer[];
  own integer;
  -- The slots that are known to be a lease's, whose rows can be locked all the same.
  marked integer[];
  -- What the calls so far have met: slots that are a lease's, and slots beyond the size of a limit.
  raced boolean := false;
  beyond boolean := false;
  is_marked boolean;
  is_beyond boolean;
  first integer;
  last integer;
  gate bigint;
  shares boolean := false;
  has boolean := false;
BEGIN
  PERFORM set_config('search_path', format('%I, pg_temp', own_schema), true);
  LOOP
    -- A refusal undoes the block, and with it all of its locks. Only then is the gate opened.
    BEGIN
      taken := '{}';
      FOR place IN 1 .. cardinality(names) LOOP
        gate := limit_gate(names[place]);
        marked := '{}';
        IF raced THEN
          marked := ARRAY(SELECT n FROM limit_mark WHERE name = names[place] AND until > clock_timestamp());
        END IF;

        -- A wait may be interrupted when its lock was granted just then. So a session whose call is interrupted has to end.
        shares := pg_advisory_lock_shared(gate) IS NOT NULL;
        own := NULL;
        -- If all began at the first slot, each would try those of all the others.
        first := 1 + floor(random() * least(sizes[place], 64));
        last := 2147483647;
        LOOP
          EXIT WHEN beyond;
          SELECT n INTO own FROM limit_slot
          WHERE name = names[place] AND n BETWEEN first AND last AND n <> ALL (marked)
          ORDER BY n LIMIT 1
          FOR UPDATE SKIP LOCKED;
          EXIT WHEN own IS NOT NULL OR first = 1;
          last := first - 1;
          first := 1;
        END LOOP;
        -- A look after the lock decides, as the lock may be later than its statement's snapshot. A slot that is a lease's is not free. If none
        -- lies beyond the size, another one is enough: meanwhile no slots are added.
        IF own IS NOT NULL THEN
          SELECT EXISTS (
              SELECT FROM limit_slot WHERE name = names[place]
                AND n > coalesce((SELECT max FROM limit_setting WHERE limit_setting.name = names[place]), sizes[place])),
            EXISTS (SELECT FROM limit_mark WHERE name = names[place] AND n = own AND until > clock_timestamp())
          INTO is_beyond, is_marked;
          IF is_beyond OR is_marked THEN
            beyond := beyond OR is_beyond;
            raced := raced OR is_marked;
            RAISE EXCEPTION USING ERRCODE = 'RLRAC';
          END IF;
        END IF;
        shares := NOT pg_advisory_unlock_shared(gate);

        IF own IS NULL THEN
          has := pg_advisory_lock(gate) IS NOT NULL;
          own := take_slot_alone(names[place], sizes[place]);
          IF own <= 0 THEN
            RAISE EXCEPTION USING ERRCODE = 'RLNOT';
          END IF;
          has := NOT pg_advisory_unlock(gate);
        END IF;
        taken := taken || own;
      END LOOP;
      RETURN taken;
    EXCEPTION
      WHEN OTHERS OR query_canceled THEN
        IF shares THEN
          shares := NOT pg_advisory_unlock_shared(gate);
        END IF;
        IF has THEN
          has := NOT pg_advisory_unlock(gate);
        END IF;
        IF SQLSTATE = 'RLNOT' THEN
          RETURN taken || own;
        END IF;
        IF SQLSTATE <> 'RLRAC' THEN
          RAISE;
        END IF;
    END;
  END LOOP;
END
$$;

-- Takes a slot with the gate closed: meanwhile slots are only given back. So a scan that finds too few free ones was right when it began.
CREATE FUNCTION take_slot_alone(of_name text, own_size integer) RETURNS integer
LANGUAGE plpgsql
AS $$
DECLARE
  slots integer;
  size integer;
  own integer;
  others integer[] := '{}';
  marked integer[];
  marked_since integer[];
  size_since integer;
BEGIN
  SELECT count(*), coalesce((SELECT max FROM limit_setting WHERE name = of_name), own_size) INTO slots, size
  FROM limit_slot WHERE name = of_name;
  marked := ARRAY(SELECT n FROM limit_mark WHERE name = of_name AND until > clock_timestamp());
  SELECT n INTO own FROM limit_slot WHERE name = of_name AND n <> ALL (marked) ORDER BY n LIMIT 1 FOR UPDATE SKIP LOCKED;
  IF own IS NULL THEN
    RETURN CASE WHEN slots < size THEN -least(size, greatest(64, 2 * slots)) ELSE 0 END;
  END IF;

  -- Of more slots than the size, all but size - 1 must be free at one moment. The block always ends by an error, which lets go of them.
  BEGIN
    IF slots > size THEN
      others := ARRAY(
        SELECT n FROM limit_slot WHERE name = of_name AND n <> ALL (marked) AND n <> own
        ORDER BY n LIMIT slots - size
        FOR UPDATE SKIP LOCKED);
    END IF;
    SELECT coalesce((SELECT max FROM limit_setting WHERE name = of_name), own_size),
           ARRAY(SELECT n FROM limit_mark WHERE name = of_name AND until > clock_timestamp())
    INTO size_since, marked_since;
    RAISE EXCEPTION USING ERRCODE = 'RLCNT';
  EXCEPTION
    WHEN SQLSTATE 'RLCNT' THEN NULL;
  END;
  IF size_since <> size OR marked_since && (others || own) THEN
    RAISE EXCEPTION USING ERRCODE = 'RLRAC';
  END IF;
  RETURN CASE WHEN cardinality(others) < slots - size THEN 0 ELSE own END;
END
$$;

-- Deletes the slots of a limit that nobody has, and that are as old as this. The gate stays closed until the commit: who found a deleted slot
-- still there, and could not lock it, would count it as taken. Deletes nothing if somebody is at the gate.
CREATE FUNCTION prune_slots(of_name text, age_ms double precision, own_schema text) RETURNS void
LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  free integer[];
BEGIN
  PERFORM set_config('search_path', format('%I, pg_temp', own_schema), true);
  IF pg_try_advisory_xact_lock(limit_gate(of_name)) THEN
    free := ARRAY(
      SELECT n FROM limit_slot WHERE name = of_name AND made_at <= clock_timestamp() - age_ms * interval '1 ms'
      FOR UPDATE SKIP LOCKED);
    -- A look after the locks: a lease may have left its mark, and then its lock, meanwhile.
    DELETE FROM limit_slot AS slot WHERE name = of_name AND n = ANY (free) AND NOT EXISTS (
      SELECT FROM limit_mark WHERE limit_mark.name = of_name AND limit_mark.n = slot.n AND until > clock_timestamp());
  END IF;
END
$$;

-- The limits and rates of a job as its row has them: JSON with the names in order.
CREATE FUNCTION limits_text(limits jsonb) RETURNS text
LANGUAGE plpgsql
AS $$
BEGIN
  IF limits IS NULL THEN
    RETURN '';
  END IF;
  IF jsonb_typeof(limits) <> 'object' THEN
    RAISE EXCEPTION 'limits must be an object of names, with how many at once or how many starts, as {"mail": 3, "maps": [60, 60000, 1]}.' USING ERRCODE = '22023';
  END IF;
  RETURN (
    SELECT coalesce('{' || string_agg(to_json(key) || ':' || replace(value::text, ', ', ','), ',' ORDER BY key COLLATE "C") || '}', '')
    FROM jsonb_each(limits));
END
$$;

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
  -- By name how many runs may go on at once, or a rate: so many starts in so many milliseconds, and so many at once after a pause:
  -- '{"mail": 3, "maps": [60, 60000, 1]}'. A name with both has the size first: [3, 60, 60000, 1].
  limits        jsonb DEFAULT NULL,
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
  IF enqueue.metadata ? 'rowlock' THEN
    RAISE EXCEPTION 'metadata.rowlock is Rowlock''s own, which has the tick of a schedule: choose another name.' USING ERRCODE = '22023';
  END IF;
  -- The caller's temporary tables come last: unnamed they would come first, and a `job` among them would be taken for Rowlock's.
  -- The setting ends with the function, which has one of its own.
  PERFORM set_config('search_path', format('%I, pg_temp', nspname), true)
  FROM pg_class JOIN pg_namespace AS schema ON schema.oid = relnamespace
  WHERE pg_class.oid = enqueue.job_table;

  -- The job that has the key may be settled between the two statements: then there is room, so try again.
  FOR attempt IN 1..10 LOOP
    INSERT INTO job (kind, payload, queue, key, priority, available_at, due, max_attempts, unique_key, unique_scope,
                     metadata, limits, created_by)
    VALUES (enqueue.kind, enqueue.payload, enqueue.queue, enqueue.key, enqueue.priority::smallint, available,
            available <= clock_timestamp(), enqueue.max_attempts, enqueue.unique_key, enqueue.unique_scope,
            enqueue.metadata, limits_text(enqueue.limits), coalesce(host(inet_client_addr()), 'local'))
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

-- Pauses the work of a queue, of a kind, with a limit, or everything, from any language. The pause begins with the caller's commit.
--   SELECT rowlock.pause(queue => 'mail', until => now() + interval '1 hour', reason => 'the provider is down');
CREATE FUNCTION pause(
  queue       text DEFAULT NULL,
  kind        text DEFAULT NULL,
  limit_name  text DEFAULT NULL,
  everything  boolean DEFAULT false,
  until       timestamptz DEFAULT NULL,
  reason      text DEFAULT NULL,
  paused_by   text DEFAULT session_user,
  -- Leave it out. The table is known by its number, and so stays the same when its schema is renamed.
  pause_table regclass DEFAULT 'pause'::regclass
) RETURNS void
LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp
AS $$
#variable_conflict use_column
BEGIN
  PERFORM set_config('search_path', format('%I, pg_temp', nspname), true)
  FROM pg_class JOIN pg_namespace AS schema ON schema.oid = relnamespace
  WHERE pg_class.oid = pause.pause_table;
  INSERT INTO pause (scope, name, paused_until, reason, paused_by)
  SELECT target.scope, target.name, pause.until, pause.reason, pause.paused_by
  FROM pause_target(pause.queue, pause.kind, pause.limit_name, pause.everything) AS target
  ON CONFLICT (scope, name) DO UPDATE
  SET paused_until = excluded.paused_until, reason = excluded.reason, paused_by = excluded.paused_by, paused_at = clock_timestamp();
  PERFORM wake(pause.queue);
END
$$;

-- Ends a pause of the same work. Workers take the work up with the caller's commit. Returns whether it was paused.
--   SELECT rowlock.resume(queue => 'mail');
CREATE FUNCTION resume(
  queue       text DEFAULT NULL,
  kind        text DEFAULT NULL,
  limit_name  text DEFAULT NULL,
  everything  boolean DEFAULT false,
  -- Leave it out.
  pause_table regclass DEFAULT 'pause'::regclass
) RETURNS boolean
LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp
AS $$
#variable_conflict use_column
DECLARE
  target record;
  was_paused boolean;
BEGIN
  PERFORM set_config('search_path', format('%I, pg_temp', nspname), true)
  FROM pg_class JOIN pg_namespace AS schema ON schema.oid = relnamespace
  WHERE pg_class.oid = resume.pause_table;
  target := pause_target(resume.queue, resume.kind, resume.limit_name, resume.everything);
  DELETE FROM pause WHERE scope = target.scope AND name = target.name
  RETURNING paused_until IS NULL OR paused_until > clock_timestamp() INTO was_paused;
  PERFORM wake(resume.queue);
  RETURN coalesce(was_paused, false);
END
$$;

-- The work that a caller has named.
CREATE FUNCTION pause_target(queue text, kind text, limit_name text, everything boolean, OUT scope text, OUT name text)
LANGUAGE plpgsql
AS $$
BEGIN
  IF num_nonnulls(queue, kind, limit_name, nullif(everything, false)) <> 1 THEN
    RAISE EXCEPTION 'Name one of queue, kind and limit_name, or pass everything => true.' USING ERRCODE = '22023';
  END IF;
  scope := CASE WHEN queue IS NOT NULL THEN 'queue' WHEN kind IS NOT NULL THEN 'kind' WHEN limit_name IS NOT NULL THEN 'limit' ELSE 'all' END;
  name := coalesce(queue, kind, limit_name, '');
END
$$;

-- Wakes the workers of a queue, or all of them, with the caller's commit. A full queue of notifications would make it fail.
CREATE FUNCTION wake(queue text) RETURNS void
LANGUAGE plpgsql
AS $$
DECLARE
  hint jsonb := CASE WHEN queue IS NULL THEN '{}' ELSE jsonb_build_object('queue', queue) END;
BEGIN
  PERFORM pg_notify('rowlock:' || current_schema(), hint::text) WHERE pg_notification_queue_usage() < 0.9;
  INSERT INTO bell (wake_up) SELECT hint
  WHERE EXISTS (SELECT FROM worker WHERE alive_until > statement_timestamp() - interval '1 minute');
END
$$;
