import { fileURLToPath } from 'node:url';
import { createRowlock, defineHandler, defineSchedule } from '@rowlock/core';
import { postgres } from '@rowlock/driver-postgres';
import { createConnection, type RowDataPacket } from 'mysql2/promise';
import pg from 'pg';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { z } from 'zod';
import { clock } from '../src/doctor/clock.js';
import { keys } from '../src/doctor/keys.js';
import { call, objects, ofDatabase } from './call.js';
import { SERVERS, type Server, stages } from './servers.js';

const stage = stages();

const payload = z.object({});
const Mail = defineHandler({ kind: 'mail', payload, run: () => null });
const Create = defineHandler({ kind: 'create', payload, run: () => null });
const Update = defineHandler({ kind: 'update', payload, after: [Create.kind], run: () => null });

/** Runs SQL on the database itself. On MySQL the tables have a prefix. */
async function sql(server: Server, url: string, text: string): Promise<void> {
  if (server.name === 'Postgres') {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    await client.query(text.replaceAll(/\browlock_(\w+)/g, 'rowlock.$1'));
    await client.end();
  } else {
    const connection = await createConnection({ uri: url, timezone: 'Z' });
    await connection.query("SET time_zone = '+00:00'");
    await connection.query(text);
    await connection.end();
  }
}

/** A job or a run that is left. */
async function counted(server: Server, url: string): Promise<{ readonly rows: number }> {
  const count = 'SELECT (SELECT COUNT(*) FROM rowlock_job) + (SELECT COUNT(*) FROM rowlock_run) AS n';
  if (server.name === 'MySQL') {
    const connection = await createConnection({ uri: url });
    const [[row]] = await connection.query<(RowDataPacket & { readonly n: number })[]>(count);
    await connection.end();
    return { rows: Number(row?.n) };
  }
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query(count.replaceAll(/\browlock_(\w+)/g, 'rowlock.$1'));
  await client.end();
  return { rows: Number(rows[0].n) };
}

/** Locks the table of jobs by a session that then does nothing. `age` is how long ago that was, in whole seconds. */
async function locked(server: Server, url: string) {
  if (server.name === 'MySQL') {
    const connection = await createConnection({ uri: url });
    await connection.query('LOCK TABLES rowlock_job WRITE');
    const other = await createConnection({ uri: url });
    const { threadId: session } = connection;
    const age = async () => {
      const [[row]] = await other.query<(RowDataPacket & { readonly age: number })[]>(
        'SELECT TIME AS age FROM performance_schema.processlist WHERE ID = ?',
        [session],
      );
      return Number(row?.age);
    };
    const end = async () => {
      await connection.end();
      await other.end();
    };
    return { session, age, end };
  }
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query('BEGIN; LOCK TABLE rowlock.job');
  const { rows } = await client.query('SELECT pg_backend_pid() AS session');
  const age = async () => {
    const read = await client.query('SELECT extract(epoch FROM clock_timestamp() - now())::integer AS age');
    return Number(read.rows[0].age);
  };
  return { session: rows[0].session, age, end: () => client.end() };
}

const RAISE = "LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'not today'; END $$";

/** A finding by its severity, its check and its text. */
type Found = readonly [severity: string, check: string, what: RegExp];

/** SQL that breaks something, and what is found then. */
type Fault = readonly [sql: string, ...found: readonly Found[]];

/**
 * What keeps jobs from being enqueued, claimed, recorded or settled, or from being kept. Faults that do not hide each other
 * are in one database.
 */
const FAULTS: Readonly<
  Record<Server['name'], readonly (readonly [name: string, ...faults: readonly Fault[]])[]>
