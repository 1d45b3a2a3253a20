import { freshDatabase } from '@rowlock/servers';
import '@rowlock/servers/vitest';
import type { Driver } from '@rowlock/core/driver';
import pg from 'pg';
import { expect, inject, onTestFinished, test, vi } from 'vitest';
import { type PostgresOptions, postgres } from '../src/index.js';
import { drift, objectsOf } from '../src/schema/examine/drift.js';
import { tableLocks } from '../src/schema/examine/table-locks.js';
import { oldTransactions } from '../src/schema/examine/transactions.js';
import { wraparound } from '../src/schema/examine/wraparound.js';
import { tables } from '../src/schema/tables.js';
import { transactionPooler } from './transaction-pooler.js';

const HANDLER_MS = 30_000;

let plain: pg.Client;
let url: string;

/** A database of its own with the tables, until the test has finished. */
async function stage(): Promise<void> {
  const fresh = await freshDatabase(inject('postgresUrl'));
  onTestFinished(fresh.drop);
  url = fresh.url;
  const driver = postgres({ connectionString: url });
  await driver.schema.migrate();
  await driver.close();
  plain = new pg.Client({ connectionString: url });
  await plain.connect();
  onTestFinished(() => plain.end());
}

function open(options: PostgresOptions = { connectionString: url }): Driver {
  const driver = postgres(options);
  onTestFinished(() => driver.close());
  return driver;
}

/** Without the settings of the servers of tests, which do not write through. */
const examined = async (driver = open()): Promise<unknown> =>
  (await driver.schema.examine?.(HANDLER_MS))?.filter(
    ({ check, what }) => check !== 'durability' || !what.startsWith('The server'),
  );

test('a healthy database has no fault', async () => {
  await stage();
  expect(await examined()).toEqual([]);
});

test('what the migrations make is on file, whatever the name of the schema', async () => {
  await stage();
  const driver = open({ connectionString: url, schema: 'my jobs' });
  await driver.schema.migrate();
  const objects = [...(await objectsOf(plain, 'my jobs'))].map(
    ([name, definition]) => `${name}: ${definition}\n`,
  );
  await expect(objects.sort().join('')).toMatchFileSnapshot('../migrations/objects.txt');
  expect(await drift(plain, 'my jobs')).toEqual([]);
});

test.each([
  ['DROP INDEX rowlock.job_failed', 'broken', 'The index job_failed of the schema rowlock is missing.'],
  ['ALTER TABLE rowlock.job DROP COLUMN finished_by', 'broken', 'The column job.finished_by of'],
  ['DROP FUNCTION rowlock.prune_slots', 'broken', 'The function prune_slots of'],
  [
    'ALTER TABLE rowlock.job ALTER created_by DROP NOT NULL',
    'warning',
    'it is text, and should be text NOT NULL.',
  ],
  ['ALTER TABLE rowlock.pause DROP CONSTRAINT pause_name', 'broken', 'The constraint pause.pause_name of'],
])('a schema that has drifted: %s', async (sql, severity, what) => {
  await stage();
  await plain.query(sql);
  expect(await examined()).toMatchObject([
    { check: 'schema', severity, what: expect.stringContaining(what) },
  ]);
});

test('additions, ends and settings that are quiet until something meets them, and a missing table once', async () => {
  await stage();
  await plain.query('ALTER DOMAIN rowlock.job_name ADD CONSTRAINT ours CHECK (VALUE IS NOT NULL)');
  await plain.query('ALTER TABLE rowlock.job ALTER id SET MAXVALUE 1000');
  await plain.query('ALTER TABLE rowlock.bell ALTER id SET CACHE 20');
  await plain.query('CREATE TABLE public.note (job bigint CONSTRAINT of_job REFERENCES rowlock.job)');
  await plain.query('CREATE PUBLICATION everything FOR TABLE rowlock.run');
  await plain.query('ALTER TABLE rowlock.run REPLICA IDENTITY NOTHING');
  await plain.query('DROP TABLE rowlock.audit');
  expect(await examined()).toMatchObject([
    { check: 'schema', severity: 'broken', what: 'The table audit of the schema rowlock is missing.' },
    {
      check: 'additions',
      severity: 'warning',
      what: "The constraint ours of the domain job_name is not Rowlock's.",
    },
    { check: 'additions', what: expect.stringContaining('of_job'), why: expect.stringContaining('pruned') },
    { check: 'publications', severity: 'broken', what: expect.stringContaining('publication: everything.') },
    { check: 'ids', severity: 'warning', what: expect.stringMatching(/^The ids of .* end at 1000/) },
    {
      check: 'ids',
      severity: 'warning',
      what: expect.stringMatching(/^The sequence of .*bell has .* CACHE/),
    },
  ]);
});

