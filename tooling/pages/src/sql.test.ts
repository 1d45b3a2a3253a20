import { freshDatabase, freshMysqlDatabase } from '@rowlock/servers';
import '@rowlock/servers/vitest';
import { mysql } from '@rowlock/driver-mysql';
import { postgres } from '@rowlock/driver-postgres';
import { createConnection } from 'mysql2/promise';
import pg from 'pg';
import { expect, inject, onTestFinished, test } from 'vitest';
import { type Block, blocksOf, pages } from './page.js';

// The SQL that moves another queue's jobs runs beside that queue: benchmarks/moves.proof.test.mjs.
const SQL = pages('README.md', 'docs/**/*.md')
  .filter(({ file }) => !file.startsWith('docs/judge/from-'))
  .flatMap(blocksOf)
  .filter(({ language }) => language === 'sql');
const isForMysql = ({ code }: Block): boolean => code.includes('rowlock_');

test('there is SQL for both databases', () => {
  expect(SQL.some(isForMysql)).toBe(true);
  expect(SQL.every(isForMysql)).toBe(false);
});

test.each(SQL.filter((block) => !isForMysql(block)))(
  'the SQL of $file:$line runs on Postgres',
  async ({ code }) => {
    const database = await freshDatabase(inject('postgresUrl'));
    onTestFinished(() => database.drop());
    const driver = postgres({ connectionString: database.url });
    await driver.schema.migrate();
    await driver.close();
    const client = new pg.Client(database.url);
    await client.connect();
    onTestFinished(() => client.end());
    await client.query(code);
  },
);

test.each(SQL.filter(isForMysql))('the SQL of $file:$line runs on MySQL', async ({ code }) => {
  const database = await freshMysqlDatabase(inject('mysqlUrl'));
  onTestFinished(() => database.drop());
  const driver = mysql({ uri: database.url });
  await driver.schema.migrate();
  await driver.close();
  const connection = await createConnection(database.url);
  onTestFinished(() => connection.end());
  await connection.query(code);
});