> = {
  Postgres: [
    [
      'a column that an enqueue does not know',
      [
        'ALTER TABLE rowlock_job ADD tenant text NOT NULL',
        ['broken', 'trial', /^A job cannot be enqueued: .*tenant/],
        ['broken', 'additions', /tenant of the table job/],
      ],
    ],
    [
      'a trigger that refuses jobs',
      [
        `CREATE FUNCTION no() RETURNS trigger ${RAISE}; CREATE TRIGGER no BEFORE INSERT ON rowlock_job FOR EACH ROW EXECUTE FUNCTION no()`,
        ['broken', 'trial', /^A job cannot be enqueued: not today/],
      ],
    ],
    [
      'a trigger that refuses settlements',
      [
        `CREATE FUNCTION no() RETURNS trigger ${RAISE}; CREATE TRIGGER no AFTER UPDATE ON rowlock_job FOR EACH ROW EXECUTE FUNCTION no()`,
        ['broken', 'trial', /^A job cannot be settled: not today/],
      ],
    ],
    [
      'a trigger that drops jobs',
      [
        'CREATE FUNCTION gone() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NULL; END $$; CREATE TRIGGER gone BEFORE INSERT ON rowlock_job FOR EACH ROW EXECUTE FUNCTION gone()',
        ['broken', 'trial', /is not found by a claim/],
      ],
    ],
    [
      'a rule that drops settlements',
      [
        'CREATE RULE none AS ON UPDATE TO rowlock_job DO INSTEAD NOTHING',
        ['broken', 'trial', /cannot be settled/],
      ],
    ],
    [
      'a constraint that refuses jobs',
      [
        'ALTER TABLE rowlock_job ADD CONSTRAINT odd CHECK (priority > 0)',
        ['broken', 'trial', /^A job cannot be enqueued: .*odd/],
      ],
    ],
    [
      'a default that is gone',
      ['ALTER TABLE rowlock_job ALTER status DROP DEFAULT', ['broken', 'trial', /^A job cannot be enqueued/]],
    ],
    [
      'what one job alone does not show',
      [
        'ALTER TABLE rowlock_run ADD tenant text NOT NULL',
        ['broken', 'additions', /tenant of the table run/],
      ],
      [
        `CREATE FUNCTION no() RETURNS trigger ${RAISE}; CREATE TRIGGER no BEFORE INSERT ON rowlock_run FOR EACH ROW EXECUTE FUNCTION no()`,
        ['warning', 'additions', /trigger no of the table run/],
      ],
      [
        'CREATE RULE none AS ON UPDATE TO rowlock_run DO INSTEAD NOTHING',
        ['broken', 'additions', /rule none of the table run/],
      ],
      [
        'ALTER TABLE rowlock_job ADD CONSTRAINT odd UNIQUE (queue)',
        ['warning', 'additions', /constraint odd of the table job/],
      ],
      [
        'CREATE UNIQUE INDEX peculiar ON rowlock_job (queue)',
        ['warning', 'additions', /unique index peculiar of the table job/],
      ],
      [
        'ALTER TABLE rowlock_run ALTER started_at DROP DEFAULT',
        ['broken', 'schema', /default run\.started_at of the schema rowlock is missing/],
      ],
      ['ALTER TABLE rowlock_job ALTER id DROP IDENTITY', ['broken', 'schema', /default job\.id/]],
      ['ALTER TABLE rowlock_job SET UNLOGGED', ['broken', 'durability', /^The table job is UNLOGGED/]],
      [
        "DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET synchronous_commit = off', current_database()); END $$",
        ['warning', 'durability', /synchronous_commit = off/],
      ],
    ],
  ],
  MySQL: [
    [
      'a column that an enqueue does not know',
      [
        'ALTER TABLE rowlock_job ADD tenant INT NOT NULL',
        ['broken', 'trial', /^A job cannot be enqueued: .*tenant/],
      ],
    ],
    [
      'a trigger that refuses jobs',
      [
        "CREATE TRIGGER no BEFORE INSERT ON rowlock_job FOR EACH ROW SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'not today'",
        ['broken', 'trial', /^A job cannot be enqueued: not today/],
      ],
    ],
    [
      'a trigger that refuses settlements',
      [
        "CREATE TRIGGER no AFTER UPDATE ON rowlock_job FOR EACH ROW SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'not today'",
        ['broken', 'trial', /^A job cannot be settled: not today/],
      ],
    ],
    [
      'a constraint that refuses jobs',
      [
        'ALTER TABLE rowlock_job ADD CONSTRAINT odd CHECK (priority > 0)',
        ['broken', 'trial', /^A job cannot be enqueued: .*odd/],
      ],
    ],
    [
      'a default that is gone',
      [
        'ALTER TABLE rowlock_job ALTER COLUMN status DROP DEFAULT',
        ['broken', 'trial', /^A job cannot be enqueued/],
      ],
    ],
    [
      'an index that claims name',
      [
        'DROP INDEX job_claim ON rowlock_job',
        ['broken', 'schema', /index rowlock_job\.job_claim.* is missing/],
        ['broken', 'trial', /^A job cannot be claimed: .*job_claim/],
      ],
    ],
    [
      'an index by which the jobs of a key are locked',
      [
        'DROP INDEX job_entity ON rowlock_job',
        ['broken', 'schema', /index rowlock_job\.job_entity.* is missing/],
        ['broken', 'trial', /^A job cannot be locked by its key: .*job_entity/],
      ],
    ],
    [
      'what one job alone does not show',
      [
        'ALTER TABLE rowlock_run ADD tenant INT NOT NULL',
        ['broken', 'additions', /tenant of the table rowlock_run/],
      ],
      [
        "CREATE TRIGGER no BEFORE INSERT ON rowlock_run FOR EACH ROW SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'not today'",
        ['warning', 'additions', /trigger no of the table rowlock_run/],
      ],
      [
        'CREATE UNIQUE INDEX odd ON rowlock_job (queue)',
        ['warning', 'additions', /unique index odd of the table rowlock_job/],
      ],
      [
        'ALTER TABLE rowlock_run ALTER COLUMN started_at DROP DEFAULT',
        ['broken', 'schema', /default rowlock_run\.started_at of the database/],
      ],
      [
        'ALTER TABLE rowlock_job ALTER INDEX job_claim INVISIBLE',
        ['broken', 'schema', /index rowlock_job\.job_claim.* is invisible/],
      ],
      [
        'ALTER TABLE rowlock_job ALTER INDEX job_later INVISIBLE',
        ['broken', 'schema', /index rowlock_job\.job_later.* is invisible/],
      ],
      [
        'DROP INDEX job_leased ON rowlock_job',
        ['broken', 'schema', /index rowlock_job\.job_leased.* is missing/],
      ],
      ['ALTER TABLE rowlock_run ENGINE = MyISAM', ['broken', 'engine', /rowlock_run has the engine MyISAM/]],
    ],
    [
      'an index that only surveys name',
      [
        'DROP INDEX job_later ON rowlock_job',
        ['broken', 'schema', /index rowlock_job\.job_later.* is missing/],
      ],
    ],
  ],
};

