import { createRowlock, defineCapture } from '@rowlock/core';
import type { Driver } from '@rowlock/core/driver';
import { freshMysqlDatabase } from '@rowlock/servers';
import { type Connection, createConnection, type RowDataPacket } from 'mysql2/promise';
import { expect, onTestFinished, test, vi } from 'vitest';
import { context } from '../src/context.js';
import { type MysqlOptions, mysql } from '../src/index.js';
import { drift, objectsOf } from '../src/schema/examine/drift.js';
import { metadataLocks } from '../src/schema/examine/metadata-locks.js';
import { retention } from '../src/schema/examine/retention.js';
import { history, oldTransactions } from '../src/schema/examine/transactions.js';
import { tables } from '../src/schema/tables.js';
import { product, serverUrl } from './server.js';

const HANDLER_MS = 30_000;

let plain: Connection;
let url: string;
let schema: string;

/** A database of its own with the tables, until the test has finished. */
async function stage(): Promise<void> {
  const fresh = await freshMysqlDatabase(serverUrl);
  onTestFinished(fresh.drop);
  url = fresh.url;
  schema = new URL(url).pathname.slice(1);
  const driver = mysql({ uri: url });
  await driver.schema.migrate();
  await driver.close();
  plain = await createConnection(url);
  onTestFinished(() => plain.end());
}

