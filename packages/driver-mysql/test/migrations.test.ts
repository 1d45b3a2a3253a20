import { freshMysqlDatabase } from '@rowlock/servers';
import { type Connection, createConnection, type RowDataPacket } from 'mysql2/promise';
import { afterAll, afterEach, beforeEach, expect, test, vi } from 'vitest';
import { context } from '../src/context.js';
import { mysql } from '../src/index.js';
import { migrate, migrations, SCHEMA_VERSION } from '../src/schema/migrations.js';
import { checkVersion } from '../src/server-version.js';
import { serverUrl } from './server.js';

const files = vi.hoisted(() => ({ areThere: true }));

// The files of a project share what they import: this one imports anew, and so does the next.
vi.hoisted(() => vi.resetModules());
vi.mock('node:fs/promises', async (original) => {
  const real = await original<typeof import('node:fs/promises')>();
  return {
    ...real,
    readdir(folder: URL) {
      return real.readdir(files.areThere ? folder : new URL('none/', folder));
    },
  };
});
afterAll(() => {
  vi.doUnmock('node:fs/promises');
  vi.resetModules();
});

let url: string;
let drop: () => Promise<void>;

beforeEach(async () => {
  files.areThere = true;
  ({ url, drop } = await freshMysqlDatabase(serverUrl));
});

afterEach(() => drop());

test('the version that the driver needs is that of the newest file, and they are counted from 1', async () => {
  const versions = (await migrations()).map(({ version }) => version);
  expect(versions).toEqual(Array.from({ length: SCHEMA_VERSION }, (_, n) => n + 1));
});

test('a bundled application, without the files, works on tables that are there, and says what to do where they are not', async () => {
  const driver = mysql({ uri: url });
  try {
    files.areThere = false;
    await expect(driver.schema.migrate()).rejects.toMatchObject({
      code: 'SchemaOutdated',
      message: expect.stringMatching(/bundle.*npx @rowlock\/cli migrate/),
    });
    files.areThere = true;
    await driver.schema.migrate();
    files.areThere = false;
    await driver.schema.verify();
    expect(await driver.schema.migrate()).toMatchObject({
      from: SCHEMA_VERSION,
      to: SCHEMA_VERSION,
      applied: [],
    });
  } finally {
    await driver.close();
  }
});

test('tables that were dropped are named by migrate(), which makes none of them again, and by verify()', async () => {
  const driver = mysql({ uri: url });
  try {
    await driver.schema.migrate();
    const client = await createConnection({ uri: url });
    await client.query("INSERT INTO rowlock_pause (scope, name, paused_by) VALUES ('queue', 'mails', 'me')");
    await driver.schema.verify();
    await client.query('DROP TABLE rowlock_job, rowlock_follower');
    await client.end();
    const named = {
      code: 'SchemaDiffers',
      message: expect.stringMatching(/Missing: .*\.rowlock_job, .*\.rowlock_follower\./),
    };
    await expect(driver.schema.migrate()).rejects.toMatchObject(named);
    await expect(driver.schema.verify()).rejects.toMatchObject(named);
  } finally {
    await driver.close();
  }
});

test('a migration that waits for an open transaction lets others use the table, and ends when that does', async () => {
  const driver = mysql({ uri: url });
  const [open, other] = await Promise.all([createConnection({ uri: url }), createConnection({ uri: url })]);
  try {
    await driver.schema.migrate();
    await other.query(
      'ALTER TABLE rowlock_worker DROP COLUMN memory, DROP COLUMN version, DROP COLUMN concurrency',
    );
    await other.query('DELETE FROM rowlock_migration WHERE version >= 5');
    await open.beginTransaction();
    await open.query('SELECT id FROM rowlock_worker');
    const migrated = driver.schema.migrate();
    await vi.waitFor(async () => {
      const [sessions] = await other.query<RowDataPacket[]>('SHOW PROCESSLIST');
      const states = sessions.filter(({ db }) => db === schema()).map(({ State }) => State);
      expect(states).toContain('Waiting for table metadata lock');
    }, 30_000);
    await other.query('SELECT id FROM rowlock_worker');
    await open.commit();
    expect(await migrated).toMatchObject({ from: 4, to: SCHEMA_VERSION });
  } finally {
    await Promise.all([open.end(), other.end(), driver.close()]);
  }
});

test('an account that may not make the tables is told what to do', async () => {
  const account = `migrator_${schema().slice(-8)}`;
  const dba = await createConnection({ uri: url });
  await dba.query(`CREATE USER ${account}@'%' IDENTIFIED BY 'change-me'`);
  await dba.query(`GRANT SELECT ON ${schema()}.* TO ${account}@'%'`);
  const own = new URL(url);
  own.username = account;
  own.password = 'change-me';
  const driver = mysql({ uri: own.href });
  try {
    await expect(driver.schema.migrate()).rejects.toMatchObject({
      code: 'PermissionDenied',
      message: expect.stringMatching(/may not make or change .*CREATE command denied .*Migrate as /),
    });
  } finally {
    await driver.close();
    await dba.query(`DROP USER ${account}@'%'`);
    await dba.end();
  }
});

test.each([
  ['10.6.18-MariaDB-1', 'MariaDB 10.10.0'],
  ['10.9.8-MariaDB', 'MariaDB 10.10.0'],
  ['5.7.44-log', 'MySQL 8.0.26'],
  ['8.0.25', 'MySQL 8.0.26'],
])('a server that says it is %s is too old, and is left as it was', async (version, needed) => {
  const client = await saying(version);
  await expect(migrate(client, context(schema(), 5_000))).rejects.toThrow(
    `Rowlock needs ${needed} or later, and this is ${version}.`,
  );
  const [tables] = await client.query('SHOW TABLES');
  expect(tables).toEqual([]);
  await client.end();
});

test.each(['8.0.26', '8.0.36-28', '8.4.0-log', '9.0.1', '10.10.2-MariaDB', '11.4.4-MariaDB-ubu2404'])(
  'a server that says it is %s is new enough',
  async (version) => {
    const driver = mysql({ uri: url });
    await driver.schema.migrate();
    await driver.close();
    const client = await saying(version);
    expect(await migrate(client, context(schema(), 5_000))).toMatchObject({ applied: [] });
    await client.end();
  },
);

const schema = (): string => new URL(url).pathname.slice(1);

/** A connection to a server that tells another version than its own. */
async function saying(version: string): Promise<Connection> {
  const client = await createConnection({ uri: url, multipleStatements: true });
  const execute = client.execute.bind(client);
  vi.spyOn(client, 'execute').mockImplementation((sql, values) =>
    execute(String(sql).replace('VERSION()', `'${version}'`), values),
  );
  return client;
}

test.each([
  ['8.0.29', /INSTANT/],
  ['8.0.29-21', /INSTANT/],
  ['8.0.38', /withdrawn/],
])('of MySQL %s there is a warning', (version, why) => {
  expect(checkVersion(version)).toEqual([expect.stringMatching(why)]);
});

test.each(['8.0.28', '8.0.39', '9.7.4', '11.8.29-MariaDB'])('of %s there is no warning', (version) => {
  expect(checkVersion(version)).toEqual([]);
});