/** A worker in the database of a test. */
async function work(server: Server, url: string): Promise<void> {
  const other = createRowlock({ driver: server.driver(url), handlers: [Mail, Create, Update] });
  onTestFinished(() => other.close());
  await other.worker().start();
}

describe.each(SERVERS)('on $name', (server) => {
  const examined = async (url: string) => {
    const { code, stdout, stderr } = await call(['doctor', '--json'], { url });
    expect(stderr).toBe('');
    return { code, findings: ofDatabase(objects(stdout)) };
  };

  test('a healthy database is healthy, also with jobs, a worker and a schedule', async () => {
    const { url, rowlock } = await stage(server);
    expect(await examined(url)).toEqual({ code: 0, findings: [] });
    await work(server, url);
    await rowlock.schedules.set('nightly', defineSchedule({ handler: Mail, payload: {}, cron: '0 3 * * *' }));
    await rowlock.enqueueMany(Mail, [
      { payload: {}, key: 'a' },
      { payload: {}, delay: '1h' },
    ]);
    expect(await examined(url)).toEqual({ code: 0, findings: [] });
  });

  test('tables that are missing are the one thing that is wrong', async () => {
    const { url, drop } = await server.fresh();
    onTestFinished(drop);
    expect(await examined(url)).toMatchObject({
      code: 1,
      findings: [
        {
          check: 'schema',
          severity: 'broken',
          what: expect.stringMatching(/are at version 0 and this driver needs/),
        },
      ],
    });
  });

  test('a session that has locked a table is named, and what would wait for it is left out', async () => {
    const { url } = await stage(server, { alters: true });
    const { session, age, end } = await locked(server, url);
    onTestFinished(end);
    // A lock of less than two seconds is on its way.
    await vi.waitFor(async () => expect(await age()).toBeGreaterThan(2), { timeout: 30_000 });
    const { code, findings } = await examined(url);
    expect(code).toBe(1);
    expect(findings).toMatchObject([
      ...(server.name === 'Postgres' ? [] : [{ check: 'server' }]),
      {
        check: 'locks',
        severity: 'broken',
        what: expect.stringContaining(`The session ${session} has locked`),
      },
    ]);
  });

  test('what the driver finds is shown', async () => {
    const { url } = await stage(server, { alters: true });
    const job = server.name === 'Postgres' ? 'INDEX rowlock.job_failed' : 'INDEX job_failed ON rowlock_job';
    await sql(server, url, `DROP ${job}`);
    const { code, stdout } = await call(['doctor'], { url });
    expect(code).toBe(1);
    expect(stdout).toMatch(/^broken {3}schema {8}The index .*job_failed.* is missing\. .*$/m);
  });

  const faults = FAULTS[server.name].map(([what, ...all]) => ({ what, all }));

  test.each(faults)('nothing works, or is kept: $what', async ({ all }) => {
    const { url } = await stage(server, { alters: true });
    for (const [fault] of all) await sql(server, url, fault);
    const { code, findings } = await examined(url);
    for (const [, ...found] of all)
      for (const [severity, check, what] of found)
        expect(findings).toContainEqual(
          expect.objectContaining({ check, severity, what: expect.stringMatching(what) }),
        );
    expect(code).toBe(findings.some((finding) => finding.severity === 'broken') ? 1 : 0);
    // What it has tried is undone.
    const { rows } = await counted(server, url);
    expect(rows).toBe(0);
  });

  test('work that is paused is no fault, and neither is a column with a default', async () => {
    const { url, rowlock } = await stage(server, { alters: true });
    await rowlock.jobs.pause('all');
    await sql(server, url, 'ALTER TABLE rowlock_job ADD COLUMN tenant INT DEFAULT 1');
    await sql(server, url, 'CREATE INDEX job_tenant ON rowlock_job (tenant)');
    expect(await examined(url)).toEqual({ code: 0, findings: [] });
  });

  test('a server that is not there is a finding', async () => {
    const url =
      server.name === 'Postgres' ? 'postgres://ada@127.0.0.1:1/jobs' : 'mysql://ada@127.0.0.1:1/jobs';
    expect(await examined(url)).toMatchObject({
      code: 1,
      findings: [{ check: 'server', severity: 'broken', what: expect.stringContaining('could not be made') }],
    });
  });

  test('due jobs that nobody serves', async () => {
    const { url, rowlock } = await stage(server);
    await rowlock.enqueue(Mail, { payload: {} });
    expect(await examined(url)).toMatchObject({
      code: 1,
      findings: [
        { check: 'unserved', severity: 'broken', what: expect.stringMatching(/^No worker is alive/) },
      ],
    });
    await rowlock.jobs.pause({ kind: 'mail' });
    await work(server, url);
    await rowlock.enqueue({ kind: 'lost', payload }, { payload: {} });
    expect(await examined(url)).toMatchObject({
      code: 1,
      findings: [
        {
          check: 'unserved',
          what: expect.stringMatching(/^No live worker serves the kind lost in the queue default/),
        },
      ],
    });
  });

  test('a lease of a dead worker that nobody puts back', async () => {
    const { url, rowlock } = await stage(server);
    const { publicId } = await rowlock.enqueue(Mail, { payload: {} });
    const hour = server.name === 'Postgres' ? "interval '1 hour'" : 'INTERVAL 1 HOUR';
    const run = '0191d2a4-6c1e-4b7a-9a53-1f5e8c0b7d21';
    await sql(
      server,
      url,
      `UPDATE rowlock_job SET status = 'in-progress', process_id = '${run}', started_at = now() - ${hour}, leased_until = now() + ${hour}`,
    );
    expect(await examined(url)).toMatchObject({
      code: 1,
      findings: [
        { check: 'leases', severity: 'broken', what: expect.stringContaining(`as of ${publicId} since`) },
      ],
    });
  });

  test('a key whose first job keeps the others', async () => {
    const { url, rowlock } = await stage(server);
    await work(server, url);
    await rowlock.enqueue(Create, { payload: {}, key: 'a', delay: '1h' });
    const { publicId } = await rowlock.enqueue(Update, { payload: {}, key: 'a' });
    const hour = server.name === 'Postgres' ? "interval '1 hour'" : 'INTERVAL 1 HOUR';
    await sql(server, url, `UPDATE rowlock_job SET available_at = now() - ${hour} WHERE kind = 'update'`);
    expect(await examined(url)).toMatchObject({
      code: 0,
      findings: [
        {
          check: 'keys',
          severity: 'warning',
          what: expect.stringMatching(
            new RegExp(`^The key a in the queue default stands still\\. Job ${publicId}: It waits for job`),
          ),
        },
      ],
    });
  });

  test('a schedule that is late, and one that is paused for long', async () => {
    const { url, rowlock } = await stage(server);
    const daily = defineSchedule({ handler: Mail, payload: {}, every: '1d' });
    await rowlock.schedules.set('late', daily);
    await rowlock.schedules.set('forgotten', daily);
    await rowlock.as('Ada').schedules.pause('forgotten');
    const days = (n: number) => (server.name === 'Postgres' ? `interval '${n} days'` : `INTERVAL ${n} DAY`);
    await sql(server, url, `UPDATE rowlock_schedule SET next_at = now() - ${days(1)} WHERE name = 'late'`);
    await sql(
      server,
      url,
      `UPDATE rowlock_schedule SET paused_at = now() - ${days(40)} WHERE name = 'forgotten'`,
    );
    expect(await examined(url)).toMatchObject({
      code: 1,
      findings: [
        {
          check: 'schedules',
          severity: 'broken',
          what: expect.stringMatching(/^The schedule late should have fired/),
        },
        {
          check: 'schedules',
          severity: 'warning',
          what: expect.stringMatching(/^The schedule forgotten is paused since .*, by Ada/),
        },
      ],
    });
  });

  test('a schedule that cannot be fired, and one whose job never ends', async () => {
    const { url, rowlock } = await stage(server);
    const daily = defineSchedule({ handler: Mail, payload: {}, every: '1d' });
    await rowlock.schedules.set('refused', daily);
    await rowlock.schedules.set('stuck', daily);
    await sql(
      server,
      url,
      "UPDATE rowlock_schedule SET broken = 'Not welcome.', broken_at = now() WHERE name = 'refused'",
    );
    const id = '11111111-1111-4111-8111-111111111111';
    await sql(
      server,
      url,
      `UPDATE rowlock_schedule SET skipped = 7, skipped_tick = now(), skipped_for = '${id}' WHERE name = 'stuck'`,
    );
    expect(await examined(url)).toMatchObject({
      code: 1,
      findings: [
        {
          check: 'schedules',
          severity: 'broken',
          what: 'The schedule refused cannot be fired. Not welcome.',
        },
        {
          check: 'schedules',
          severity: 'warning',
          what: expect.stringMatching(`^The schedule stuck skips .*${id}`),
        },
      ],
    });
    const { stdout } = await call(['schedules', 'list'], { url });
    expect(stdout).toContain('broken: Not welcome.');
    expect(stdout).toMatch(/stuck .* 7 +skipped/);
  });

  test('a schedule that never fires again', async () => {
    const { url, rowlock } = await stage(server);
    const once = defineSchedule({ handler: Mail, payload: {}, cron: '0 0 1 1 *' });
    await rowlock.schedules.set('once', once);
    expect(await examined(url)).toEqual({ code: 0, findings: [] });
    // As after its last tick.
    await sql(server, url, 'UPDATE rowlock_schedule SET next_at = NULL');
    expect(await examined(url)).toMatchObject({
      code: 0,
      findings: [{ check: 'schedules', severity: 'warning', what: 'The schedule once never fires again.' }],
    });
  });

  test('a clock that is wrong', async () => {
    const { url } = await stage(server);
    const driver = server.driver(url);
    onTestFinished(() => driver.close());
    expect(await clock({ driver })).toEqual([]);
    expect(await clock({ driver }, () => Date.now() - 90_000)).toMatchObject([
      { severity: 'warning', what: expect.stringMatching(/are 1\.5 min apart/) },
    ]);
  });

  test('triggers of a capture of the program that are not there', async () => {
    const { url } = await stage(server, { alters: true });
    await sql(server, url, 'CREATE TABLE orders (id integer PRIMARY KEY, total integer)');
    const module = fileURLToPath(new URL('program-with-capture.ts', import.meta.url));
    const { code, stdout } = await call(['doctor', module, '--json'], { url });
    expect({ code, findings: ofDatabase(objects(stdout)) }).toMatchObject({
      code: 1,
      findings: [
        { check: 'captures', severity: 'broken', what: expect.stringMatching(/^The capture orders: /) },
      ],
    });
  });
});