function open(options: MysqlOptions = { uri: url }): Driver {
  const driver = mysql(options);
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

test('what the migrations make is on file', async () => {
  await stage();
  const objects = [...(await objectsOf(plain, schema))].map(([name, definition]) =>
    definition === '' ? `${name}\n` : `${name}: ${definition}\n`,
  );
  await expect(objects.sort().join('')).toMatchFileSnapshot('../migrations/objects.txt');
  expect(await drift(plain, schema)).toEqual([]);
});

test.each([
  ['DROP INDEX job_failed ON rowlock_job', 'The index rowlock_job.job_failed(failed) of the database'],
  ['ALTER TABLE rowlock_job DROP COLUMN finished_by', 'The column rowlock_job.finished_by of the database'],
  ['DROP PROCEDURE rowlock_prune_slots', 'The procedure rowlock_prune_slots of the database'],
])('a schema that has drifted: %s', async (sql, what) => {
  await stage();
  await plain.query(sql);
  expect(await examined()).toMatchObject([
    { check: 'schema', severity: 'broken', what: expect.stringContaining(what) },
  ]);
});

test('a column of another type or collation, and a CHECK that somebody added', async () => {
  await stage();
  await plain.query('ALTER TABLE rowlock_worker MODIFY version VARCHAR(3)');
  await plain.query(
    'ALTER TABLE rowlock_limit_setting MODIFY name VARCHAR(128) CHARACTER SET latin1 NOT NULL',
  );
  await plain.query("ALTER TABLE rowlock_job ADD CONSTRAINT no_mails CHECK (queue <> 'mails')");
  const other = { check: 'schema', severity: 'warning' };
  expect(await examined()).toMatchObject([
    { ...other, what: expect.stringMatching(/limit_setting\.name .*: it is varchar\(128\) COLLATE latin1/) },
    {
      ...other,
      what: expect.stringMatching(/worker\.version .*: it is varchar\(3\) .*and should be varchar\(128\)/),
    },
    {
      check: 'additions',
      severity: 'warning',
      what: "The constraint no_mails of the table rowlock_job is not Rowlock's.",
    },
  ]);
});

test('sessions that cut what is put together or in order have no fault, and a missing table is named once', async () => {
  await stage();
  await plain.query('SET SESSION group_concat_max_len = 4, SESSION max_sort_length = 4');
  expect(await drift(plain, schema)).toEqual([]);
  await plain.query('DROP TABLE rowlock_audit');
  expect(await drift(plain, schema)).toMatchObject([
    { what: `The table rowlock_audit of the database ${schema} is missing.` },
  ]);
});

test('a right that a worker lacks', async () => {
  await stage();
  const account = `w_${schema.slice(-12)}`;
  await plain.query(`CREATE USER '${account}' IDENTIFIED BY 'change-me'`);
  onTestFinished(async () => {
    await plain.query(`DROP USER '${account}'`);
  });
  await plain.query(`GRANT EXECUTE ON ${schema}.* TO '${account}'`);
  await plain.query(`GRANT PROCESS ON *.* TO '${account}'`);
  // While another test's statement has an emoji, MySQL shows the open transactions nowhere else.
  await plain.query(`GRANT SELECT ON performance_schema.* TO '${account}'`);
  const all = Object.values(tables(schema)).filter(
    (name) => !/_(?:enter|widen|prune|limited|take|taken)_|capture/.test(name),
  );
  for (const name of all)
    await plain.query(`GRANT SELECT, INSERT, UPDATE, DELETE ON ${name} TO '${account}'`);
  const own = new URL(url);
  own.username = account;
  own.password = 'change-me';
  const driver = open({ uri: own.href });
  expect(await examined(driver)).toEqual([]);
  await plain.query(`REVOKE UPDATE ON ${schema}.rowlock_run FROM '${account}'`);
  await plain.query(`REVOKE INSERT ON ${schema}.rowlock_bell FROM '${account}'`);
  expect(await examined(driver)).toMatchObject([
    { check: 'rights', severity: 'broken', what: expect.stringMatching(/lacks INSERT on .*rowlock_bell/) },
    { check: 'rights', severity: 'broken', what: expect.stringMatching(/lacks UPDATE on .*rowlock_run/) },
  ]);
  await plain.query(`GRANT UPDATE ON ${schema}.rowlock_run TO '${account}'`);
  await plain.query(`GRANT INSERT ON ${schema}.rowlock_bell TO '${account}'`);
  await plain.query(`REVOKE UPDATE ON ${schema}.rowlock_schedule FROM '${account}'`);
  expect(await examined(driver)).toEqual([]);
  await plain.query(
    "INSERT INTO rowlock_schedule (name, plan, fingerprint, source, updated_by) VALUES ('s', '{}', 'f', 'dynamic', 'ada')",
  );
  expect(await examined(driver)).toMatchObject([
    {
      check: 'rights',
      severity: 'broken',
      what: expect.stringMatching(/lacks UPDATE on .*rowlock_schedule/),
    },
  ]);
});

test('a long history without a retention', async () => {
  await stage();
  expect(await retention(plain, schema, tables(schema))).toEqual([]);
  expect(await retention(plain, schema, tables(schema), 0)).toMatchObject([{ severity: 'warning' }]);
  await plain.query(
    "INSERT INTO rowlock_worker (id, name, host, pid, queues, prunes_until) VALUES (1, 'one', 'here', 1, '[]', UTC_TIMESTAMP(6))",
  );
  expect(await retention(plain, schema, tables(schema), 0)).toEqual([]);
});

test('a transaction that stays open, and old versions of rows', async () => {
  await stage();
  const other = await createConnection(url);
  onTestFinished(() => other.end());
  await other.query('START TRANSACTION');
  await other.query("INSERT INTO rowlock_job (kind) VALUES ('k')");
  const held = await oldTransactions(plain, 0);
  expect(held).toMatchObject([
    { severity: 'warning', what: expect.stringMatching(/^A transaction has been open for \d+ min/) },
  ]);
  expect(await oldTransactions(plain)).toEqual([]);
  expect(await history(plain, 0)).toMatchObject([{ severity: 'warning' }]);
});

test('a transaction is found also while the server cannot show a statement with emojis', async () => {
  await stage();
  const other = await createConnection(url);
  await other.query('START TRANSACTION');
  await other.query("INSERT INTO rowlock_job (kind) VALUES ('k')");
  const asleep = other.query("SELECT '🙂', GET_LOCK(?, 0), SLEEP(1000)", [schema]).catch(() => {});
  onTestFinished(async () => {
    await plain.query(`KILL ${other.threadId}`);
    await asleep;
  });
  await vi.waitFor(async () => {
    const [[user]] = await plain.query<RowDataPacket[]>('SELECT IS_USED_LOCK(?) AS session', [schema]);
    expect(user?.session).toBe(other.threadId);
  }, 30_000);
  expect(await oldTransactions(plain, 0)).toMatchObject([
    { what: expect.stringMatching(/^A transaction has been open for \d+ min/) },
  ]);
  expect(await examined()).toEqual([]);
});

test('what neither table shows is not called healthy', async () => {
  const refused = Object.assign(new Error('Cannot convert string'), { errno: 3854 });
  const looks: string[] = [];
  const unused = () => Promise.reject(new Error('It prepares its statement.'));
  async function execute(sql: string): Promise<[unknown, unknown]> {
    looks.push(sql);
    if (looks.length === 1) throw refused;
    return [[], []];
  }
  await expect(oldTransactions({ query: unused, execute })).rejects.toThrow('Cannot convert string');
  expect(looks).toHaveLength(2);
});

test.each([
  ['ALTER TABLE', "ALTER TABLE rowlock_job COMMENT 'x'"],
  // MariaDB locks what triggers write no more than a writer does.
  ...(product === 'mysql' ? [['LOCK TABLES', 'LOCK TABLES captured WRITE']] : []),
])('a statement that waits for a claim, and behind which the queue waits: %s', async (verb, statement) => {
  await stage();
  await plain.query('CREATE TABLE captured (id INT PRIMARY KEY)');
  const driver = open();
  const capture = defineCapture({ name: 'c', table: 'captured', id: ['id'], kind: 'k' });
  await createRowlock({ driver, captures: [capture] }).captures.apply();
  await plain.query('START TRANSACTION');
  await plain.query('SELECT * FROM rowlock_job WHERE id = 1 FOR UPDATE');
  const other = await createConnection(url);
  onTestFinished(() => other.end());
  const waiting = other.query(statement);
  const locks = await vi.waitFor(async () => {
    const found = await metadataLocks(plain, context(schema, 5_000), 0);
    expect(found).toHaveLength(1);
    return found;
  }, 30_000);
  expect(locks).toMatchObject([
    {
      severity: 'broken',
      what: expect.stringMatching(new RegExp(`^The ${verb} of the session ${other.threadId} has waited`)),
      remedy: expect.stringContaining(`KILL ${other.threadId}`),
    },
  ]);
  await plain.query('COMMIT');
  await waiting;
  await other.query('UNLOCK TABLES');
  expect(await metadataLocks(plain, context(schema, 5_000), 0)).toEqual([]);
});

// MariaDB shows who waits for a lock, and not who has it.
test.runIf(product === 'mysql').each(['READ', 'WRITE'])(
  'a session that has locked a table, and does nothing: %s',
  async (mode) => {
    await stage();
    const other = await createConnection(url);
    onTestFinished(() => other.end());
    await other.query(`LOCK TABLES rowlock_job ${mode}`);
    expect(await metadataLocks(plain, context(schema, 5_000), 0)).toMatchObject([
      {
        severity: 'broken',
        what: expect.stringMatching(`The session ${other.threadId} has locked a table of Rowlock`),
        remedy: expect.stringContaining(`End it: KILL ${other.threadId}.`),
      },
    ]);
    await other.query('UNLOCK TABLES');
    expect(await metadataLocks(plain, context(schema, 5_000), 0)).toEqual([]);
  },
);

test.runIf(product === 'mysql')(
  'a locked table is found alone, as all that reads it would wait',
  async () => {
    await stage();
    const driver = open();
    const other = await createConnection(url);
    onTestFinished(() => other.end());
    await other.query('LOCK TABLES rowlock_job WRITE');
    const here = context(schema, 5_000);
    await vi.waitFor(async () => expect(await metadataLocks(plain, here)).toHaveLength(1), 30_000);
    expect(await driver.schema.examine?.(HANDLER_MS)).toMatchObject([
      { check: 'locks', severity: 'broken', remedy: expect.stringContaining('Then look again') },
    ]);
  },
);

test('a setting that ends what workers do', async () => {
  await stage();
  const driver = open({
    uri: url,
    onConnect: (connection) => connection.query('SET SESSION wait_timeout = 5'),
  });
  expect(await examined(driver)).toMatchObject([
    { check: 'settings', severity: 'warning', what: 'wait_timeout is 5 s here, and less than 15 s.' },
  ]);
});

test('a limit on idle transactions', async (context) => {
  if (product !== 'mariadb') return context.skip('MySQL has no idle_transaction_timeout');
  await stage();
  const driver = open({
    uri: url,
    onConnect: (connection) => connection.query('SET SESSION idle_transaction_timeout = 5'),
  });
  expect(await examined(driver)).toMatchObject([
    {
      check: 'settings',
      severity: 'warning',
      what: 'idle_transaction_timeout is 5 s here, and less than 30 s.',
    },
  ]);
});

test('a proxy that lets clients share sessions', async () => {
  await stage();
  expect(await examined(open({ uri: url, sessions: 'shared' }))).toMatchObject([
    { check: 'pooler', severity: 'warning' },
  ]);
});

test('ids that are nearly used up', async () => {
  await stage();
  await plain.query('ALTER TABLE rowlock_job AUTO_INCREMENT = 9000000000000000000');
  expect(await examined()).toMatchObject([{ check: 'ids', severity: 'warning' }]);
});