test("a table that inherits from Rowlock's, and one from which its own inherit", async () => {
  await stage();
  await plain.query('CREATE TABLE public.archived () INHERITS (rowlock.job)');
  await plain.query('CREATE TABLE public.dated (finished_at timestamptz)');
  await plain.query('ALTER TABLE rowlock.run INHERIT public.dated');
  const of = (what: string) => ({ check: 'additions', severity: 'warning', what, why: expect.any(String) });
  expect(await examined()).toMatchObject([
    of("The child table archived of the table job is not Rowlock's."),
    of("The parent table dated of the table run is not Rowlock's."),
  ]);
});

test('limits of the role that end transactions, waits and statements', async () => {
  await stage();
  const role = `limited_${new URL(url).pathname.slice(-8)}`;
  await plain.query(`CREATE ROLE ${role} SUPERUSER LOGIN PASSWORD 'change-me'`);
  onTestFinished(async () => {
    await plain.query(`DROP ROLE ${role}`);
  });
  const own = new URL(url);
  own.username = role;
  own.password = 'change-me';
  const version = Number((await plain.query('SHOW server_version_num')).rows[0].server_version_num);
  const limits = [
    ['idle_in_transaction_session_timeout', '500ms'],
    ['lock_timeout', '2ms'],
    ['statement_timeout', '3s'],
    ...(version >= 170_000 ? [['transaction_timeout', '500ms']] : []),
  ];
  for (const [name, limit] of limits) await plain.query(`ALTER ROLE ${role} SET ${name} = '${limit}'`);
  const found = limits.map(([name]) => ({
    check: 'settings',
    severity: 'warning',
    what: expect.stringContaining(`${name} is `),
    why: expect.stringMatching(/./),
    remedy: expect.stringContaining(`SET ${name} = 0`),
  }));
  const driver = open({ connectionString: own.href });
  expect(await examined(driver)).toMatchObject(found);
  // A claim bounds its session itself, which is no fault.
  const unlimited = open();
  const held = unlimited.claims.session({ idleLimitMs: 100 });
  await held.claim({ queue: 'q', kinds: ['k'], line: { priority: 0, id: 0n }, busy: [], limit: 1 });
  await held.rollback();
  expect(await examined(unlimited)).toEqual([]);
});

test('numbers of transactions that run out', async () => {
  await stage();
  const of = (what: string) => ({ severity: 'warning', what: expect.stringContaining(what) });
  expect(await wraparound(plain, 0)).toMatchObject([of('transactions'), of('multixacts')]);
});

test('a server that quotes all names has no fault', async () => {
  await stage();
  await plain.query(`ALTER DATABASE ${new URL(url).pathname.slice(1)} SET quote_all_identifiers = on`);
  expect(await examined()).toEqual([]);
});