/** Of the jobs that no run holds. */
const HOUR_AGO = `
  UPDATE rowlock_job SET available_at = now() - interval '1 hour'
  WHERE id = ANY (ARRAY(SELECT id FROM rowlock_job FOR UPDATE SKIP LOCKED))`;

test('a key that a run holds for long', async () => {
  const { url, rowlock } = await stage(SERVERS[0]);
  const driver = postgres({ connectionString: url });
  const gate = Promise.withResolvers<null>();
  const started = Promise.withResolvers<void>();
  const Long = defineHandler({
    kind: 'long',
    payload,
    run: () => {
      started.resolve();
      return gate.promise;
    },
  });
  const other = createRowlock({ driver, handlers: [Long] });
  onTestFinished(() => other.close());
  onTestFinished(() => gate.resolve(null));
  await rowlock.enqueue(Long, { payload: {}, key: 'a' });
  const worker = other.worker();
  await worker.start();
  await started.promise;
  // Behind the run: it has the locks of the jobs that were there.
  await rowlock.enqueue(Long, { payload: {}, key: 'a' });
  await sql(SERVERS[0], url, HOUR_AGO);
  const { lanes } = await rowlock.insight.stats();
  expect(await keys({ rowlock, driver, lanes, workers: [] })).toEqual([]);
  expect(await keys({ rowlock, driver, lanes, workers: [] }, -1)).toMatchObject([
    { severity: 'warning', what: expect.stringContaining('The key "a" is held by job') },
  ]);
});

