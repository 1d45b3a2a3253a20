import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { freshDatabase } from '@rowlock/servers';
import '@rowlock/servers/vitest';
import pg from 'pg';
import { afterEach, beforeEach, expect, inject, test } from 'vitest';
import { postgres } from '../src/index.js';
import { migrations, outdated, SCHEMA_VERSION, scriptOf } from '../src/migrations.js';

const CLI = fileURLToPath(new URL('../dist/cli.js', import.meta.url));

async function cli(...args: string[]): Promise<string> {
  const { stdout } = await promisify(execFile)(process.execPath, [CLI, ...args]);
  return stdout;
}

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

test('what `sql` prints is run as it is, and is what `migrate` does', async () => {
  const driver = postgres({ connectionString: url, schema: 'my jobs' });
  await expect(driver.verify()).rejects.toMatchObject({
    code: 'SchemaOutdated',
    message: expect.stringContaining("`npx rowlock-postgres sql --schema 'my jobs'`"),
  });
  await plain.query(await cli('sql', '--schema', 'my jobs'));
  await driver.verify();
  await driver.close();
  const migrated = await cli('migrate', '--schema', 'my jobs', '--url', url);
  expect(migrated).toBe(`Schema my jobs: version ${SCHEMA_VERSION} to ${SCHEMA_VERSION}, nothing to do.\n`);
});

test('where the tables have a version, what is missing after it is run as it is', async () => {
  const driver = postgres({ connectionString: url });
  await driver.migrate();
  const next = SCHEMA_VERSION + 1;
  const all = [
    ...(await migrations()),
    { version: next, name: 'more', sql: 'CREATE TABLE more (n integer);' },
  ];

  await expect(plain.query(scriptOf(all, 'rowlock', 0))).rejects.toThrow('already exists');
  await plain.query('ROLLBACK');
  await plain.query(scriptOf(all, 'rowlock', SCHEMA_VERSION));

  const { rows } = await plain.query('SELECT max(version) AS version FROM rowlock.rowlock_migration');
  expect(rows).toEqual([{ version: next }]);
  expect((await plain.query('SELECT * FROM rowlock.more')).rows).toEqual([]);
  await driver.verify();
  await driver.close();
});

test('nothing is missing where the tables have the newest version', async () => {
  await cli('migrate', '--url', url);
  await plain.query(await cli('sql', '--from', String(SCHEMA_VERSION)));
  const driver = postgres({ connectionString: url });
  await driver.verify();
  await driver.close();
});

test('the error of tables that have a version names the command that prints what is missing', () => {
  expect(outdated(1, 'rowlock').message).toContain('`npx rowlock-postgres sql --schema rowlock --from 1`');
  expect(outdated(1, "ada's").message).toContain(`--schema 'ada'\\''s' --from 1`);
});

test.each([
  [['sql', '--skema'], /Unknown option '--skema'.*Usage:/s],
  [['sql', '--url', 'postgres://localhost'], /Unknown option '--url'.*Usage:/s],
  [['sql', 'rowlock'], /Unexpected argument 'rowlock'.*Usage:/s],
  [['sql', '--schema'], /argument missing.*Usage:/s],
  [['sql', '--from', '999'], /--from takes a version, 0 to \d+, and not '999'.*Usage:/s],
  [['sql', '--from', 'x'], /--from takes a version.*Usage:/s],
  [['migrate', '--from', '1'], /Unknown option '--from'.*Usage:/s],
  [['dump'], /There is no command 'dump'.*Usage:/s],
  [['--schema', 'rowlock'], /There is no command '--schema'.*Usage:/s],
  [[], /Which command\?.*Usage:/s],
])('%j is misuse, and explained', async (args, text) => {
  await expect(cli(...args)).rejects.toMatchObject({
    code: 2,
    stdout: '',
    stderr: expect.stringMatching(text),
  });
});

test('a name that cannot be one is an error', async () => {
  await expect(cli('sql', '--schema', '')).rejects.toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/^A name must have 1 to 63 bytes/),
  });
});

test.each([[['--help']], [['-h']], [['sql', '--help']]])('%j explains', async (args) => {
  expect(await cli(...args)).toMatch(/^Usage:/);
});
