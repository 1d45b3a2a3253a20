import { freshMysqlDatabase } from '@rowlock/servers';
import { type Connection, createConnection } from 'mysql2/promise';
import { expect, test } from 'vitest';
import { migrationScript, mysql } from '../src/index.js';
import { product, serverUrl } from './server.js';

const [OF_THIS_SERVER, OF_THE_OTHER] =
  product === 'mariadb' ? (['MariaDB', 'MySQL'] as const) : (['MySQL', 'MariaDB'] as const);

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

test('the script leaves the schema that `migrate` leaves, also when a DBA runs it twice', () =>
  inFreshDatabase((migrated, migratedUrl) =>
    inFreshDatabase(async (scripted, scriptedUrl) => {
      const first = mysql({ uri: migratedUrl });
      expect(await first.schema.migrate()).toMatchObject({
        applied: ['0001_jobs', '0002_enqueue', '0003_limits', '0004_expiry', '0005_workers', '0006_audit'],
      });
      await first.close();

      const script = await migrationScript(new URL(scriptedUrl).pathname.slice(1), OF_THIS_SERVER);
      const statements = asTheClientReads(script);
      for (const statement of [...statements, ...statements]) await scripted.query(statement);

      expect(await schemaOf(scripted)).toEqual(await schemaOf(migrated));
      const driver = mysql({ uri: scriptedUrl });
      await driver.schema.verify();
      expect(await driver.schema.migrate()).toMatchObject({ applied: [] });
      await driver.close();
    }),
  ));

test('where the tables have a version, the error names the command that prints what is missing after it', () =>
  inFreshDatabase(async (scripted, url) => {
    const database = new URL(url).pathname.slice(1);
    const all = asTheClientReads(await migrationScript(database, OF_THIS_SERVER));
    const second = all.findIndex((statement) => /-- 0002_/.test(statement));
    for (const statement of all.slice(0, second)) await scripted.query(statement);

    const driver = mysql({ uri: url });
    const command = `npx @rowlock/cli sql ${product ?? 'mysql'} --schema ${database} --from 1`;
    await expect(driver.schema.verify()).rejects.toMatchObject({
      code: 'SchemaOutdated',
      message: expect.stringContaining('are at version 1 and this driver needs 6.'),
    });
    await expect(driver.schema.verify()).rejects.toThrow(`\`${command}\``);

    const missing = await migrationScript(database, OF_THIS_SERVER, 1);
    expect(missing).not.toContain('CREATE TABLE IF NOT EXISTS rowlock_job (');
    for (const statement of asTheClientReads(missing)) await scripted.query(statement);
    await driver.schema.verify();
    expect(await driver.schema.migrate()).toMatchObject({ from: 6, applied: [] });
    await driver.close();
  }));

test('what is printed for the other server is refused', () =>
  inFreshDatabase(async (client, url) => {
    const script = await migrationScript(new URL(url).pathname.slice(1), OF_THE_OTHER);
    const run = async () => {
      for (const statement of asTheClientReads(script)) await client.query(statement);
    };
    await expect(run()).rejects.toThrow(/^This is for M/);
    expect(await tablesOf(client)).toEqual([]);
  }));

test('a version that is not there, and a name that cannot be one, are refused', async () => {
  await expect(migrationScript('rowlock', OF_THIS_SERVER, 7)).rejects.toThrow(
    /^'from' must be a version, 0 to 6, and is 7/,
  );
  await expect(migrationScript('')).rejects.toThrow(/^A name must have 1 to 64 characters/);
});

async function schemaOf(client: Connection): Promise<readonly unknown[]> {
  const ask = async (sql: string): Promise<readonly unknown[]> => (await client.query<never>(sql))[0];
  const tables = await tablesOf(client);
  const created = await Promise.all(
    [...tables.map((name) => `TABLE ${name}`), 'PROCEDURE rowlock_enqueue'].map((what) =>
      ask(`SHOW CREATE ${what}`),
    ),
  );
  return [
    ...created.flat(),
    ...(await ask('SELECT version, name, checksum FROM rowlock_migration ORDER BY version')),
  ];
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
