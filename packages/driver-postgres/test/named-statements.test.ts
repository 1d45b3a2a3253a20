import '@rowlock/servers/vitest';
import { newJob } from '@rowlock/driver-conformance/internal';
import { freshDatabase } from '@rowlock/servers';
import pg from 'pg';
import { beforeAll, expect, inject, test } from 'vitest';
import { NamedStatements } from '../src/connection/named-statements.js';
import { postgres } from '../src/index.js';
import { statements } from '../src/statements.js';
import { transactionPooler } from './transaction-pooler.js';

const NAMED = "SELECT count(*)::integer AS named FROM pg_prepared_statements WHERE name LIKE 'rowlock%'";

let client: pg.Client;
let url: string;

beforeAll(async () => {
  ({ url } = await freshDatabase(inject('postgresUrl')));
  client = new pg.Client({ connectionString: url });
  await client.connect();
  return () => client.end();
});

async function named(on: pg.Client): Promise<number> {
  return (await on.query(NAMED)).rows[0].named;
}

test('a statement is prepared once, and asked again and again', async () => {
  const names = new NamedStatements(statements('rowlock'), true);
  for (let n = 0; n < 3; n++)
    expect(await names.query(client, 'SELECT $1::integer AS n', [n])).toEqual([{ n }]);
  expect(await named(client)).toBe(1);
});

test('a connection that forgets its statements answers all the same', async () => {
  const names = new NamedStatements(statements('rowlock'), true);
  for (let n = 0; n < 3; n++) {
    expect(await names.query(client, 'SELECT $1::integer AS n', [n])).toEqual([{ n }]);
    await client.query('DISCARD ALL');
  }
});

test('a table that gets another column is read with it', async () => {
  const names = new NamedStatements(statements('rowlock'), true);
  await client.query('CREATE TABLE grows (a integer DEFAULT 1)');
  await client.query('INSERT INTO grows DEFAULT VALUES');
  expect(await names.query(client, 'SELECT * FROM grows', [])).toEqual([{ a: 1 }]);
  await client.query('ALTER TABLE grows ADD COLUMN b integer DEFAULT 2');
  expect(await names.query(client, 'SELECT * FROM grows', [])).toEqual([{ a: 1, b: 2 }]);
});

test('where it is not known yet, it is found out once, when it is worth it', async () => {
  let asked = 0;
  const names = new NamedStatements(statements('rowlock'), async () => {
    asked += 1;
    return true;
  });
  for (let n = 0; n < 19; n++) await names.query(client, 'SELECT 1 AS few', []);
  expect(asked).toBe(0);
  for (let n = 0; n < 19; n++) await names.query(client, 'SELECT 1 AS many', []);
  expect(asked).toBe(1);
  const { rows } = await client.query(
    "SELECT statement FROM pg_prepared_statements WHERE statement LIKE '%few'",
  );
  expect(rows).toEqual([]);
});

const JOB = newJob({ queue: 'default', kind: 'work' });

for (const [sessions, most] of [
  ['own', 1],
  ['own', 3],
  ['auto', 3],
  ['shared', 3],
] as const) {
  test(`behind a pooler with ${most} sessions that are said to be ${sessions}, every enqueue succeeds`, async () => {
    const pooler = await transactionPooler(url, { most, order: 'oldest' });
    const { host, port } = pooler;
    const drivers = Array.from({ length: 2 }, () => postgres({ host, port, user: 'any', sessions }));
    await drivers[0]?.schema.migrate();
    const before = await jobs();
    for (let turn = 0; turn < 30; turn++) {
      await Promise.all(drivers.map((driver) => driver.jobs.enqueue([JOB], [{ queue: 'default' }])));
    }
    expect((await jobs()) - before).toBe(60);
    for (const driver of drivers) await driver.close();
    // Found out on a busy pooler, they may by chance be taken for own ones: then the first refusal ends it.
    if (sessions === 'shared') {
      const session = new pg.Client({ host, port, user: 'any' });
      await session.connect();
      for (let turn = 0; turn < 2 * most; turn++) expect(await named(session)).toBe(0);
      await session.end();
    }
    await pooler.close();
  });
}

async function jobs(): Promise<number> {
  return (await client.query('SELECT count(*)::integer AS jobs FROM rowlock.job')).rows[0].jobs;
}
