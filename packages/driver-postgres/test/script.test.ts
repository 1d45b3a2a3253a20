import { freshDatabase } from '@rowlock/servers';
import '@rowlock/servers/vitest';
import pg from 'pg';
import { afterEach, beforeEach, expect, inject, test } from 'vitest';
import { migrationScript, postgres } from '../src/index.js';
import { migrations, outdated, SCHEMA_VERSION, scriptOf } from '../src/schema/migrations.js';

let plain: pg.Client;
let url: string;
let drop: () => Promise<void>;

beforeEach(async () => {
  ({ url, drop } = await freshDatabase(inject('postgresUrl')));
  plain = new pg.Client({ connectionString: url });
  await plain.connect();
});

afterEach(async () => {
  await plain.end();
  await drop();
});

test('the script is run as it is, and is what `migrate` does', async () => {
  const driver = postgres({ connectionString: url, schema: 'my jobs' });
  await expect(driver.schema.verify()).rejects.toMatchObject({
    code: 'SchemaOutdated',
    message: expect.stringContaining("`npx @rowlock/cli sql postgres --schema 'my jobs'`"),
  });
  await plain.query(await migrationScript('my jobs'));
  await driver.schema.verify();
  expect(await driver.schema.migrate()).toEqual({ from: SCHEMA_VERSION, to: SCHEMA_VERSION, applied: [] });
  await driver.close();
});

test('where the tables have a version, what is missing after it is run as it is', async () => {
  const driver = postgres({ connectionString: url });
  await driver.schema.migrate();
  const next = SCHEMA_VERSION + 1;
  const all = [
    ...(await migrations()),
    { version: next, name: 'more', sql: 'CREATE TABLE more (n integer);', checksum: 'c' },
  ];

  await expect(plain.query(scriptOf(all, 'rowlock', 0))).rejects.toThrow('already exists');
  await plain.query('ROLLBACK');
  await plain.query(scriptOf(all, 'rowlock', SCHEMA_VERSION));

  const { rows } = await plain.query('SELECT max(version) AS version FROM rowlock.rowlock_migration');
  expect(rows).toEqual([{ version: next }]);
  expect((await plain.query('SELECT * FROM rowlock.more')).rows).toEqual([]);
  await driver.schema.verify();
  await driver.close();
});

test('nothing is missing where the tables have the newest version', async () => {
  const driver = postgres({ connectionString: url });
  await driver.schema.migrate();
  await plain.query(await migrationScript('rowlock', SCHEMA_VERSION));
  await driver.schema.verify();
  await driver.close();
});

test('the error of tables that have a version names the command that prints what is missing', () => {
  expect(outdated(1, 'rowlock').message).toContain(
    '`npx @rowlock/cli sql postgres --schema rowlock --from 1`',
  );
  expect(outdated(1, "ada's").message).toContain(`--schema 'ada'\\''s' --from 1`);
});

test('a version that is not there, and a name that cannot be one, are refused', async () => {
  await expect(migrationScript('rowlock', SCHEMA_VERSION + 1)).rejects.toThrow(
    /^'from' must be a version, 0 to/,
  );
  await expect(migrationScript('')).rejects.toThrow(/^A name must have 1 to 63 bytes/);
});
