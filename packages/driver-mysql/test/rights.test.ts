import { readFile } from 'node:fs/promises';
import { createRowlock, type Driver, defineHandler, type Json, type Rowlock } from '@rowlock/core';
import { freshMysqlDatabase } from '@rowlock/servers';
import { type Connection, createConnection } from 'mysql2/promise';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { toDriverError } from '../src/errors.js';
import { type MysqlTransaction, mysql } from '../src/index.js';
import { serverUrl } from './server.js';

/** The statements of the README, as they are, but for the names, which are the server's and not the database's. */
async function statementsOfReadme(): Promise<string[]> {
  const readme = await readFile(new URL('../README.md', import.meta.url), 'utf8');
  const sql = /^## Rights$.*?^```sql$(.*?)^```$/ms.exec(readme)?.[1] ?? '';
  return sql
    .split(';')
    .map((statement) => statement.trim())
    .filter((statement) => statement !== '');
}

let url: string;
let root: Connection;
let drop: () => Promise<void>;
let suffix: string;
const drivers: Driver<MysqlTransaction>[] = [];

beforeEach(async () => {
  const fresh = await freshMysqlDatabase(serverUrl);
  ({ url, drop } = fresh);
  const database = new URL(url).pathname.slice(1);
  suffix = `_${database.slice(-8)}`;
  root = await createConnection(url);
  const driver = mysql({ uri: url });
  await driver.migrate();
  await driver.close();
  for (const statement of await statementsOfReadme()) {
    await root.query(
      statement.replace(/'(producer|worker)'/, `'$1${suffix}'`).replace('ON rowlock.', `ON ${database}.`),
    );
  }
});

afterEach(async () => {
  await Promise.all(drivers.splice(0).map((driver) => driver.close()));
  await root.query(`DROP USER 'producer${suffix}', 'worker${suffix}'`);
  await root.end();
  await drop();
});

function urlOf(user: string): string {
  const own = new URL(url);
  own.username = `${user}${suffix}`;
  own.password = 'change-me';
  return own.href;
}

async function as(user: string): Promise<Driver<MysqlTransaction>> {
  const driver = mysql({ uri: urlOf(user) });
  drivers.push(driver);
  return driver;
}

async function plain(user: string, statement: string): Promise<void> {
  const client = await createConnection(urlOf(user));
  try {
    await client.query(statement);
  } catch (error) {
    throw toDriverError(error);
  } finally {
    await client.end();
  }
}

const AnyPayload = {
  '~standard': { version: 1, vendor: 'test', validate: (value: unknown) => ({ value: value as Json }) },
} as const;

const Work = defineHandler({
  kind: 'work',
  queue: 'rights',
  payload: AnyPayload,
  group: true,
  run: () => {},
});

const rowlockOf = (driver: Driver<MysqlTransaction>): Rowlock<MysqlTransaction> =>
  createRowlock({ driver, handlers: [Work] });

test('with the rights in the README a producer enqueues and finds, and a worker runs', async () => {
  const [producer, workers] = [rowlockOf(await as('producer')), rowlockOf(await as('worker'))];
  const worker = workers.worker({ watchInterval: '20ms' });
  const faults: unknown[] = [];
  worker.on('fault', (error) => faults.push(error));
  worker.on('lost', (_, error) => faults.push(error));
  await worker.start();
  try {
    const first = await producer.enqueue(Work, { payload: 1, key: 'a', unique: 'once' });
    const later = await producer.enqueue(Work, { payload: 2, key: 'a', delay: '300ms' });
    for (const { publicId } of [first, later]) {
      await vi.waitFor(async () => expect((await producer.find(publicId))?.status).toBe('complete'), {
        timeout: 15_000,
      });
    }
    expect((await producer.workers()).map(({ alive }) => alive)).toEqual([true]);
  } finally {
    await worker.stop();
  }
  expect(faults).toEqual([]);
});

test('these rights allow nothing more', async () => {
  for (const statement of [
    'CREATE TABLE more (id INT)',
    'DELETE FROM rowlock_job',
    'UPDATE rowlock_job SET priority = 1',
    'DELETE FROM rowlock_bell',
    'DELETE FROM rowlock_run',
  ]) {
    await expect(plain('producer', statement), statement).rejects.toMatchObject({ code: 'PermissionDenied' });
  }
  for (const statement of [
    'CREATE TABLE more (id INT)',
    'DROP TABLE rowlock_bell',
    'DELETE FROM rowlock_job',
    "INSERT INTO rowlock_job (kind) VALUES ('k')",
    "INSERT INTO rowlock_migration VALUES (9, 'nine', UTC_TIMESTAMP())",
  ]) {
    await expect(plain('worker', statement), statement).rejects.toMatchObject({ code: 'PermissionDenied' });
  }
});