test('a right that a worker lacks', async () => {
  await stage();
  const role = `worker_${new URL(url).pathname.slice(-8)}`;
  await plain.query(`CREATE ROLE ${role} LOGIN PASSWORD 'change-me'`);
  onTestFinished(async () => {
    await plain.query(`DROP OWNED BY ${role}`);
    await plain.query(`DROP ROLE ${role}`);
  });
  await plain.query(`GRANT USAGE ON SCHEMA rowlock TO ${role}`);
  await plain.query(`GRANT ALL ON ALL TABLES IN SCHEMA rowlock TO ${role}`);
  const own = new URL(url);
  own.username = role;
  own.password = 'change-me';
  const driver = open({ connectionString: own.href });
  await plain.query("INSERT INTO rowlock.job (kind) VALUES ('k')");
  expect(await examined(driver)).toMatchObject([
    {
      check: 'ids',
      severity: 'skipped',
      what: 'The ids of "rowlock".job were not checked: this user may not read their sequence.',
    },
    { check: 'ids', severity: 'skipped' },
  ]);
  await plain.query(`GRANT SELECT ON ALL SEQUENCES IN SCHEMA rowlock TO ${role}`);
  expect(await examined(driver)).toEqual([]);
  await plain.query(`REVOKE UPDATE ON rowlock.run FROM ${role}`);
  expect(await examined(driver)).toMatchObject([
    { check: 'rights', severity: 'broken', what: `The user ${role} lacks UPDATE on "rowlock".run.` },
  ]);
  await plain.query(`GRANT UPDATE ON rowlock.run TO ${role}`);
  await plain.query(`REVOKE UPDATE ON rowlock.schedule FROM ${role}`);
  expect(await examined(driver)).toEqual([]);
  await plain.query(
    "INSERT INTO rowlock.schedule (name, plan, fingerprint, source, updated_by) VALUES ('s', '{}', 'f', 'dynamic', 'ada')",
  );
  expect(await examined(driver)).toMatchObject([
    { check: 'rights', severity: 'broken', what: `The user ${role} lacks UPDATE on "rowlock".schedule.` },
  ]);
  await plain.query('DELETE FROM rowlock.schedule');
  await plain.query('REVOKE EXECUTE ON ALL FUNCTIONS IN SCHEMA rowlock FROM PUBLIC');
  expect(await examined(driver)).toMatchObject(
    ['enter_limits', 'limit_gate', 'prune_slots', 'take_slot_alone'].map((name) => ({
      severity: 'broken',
      what: `The user ${role} lacks EXECUTE on "rowlock".${name}.`,
      remedy: expect.stringContaining(`GRANT EXECUTE ON FUNCTION "rowlock".${name} TO ${role}`),
    })),
  );
});

test('a long history without a retention', async () => {
  await stage();
  await plain.query("UPDATE pg_class SET reltuples = 6e6 WHERE oid = 'rowlock.job'::regclass");
  expect(await examined()).toMatchObject([
    { check: 'retention', severity: 'warning', what: expect.stringContaining('6,000,000 jobs') },
  ]);
  await plain.query(
    "INSERT INTO rowlock.worker (id, name, host, pid, queues, stopped_at, prunes_until) VALUES (1, 'one', 'here', 1, '{}', now(), now())",
  );
  expect(await examined()).toEqual([]);
});

test('a transaction that stays open', async () => {
  await stage();
  const other = new pg.Client({ connectionString: url, application_name: 'report' });
  await other.connect();
  onTestFinished(() => other.end());
  await other.query('BEGIN ISOLATION LEVEL REPEATABLE READ');
  await other.query('SELECT FROM rowlock.job');
  expect(await oldTransactions(plain)).toEqual([]);
  expect(await oldTransactions(plain, 0)).toMatchObject([
    {
      severity: 'warning',
      what: expect.stringMatching(/open for \d+ min: the session \d+ of .* \(report, idle in transaction\)/),
    },
  ]);
});

test('a statement that waits for a claim, and behind which the queue waits', async () => {
  await stage();
  await plain.query('BEGIN; SELECT FROM rowlock.job FOR UPDATE');
  const other = new pg.Client({ connectionString: url });
  await other.connect();
  onTestFinished(() => other.end());
  const { rows } = await other.query('SELECT pg_backend_pid() AS pid');
  const waiting = other.query('ALTER TABLE rowlock.job ALTER COLUMN created_by SET NOT NULL');
  const found = await vi.waitFor(async () => {
    const faults = await tableLocks(plain, tables('rowlock'), 0);
    expect(faults).toHaveLength(1);
    return faults;
  }, 30_000);
  expect(found).toMatchObject([
    { severity: 'broken', remedy: expect.stringContaining(`pg_cancel_backend(${rows[0].pid})`) },
  ]);
  await plain.query('COMMIT');
  await waiting;
  expect(await tableLocks(plain, tables('rowlock'), 0)).toEqual([]);
});

