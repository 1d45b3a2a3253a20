import { freshDatabase } from '@rowlock/servers';
import '@rowlock/servers/vitest';
import pg from 'pg';
import { afterAll, afterEach, beforeEach, expect, inject, test, vi } from 'vitest';
import { postgres } from '../src/index.js';
import { migrations, SCHEMA_VERSION, scriptOf } from '../src/schema/migrations.js';
import { waiting } from './waiting.js';

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
  ({ url, drop } = await freshDatabase(inject('postgresUrl')));
});

afterEach(() => drop());

test('the version that the driver needs is that of the newest file, and they are counted from 1', async () => {
  const versions = (await migrations()).map(({ version }) => version);
  expect(versions).toEqual(Array.from({ length: SCHEMA_VERSION }, (_, n) => n + 1));
});

test('a bundled application, without the files, works on tables that are there, and says what to do where they are not', async () => {
  const driver = postgres({ connectionString: url });
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

test('tables and functions that were dropped are named by migrate(), which makes none of them again, and by verify()', async () => {
  const driver = postgres({ connectionString: url });
  try {
    await driver.schema.migrate();
    const client = new pg.Client(url);
    await client.connect();
    await client.query('DROP TABLE rowlock.job, rowlock.follower CASCADE');
    await client.query('DROP FUNCTION rowlock.limit_gate');
    await client.end();
    const named = {
      code: 'SchemaDiffers',
      message: expect.stringMatching(/Missing: .*\.job, .*\.follower, .*\.limit_gate\(\)\./),
    };
    await expect(driver.schema.migrate()).rejects.toMatchObject(named);
    await expect(driver.schema.verify()).rejects.toMatchObject(named);
  } finally {
    await driver.close();
  }
});

test('a migration that waits for an open transaction lets others use the table, and ends when that does', async () => {
  const driver = postgres({ connectionString: url });
  const [open, other] = [new pg.Client(url), new pg.Client(url)];
  await Promise.all([open.connect(), other.connect()]);
  try {
    await other.query(scriptOf((await migrations()).slice(0, 2), 'rowlock', 0));
    await open.query('BEGIN; SELECT FROM rowlock.worker');
    const migrated = driver.schema.migrate();
    await vi.waitFor(async () => expect(await waiting(other)).toBe(1), 30_000);
    await other.query('SELECT FROM rowlock.worker');
    await open.query('COMMIT');
    expect(await migrated).toMatchObject({ from: 2, to: SCHEMA_VERSION });
  } finally {
    await Promise.all([open.end(), other.end(), driver.close()]);
  }
});

test('who may not make a schema is told so, and migrates one that a DBA has made', async () => {
  const role = `migrator_${new URL(url).pathname.slice(-8)}`;
  const dba = new pg.Client(url);
  await dba.connect();
  await dba.query(`CREATE ROLE ${role} LOGIN PASSWORD 'change-me'`);
  const own = new URL(url);
  own.username = role;
  own.password = 'change-me';
  const driver = postgres({ connectionString: own.href });
  try {
    await expect(driver.schema.migrate()).rejects.toMatchObject({
      code: 'PermissionDenied',
      message: expect.stringMatching(/may not make or change .*permission denied for database .*Migrate as /),
    });
    await dba.query(`CREATE SCHEMA rowlock AUTHORIZATION ${role}`);
    expect(await driver.schema.migrate()).toMatchObject({ from: 0, to: SCHEMA_VERSION });
    await driver.schema.verify();
  } finally {
    await driver.close();
    await dba.query(`DROP OWNED BY ${role}; DROP ROLE ${role}`);
    await dba.end();
  }
});