test('a limit on connections that is nearly reached, a user without rights, or whose rows are hidden, and a setting that workers refuse', async () => {
  const { url } = await stage(SERVERS[0], { alters: true });
  const role = `few_${new URL(url).pathname.slice(-8)}`;
  const own = new URL(url);
  own.username = role;
  own.password = 'change-me';
  const root = (text: string) => sql(SERVERS[0], url, text);
  await root(`CREATE ROLE ${role} LOGIN PASSWORD 'change-me' CONNECTION LIMIT 6`);
  onTestFinished(async () => {
    await root(`DROP OWNED BY ${role}`);
    await root(`DROP ROLE ${role}`);
  });
  const examined = async () =>
    ofDatabase(objects((await call(['doctor', '--json'], { url: own.href })).stdout));
  expect(await examined()).toMatchObject([
    {
      check: 'rights',
      severity: 'broken',
      what: expect.stringContaining('permission denied for schema rowlock'),
      remedy: expect.stringMatching(/^Use the account of the workers, or grant/),
    },
  ]);
  await root(`GRANT USAGE ON SCHEMA rowlock TO ${role}`);
  await root(`GRANT ALL ON ALL TABLES IN SCHEMA rowlock TO ${role}`);
  await root(`GRANT ALL ON ALL SEQUENCES IN SCHEMA rowlock TO ${role}`);
  expect(await examined()).toMatchObject([
    {
      check: 'connections',
      severity: 'warning',
      what: expect.stringMatching(/^The CONNECTION LIMIT of the role few_.* is 6/),
    },
  ]);
  await root('ALTER TABLE rowlock_job ENABLE ROW LEVEL SECURITY');
  expect(await examined()).toMatchObject([
    {
      check: 'rights',
      severity: 'broken',
      what: 'Row level security hides rows from this database user, in job.',
      remedy: expect.stringMatching(/^Give the user BYPASSRLS/),
    },
  ]);
  await root('ALTER TABLE rowlock_job DISABLE ROW LEVEL SECURITY');
  await root(`ALTER ROLE ${role} SET default_transaction_isolation = 'serializable'`);
  expect(await examined()).toMatchObject([
    {
      check: 'server',
      severity: 'broken',
      what: expect.stringMatching(/^default_transaction_isolation must be/),
    },
  ]);
});
