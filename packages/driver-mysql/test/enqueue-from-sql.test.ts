import type { Driver, JobView } from '@rowlock/core';
import { freshMysqlDatabase } from '@rowlock/servers';
import { type Connection, createConnection } from 'mysql2/promise';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type MysqlTransaction, mysql } from '../src/index.js';
import { product, serverUrl } from './server.js';

let client: Connection;
let driver: Driver<MysqlTransaction>;
let drop: () => Promise<void>;

beforeEach(async () => {
  const fresh = await freshMysqlDatabase(serverUrl);
  drop = fresh.drop;
  client = await createConnection({ uri: fresh.url, timezone: 'Z' });
  driver = mysql({ uri: fresh.url });
});

afterEach(async () => {
  await driver.close();
  await client.end();
  await drop();
});

const ARGUMENTS = [
  'kind',
  'payload',
  'queue',
  'key',
  'priority',
  'available_at',
  'max_attempts',
  'unique_key',
];

const FAILED_CHECK = product === 'mysql' ? 3819 : 4025;

async function call(
  given: Readonly<Record<string, unknown>>,
): Promise<{ outcome: string; public_id: string }> {
  const values = [...ARGUMENTS, 'unique_scope', 'metadata'].map((name) => given[name] ?? null);
  await client.query(
    `CALL rowlock_enqueue(${values.map(() => '?').join(', ')}, @outcome, @public_id)`,
    values,
  );
  const [rows] = await client.query<never>('SELECT @outcome AS outcome, @public_id AS public_id');
  const [row] = rows as { outcome: string; public_id: string }[];
  if (row === undefined) throw new Error('No row.');
  return row;
}

async function listed(): Promise<readonly JobView[]> {
  const { jobs } = await driver.list({}, { limit: 100, before: null });
  return jobs;
}

test('a job with nothing but its kind has the defaults', async () => {
  await driver.migrate();
  const { outcome, public_id } = await call({ kind: 'k' });
  expect(outcome).toBe('enqueued');
  expect(await listed()).toMatchObject([
    {
      publicId: public_id,
      kind: 'k',
      queue: 'default',
      key: null,
      payload: {},
      priority: 0,
      maxAttempts: 5,
      metadata: {},
    },
  ]);
});

test('every argument reaches its column', async () => {
  await driver.migrate();
  await call({
    kind: 'k',
    payload: '{"rows": 3}',
    queue: 'Ω',
    key: 'it\'s "it"',
    priority: -5,
    available_at: new Date('2100-01-01T00:00:00Z'),
    max_attempts: 9,
    unique_key: 'u',
    unique_scope: 'ever',
    metadata: '{"by": "sql"}',
  });
  expect(await listed()).toMatchObject([
    {
      queue: 'Ω',
      key: 'it\'s "it"',
      payload: { rows: 3 },
      priority: -5,
      availableAt: new Date('2100-01-01T00:00:00Z'),
      maxAttempts: 9,
      uniqueKey: 'u',
      metadata: { by: 'sql' },
    },
  ]);
  expect(await driver.survey({ queues: ['Ω'], kinds: ['k'] })).toMatchObject({ promoted: 0, waiting: false });
});

test('a duplicate is told the job that is there, also while that is held', async () => {
  await driver.migrate();
  const first = await call({ kind: 'k', unique_key: 'u' });
  const held = driver.claimSession({ idleLimitMs: 60_000 });
  const line = { priority: -32_768, id: 0n };
  expect(await held.claim({ queue: 'default', kinds: ['k'], line, busy: [], limit: 1 })).toHaveLength(1);
  await client.query('START TRANSACTION');
  expect(await call({ kind: 'k', unique_key: 'u' })).toEqual({
    outcome: 'duplicate',
    public_id: first.public_id,
  });
  // The kind and the key are compared to the byte.
  expect(await call({ kind: 'K', unique_key: 'u' })).toMatchObject({ outcome: 'enqueued' });
  expect(await call({ kind: 'k', unique_key: 'u ' })).toMatchObject({ outcome: 'enqueued' });
  await client.query('COMMIT');
  await held.rollback();
  expect(await listed()).toHaveLength(3);
});

test('a duplicate that the transaction cannot see is a duplicate without an id', async () => {
  await driver.migrate();
  await client.query('SET SESSION TRANSACTION ISOLATION LEVEL REPEATABLE READ');
  await client.query('START TRANSACTION WITH CONSISTENT SNAPSHOT');
  await driver.enqueue([
    {
      queue: 'default',
      kind: 'k',
      key: null,
      payload: {},
      priority: 0,
      available: { inMs: 0 },
      maxAttempts: 5,
      unique: { key: 'u', scope: 'outstanding' },
      metadata: {},
      createdBy: 'test',
    },
  ]);
  expect(await call({ kind: 'k', unique_key: 'u' })).toEqual({ outcome: 'duplicate', public_id: null });
  await client.query('COMMIT');
  expect(await listed()).toHaveLength(1);
});

test('what rolls back leaves no job and no ring', async () => {
  await driver.migrate();
  await client.query('START TRANSACTION');
  expect(await call({ kind: 'k' })).toMatchObject({ outcome: 'enqueued' });
  await client.query('ROLLBACK');
  expect(await listed()).toEqual([]);
  const [rings] = await client.query('SELECT * FROM rowlock_bell');
  expect(rings).toEqual([]);
});

test('a trigger enqueues with the row that it is for, and a sleeping worker hears of it', async () => {
  await driver.migrate();
  await client.query('CREATE TABLE invoice (id INT PRIMARY KEY)');
  await client.query(
    `CREATE TRIGGER invoice_added AFTER INSERT ON invoice FOR EACH ROW
     CALL rowlock_enqueue('invoice', JSON_OBJECT('id', NEW.id), NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, @o, @p)`,
  );
  const anchor = await driver.anchor({ name: 'worker', host: 'host', pid: 1, queues: ['default'] });
  const stopping = new AbortController();
  const wakeUps = anchor.wakeUps({ queues: ['default'], everyMs: 3_600_000, signal: stopping.signal });
  const heard = wakeUps[Symbol.asyncIterator]();
  expect(await heard.next()).toEqual({ done: false, value: {} });
  await client.query('START TRANSACTION');
  await client.query('INSERT INTO invoice VALUES (7)');
  await client.query('ROLLBACK');
  expect(await listed()).toEqual([]);
  await client.query('INSERT INTO invoice VALUES (8)');
  // Others may come before it: a wake-up is a hint.
  let next = await heard.next();
  while (!next.done && next.value.queue === undefined) next = await heard.next();
  expect(next).toEqual({ done: false, value: { queue: 'default' } });
  expect(await listed()).toMatchObject([{ kind: 'invoice', payload: { id: 8 } }]);
  stopping.abort();
  await anchor.release();
});

test('what does not fit is refused and not cut', async () => {
  await driver.migrate();
  await expect(call({ kind: 'k'.repeat(129) })).rejects.toMatchObject({ errno: 1406 });
  await expect(call({ kind: '' })).rejects.toMatchObject({ errno: FAILED_CHECK });
  await expect(call({ kind: null })).rejects.toMatchObject({ errno: 1048 });
});
