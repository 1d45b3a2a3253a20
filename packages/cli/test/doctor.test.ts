import { fileURLToPath } from 'node:url';
import { createRowlock, defineHandler, defineSchedule } from '@rowlock/core';
import { postgres } from '@rowlock/driver-postgres';
import { createConnection } from 'mysql2/promise';
import pg from 'pg';
import { describe, expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { clock } from '../src/doctor/clock.js';
import { keys } from '../src/doctor/keys.js';
import { call, objects } from './call.js';
import { SERVERS, type Server, stage } from './servers.js';

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
    return { code, findings: objects(stdout) };
  };

  test('a healthy database is healthy, also with jobs, a worker and a schedule', async () => {
    const { url, rowlock } = await stage(server);
    expect(await call(['doctor'], { url })).toEqual({
      code: 0,
      stderr: '',
      stdout: expect.stringMatching(/^All is well\./),
    });
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

  test('what the driver finds is shown', async () => {
    const { url } = await stage(server);
    const job = server.name === 'Postgres' ? 'INDEX rowlock.job_failed' : 'INDEX job_failed ON rowlock_job';
    await sql(server, url, `DROP ${job}`);
    const { code, stdout } = await call(['doctor'], { url });
    expect(code).toBe(1);
    expect(stdout).toMatch(/^broken {3}schema {8}The index .*job_failed.* is missing\. .*\n$/);
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
    await rowlock.schedules.pause('forgotten', { by: 'Ada' });
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
    const { url } = await stage(server);
    await sql(server, url, 'CREATE TABLE orders (id integer PRIMARY KEY, total integer)');
    const module = fileURLToPath(new URL('program-with-capture.ts', import.meta.url));
    const { code, stdout } = await call(['doctor', module, '--json'], { url });
    expect({ code, findings: objects(stdout) }).toMatchObject({
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

test('a limit on connections that is nearly reached, a user whose rows are hidden, and a setting that workers refuse', async () => {
  const { url } = await stage(SERVERS[0]);
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
  await root(`GRANT USAGE ON SCHEMA rowlock TO ${role}`);
  await root(`GRANT ALL ON ALL TABLES IN SCHEMA rowlock TO ${role}`);
  await root(`GRANT ALL ON ALL SEQUENCES IN SCHEMA rowlock TO ${role}`);
  const examined = async () => objects((await call(['doctor', '--json'], { url: own.href })).stdout);
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
    },
  ]);
  await root('ALTER TABLE rowlock_job DISABLE ROW LEVEL SECURITY');
  await root(`ALTER ROLE ${role} SET default_transaction_isolation = 'serializable'`);
  expect(await examined()).toMatchObject([
    {
      check: 'settings',
      severity: 'broken',
      what: expect.stringMatching(/^default_transaction_isolation must be/),
    },
  ]);
});
