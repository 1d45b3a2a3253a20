import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { freshMysqlDatabase } from '@rowlock/servers';
import { type Connection, createConnection } from 'mysql2/promise';
import { expect, test } from 'vitest';
import { mysql } from '../src/index.js';
import { product, serverUrl } from './server.js';

const CLI = fileURLToPath(new URL('../dist/cli.js', import.meta.url));
const FOR_THIS_SERVER = product === 'mariadb' ? ['--mariadb'] : [];

async function cli(...args: string[]): Promise<string> {
  const { stdout } = await promisify(execFile)(process.execPath, [CLI, ...args]);
  return stdout;
}

async function inFreshDatabase(work: (client: Connection, url: string) => Promise<void>): Promise<void> {
  const fresh = await freshMysqlDatabase(serverUrl);
  const client = await createConnection(fresh.url);
  try {
    await work(client, fresh.url);
  } finally {
    await client.end();
    await fresh.drop();
  }
}

test('what `sql` prints leaves the schema that `migrate` leaves, also when a DBA runs it twice', () =>
  inFreshDatabase((migrated, migratedUrl) =>
    inFreshDatabase(async (scripted, scriptedUrl) => {
      expect(await cli('migrate', '--url', migratedUrl)).toContain(
        'applied 0001_jobs, 0002_enqueue, 0003_limits',
      );

      const script = await cli(
        'sql',
        '--database',
        new URL(scriptedUrl).pathname.slice(1),
        ...FOR_THIS_SERVER,
      );
      const statements = asTheClientReads(script);
      for (const statement of [...statements, ...statements]) await scripted.query(statement);

      expect(await schemaOf(scripted)).toEqual(await schemaOf(migrated));
      const driver = mysql({ uri: scriptedUrl });
      await driver.verify();
      expect(await driver.migrate()).toMatchObject({ applied: [] });
      await driver.close();
    }),
  ));

test('where the tables have a version, the error names the command that prints what is missing after it', () =>
  inFreshDatabase(async (scripted, url) => {
    const database = new URL(url).pathname.slice(1);
    const all = asTheClientReads(await cli('sql', '--database', database, ...FOR_THIS_SERVER));
    const second = all.findIndex((statement) => /-- 0002_/.test(statement));
    for (const statement of all.slice(0, second)) await scripted.query(statement);

    const driver = mysql({ uri: url });
    const flags = [...FOR_THIS_SERVER, '--from', '1'];
    const command = ['npx rowlock-mysql sql --database', database, ...flags].join(' ');
    await expect(driver.verify()).rejects.toMatchObject({
      code: 'SchemaOutdated',
      message: expect.stringContaining('are at version 1 and this driver needs 3.'),
    });
    await expect(driver.verify()).rejects.toThrow(`\`${command}\``);

    const missing = await cli('sql', '--database', database, ...flags);
    expect(missing).not.toContain('CREATE TABLE IF NOT EXISTS rowlock_job (');
    for (const statement of asTheClientReads(missing)) await scripted.query(statement);
    await driver.verify();
    expect(await driver.migrate()).toMatchObject({ from: 3, applied: [] });
    await driver.close();
  }));

test('what is printed for the other server is refused', () =>
  inFreshDatabase(async (client, url) => {
    const other = FOR_THIS_SERVER.length === 0 ? ['--mariadb'] : [];
    const script = await cli('sql', '--database', new URL(url).pathname.slice(1), ...other);
    const run = async () => {
      for (const statement of asTheClientReads(script)) await client.query(statement);
    };
    await expect(run()).rejects.toThrow(/^This is for M/);
    expect(await tablesOf(client)).toEqual([]);
  }));

test.each([
  [['sql', '--maria'], /Unknown option '--maria'.*Usage:/s],
  [['sql', '--url', 'mysql://localhost'], /Unknown option '--url'.*Usage:/s],
  [['sql', 'mariadb'], /Unexpected argument 'mariadb'.*Usage:/s],
  [['sql', '--database'], /argument missing.*Usage:/s],
  [['sql', '--from', '4'], /--from takes a version, 0 to 3, and not '4'.*Usage:/s],
  [['sql', '--from', 'x'], /--from takes a version.*Usage:/s],
  [['migrate', '--mariadb'], /Unknown option '--mariadb'.*Usage:/s],
  [['dump'], /There is no command 'dump'.*Usage:/s],
  [['--from', '1'], /There is no command '--from'.*Usage:/s],
  [[], /Which command\?.*Usage:/s],
])('%j is misuse, and explained', async (args, text) => {
  await expect(cli(...args)).rejects.toMatchObject({
    code: 2,
    stdout: '',
    stderr: expect.stringMatching(text),
  });
});

test('a name that cannot be one is an error', async () => {
  await expect(cli('sql', '--database', '')).rejects.toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/^A name must have 1 to 64 characters/),
  });
});

test.each([[['--help']], [['-h']], [['sql', '--help']]])('%j explains', async (args) => {
  expect(await cli(...args)).toMatch(/^Usage:/);
});

async function schemaOf(client: Connection): Promise<readonly unknown[]> {
  const ask = async (sql: string): Promise<readonly unknown[]> => (await client.query<never>(sql))[0];
  const tables = await tablesOf(client);
  const created = await Promise.all(
    [...tables.map((name) => `TABLE ${name}`), 'PROCEDURE rowlock_enqueue'].map((what) =>
      ask(`SHOW CREATE ${what}`),
    ),
  );
  return [...created.flat(), ...(await ask('SELECT version, name FROM rowlock_migration ORDER BY version'))];
}

async function tablesOf(client: Connection): Promise<readonly string[]> {
  const [rows] = await client.query<never>('SHOW TABLES');
  return (rows as Record<string, string>[]).flatMap((row) => Object.values(row));
}

/** As the `mysql` program does: to the delimiter at the end of a line, which DELIMITER changes. */
function asTheClientReads(script: string): readonly string[] {
  const statements: string[] = [];
  let [delimiter, statement] = [';', ''];
  for (const line of script.split('\n')) {
    const change = /^DELIMITER (\S+)$/.exec(line)?.[1];
    if (change !== undefined) delimiter = change;
    else if (line.endsWith(delimiter) && !line.startsWith('--')) {
      statements.push(statement + line.slice(0, -delimiter.length));
      statement = '';
    } else statement += `${line}\n`;
  }
  expect(statement.trim()).toBe('');
  return statements;
}