test.each(['SHARE', 'ACCESS EXCLUSIVE'])(
  'a transaction that has locked a table, and does nothing: %s',
  async (mode) => {
    await stage();
    const other = new pg.Client({ connectionString: url });
    await other.connect();
    onTestFinished(() => other.end());
    const { rows } = await other.query('SELECT pg_backend_pid() AS pid');
    await other.query(`BEGIN; LOCK TABLE rowlock.job IN ${mode} MODE`);
    expect(await tableLocks(plain, tables('rowlock'), 0)).toMatchObject([
      {
        severity: 'broken',
        what: expect.stringMatching(`The session ${rows[0].pid} has locked a table of Rowlock`),
        remedy: expect.stringContaining(`End it: SELECT pg_terminate_backend(${rows[0].pid}).`),
      },
    ]);
    await other.query('COMMIT');
    expect(await tableLocks(plain, tables('rowlock'), 0)).toEqual([]);
  },
);

test('a locked table is found alone, as all that reads it would wait, and a table of the application is not meant', async () => {
  await stage();
  const driver = open({ connectionString: url, schema: 'public' });
  await driver.schema.migrate();
  await plain.query('CREATE TABLE public.note ()');
  const other = new pg.Client({ connectionString: url });
  await other.connect();
  onTestFinished(() => other.end());
  await other.query('BEGIN; LOCK TABLE public.note');
  expect(await tableLocks(plain, tables('public'), 0)).toEqual([]);
  await other.query('LOCK TABLE public.job');
  await vi.waitFor(async () => expect(await tableLocks(plain, tables('public'))).toHaveLength(1), 30_000);
  expect(await driver.schema.examine?.(HANDLER_MS)).toMatchObject([
    { check: 'locks', severity: 'broken', remedy: expect.stringContaining('Then look again') },
  ]);
});

test('a table of dead rows', async () => {
  await stage();
  // For this one they are not dead, so that autovacuum leaves them.
  const looking = new pg.Client({ connectionString: url });
  await looking.connect();
  onTestFinished(() => looking.end());
  await looking.query('BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT FROM rowlock.run');
  // A session's counts are seen after its end.
  const short = new pg.Client({ connectionString: url });
  await short.connect();
  await short.query(
    'INSERT INTO rowlock.run SELECT gen_random_uuid(), n, 1 FROM generate_series(1, 100001) AS n',
  );
  await short.query('DELETE FROM rowlock.run');
  await short.end();
  const driver = open();
  await expect
    .poll(() => examined(driver), { timeout: 60_000 })
    .toMatchObject([
      {
        check: 'bloat',
        severity: 'warning',
        what: expect.stringMatching(/^The table run has 100,001 dead rows beside 0\./),
      },
    ]);
});

test.each([
  ['statement_timeout', '5s', 'statement_timeout is 5000 ms here (database), and less than 30000 ms.'],
  ['idle_session_timeout', '10s', 'idle_session_timeout is 10000 ms here'],
])('a setting that ends what workers do: %s', async (name, value, what) => {
  await stage();
  await plain.query(`ALTER DATABASE ${new URL(url).pathname.slice(1)} SET ${name} = '${value}'`);
  expect(await examined()).toMatchObject([
    { check: 'settings', severity: 'warning', what: expect.stringContaining(what) },
  ]);
});

test('a pooler in transaction mode', async () => {
  await stage();
  const pooler = await transactionPooler(url);
  onTestFinished(() => pooler.close());
  const through = new URL(url);
  through.host = `${pooler.host}:${pooler.port}`;
  const driver = open({ connectionString: through.href });
  expect(await examined(driver)).toMatchObject([{ check: 'pooler', severity: 'warning' }]);
  await driver.close();
});

test('ids that are behind, or nearly used up', async () => {
  await stage();
  await plain.query("INSERT INTO rowlock.job (id, kind) OVERRIDING SYSTEM VALUE VALUES (7, 'k')");
  expect(await examined()).toMatchObject([
    {
      check: 'ids',
      severity: 'broken',
      what: 'The next id of "rowlock".job is 1, and there are rows up to 7.',
    },
  ]);
  await open().schema.migrate();
  expect(await examined()).toEqual([]);
  await plain.query("SELECT setval(pg_get_serial_sequence('rowlock.job', 'id'), 9000000000000000000)");
  expect(await examined()).toMatchObject([{ check: 'ids', severity: 'warning' }]);
});

test('a table without autovacuum', async () => {
  await stage();
  await plain.query('ALTER TABLE rowlock.job SET (autovacuum_enabled = off)');
  expect(await examined()).toMatchObject([
    { check: 'autovacuum', severity: 'warning', what: 'The table job has autovacuum_enabled = false.' },
  ]);
});
