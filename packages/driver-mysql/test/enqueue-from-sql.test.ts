import { createRowlock, type Driver, type JobView } from '@rowlock/core';
import { limitsText } from '@rowlock/core/driver';
import { sharedMysqlDatabases } from '@rowlock/servers';
import { type Connection, createConnection } from 'mysql2/promise';
import { afterAll, afterEach, beforeEach, expect, test } from 'vitest';
import { type MysqlTransaction, mysql } from '../src/index.js';
import { product, serverUrl } from './server.js';

let client: Connection;
let driver: Driver<MysqlTransaction>;
let drop: () => Promise<void>;

const databases = sharedMysqlDatabases(serverUrl);
afterAll(() => databases.drop());

beforeEach(async () => {
  const fresh = await databases.take();
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
  const values = [...ARGUMENTS, 'unique_scope', 'metadata', 'limits'].map((name) => given[name] ?? null);
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
  const { jobs } = await driver.jobs.list({}, { limit: 100, before: null });
  return jobs;
}

test('a job with nothing but its kind has the defaults', async () => {
  await driver.schema.migrate();
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
      limits: {},
    },
  ]);
});

test('every argument reaches its column', async () => {
  await driver.schema.migrate();
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
    limits: '{"b": 2, "a": 1000}',
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
      limits: { a: { max: 1000 }, b: { max: 2 } },
    },
  ]);
  expect(await driver.claims.survey({ queues: ['Ω'], kinds: ['k'] })).toMatchObject({
    promoted: 0,
    waiting: false,
  });
});

test('a duplicate is told the job that is there, also while that is held', async () => {
  await driver.schema.migrate();
  const first = await call({ kind: 'k', unique_key: 'u' });
  const held = driver.claims.session({ idleLimitMs: 60_000 });
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
  await driver.schema.migrate();
  await client.query('SET SESSION TRANSACTION ISOLATION LEVEL REPEATABLE READ');
  await client.query('START TRANSACTION WITH CONSISTENT SNAPSHOT');
  await driver.jobs.enqueue([
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
      limits: '',
      createdBy: 'test',
    },
  ]);
  expect(await call({ kind: 'k', unique_key: 'u' })).toEqual({ outcome: 'duplicate', public_id: null });
  await client.query('COMMIT');
  expect(await listed()).toHaveLength(1);
});

test('what rolls back leaves no job and no ring', async () => {
  await driver.schema.migrate();
  await client.query('START TRANSACTION');
  expect(await call({ kind: 'k' })).toMatchObject({ outcome: 'enqueued' });
  await client.query('ROLLBACK');
  expect(await listed()).toEqual([]);
  const [rings] = await client.query('SELECT * FROM rowlock_bell');
  expect(rings).toEqual([]);
});

test('a trigger enqueues with the row that it is for, and a sleeping worker hears of it', async () => {
  await driver.schema.migrate();
  await client.query('CREATE TABLE invoice (id INT PRIMARY KEY)');
  await client.query(
    `CREATE TRIGGER invoice_added AFTER INSERT ON invoice FOR EACH ROW
     CALL rowlock_enqueue('invoice', JSON_OBJECT('id', NEW.id), NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, @o, @p)`,
  );
  const anchor = await driver.workers.anchor({ name: 'worker', host: 'host', pid: 1, queues: ['default'] });
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
  while (!next.done && !('queue' in next.value)) next = await heard.next();
  expect(next).toEqual({ done: false, value: { queue: 'default' } });
  expect(await listed()).toMatchObject([{ kind: 'invoice', payload: { id: 8 } }]);
  stopping.abort();
  await anchor.release();
});

test('what does not fit is refused and not cut', async () => {
  await driver.schema.migrate();
  await expect(call({ kind: 'k'.repeat(129) })).rejects.toMatchObject({ errno: 1406 });
  await expect(call({ kind: '' })).rejects.toMatchObject({ errno: FAILED_CHECK });
  await expect(call({ kind: null })).rejects.toMatchObject({ errno: 1048 });
  // The tick of a schedule would be forged.
  await expect(call({ kind: 'k', metadata: '{"rowlock": null}' })).rejects.toMatchObject({ errno: 1644 });
  expect(await call({ kind: 'k', metadata: '{"a": {"rowlock": 1}}' })).toMatchObject({ outcome: 'enqueued' });
});

test.each([
  { b: 3, a: 1 },
  { ab: 1, B: 5, '\uff5e': 2, '🚣': 7, 'q"\\/\u0001\u007f\t\n\b\f\r é\' $.*': 4 },
  Object.fromEntries(Array.from({ length: 8 }, (_, n) => [`${'鍵'.repeat(50)}${n}`, 1_000])),
])('the limits %j are those that a client would write', async (limits) => {
  await driver.schema.migrate();
  await call({ kind: 'k', limits: JSON.stringify(limits) });
  const [rows] = await client.query<never>('SELECT limits FROM rowlock_job');
  const text = limitsText(Object.entries(limits).map(([name, max]) => ({ name, max })));
  expect(rows).toEqual([{ limits: text }]);
});

test.each([
  '[1]',
  '"a"',
  'null',
  '{"a": 0}',
  '{"a": 1001}',
  '{"a": 1.5}',
  '{"a": "5"}',
  '{"a": null}',
  '{"": 1}',
  '{"a": []}',
  '{"a": [1, 1000]}',
  '{"a": [0, 1000, 1]}',
  '{"a": [1000001, 1000, 1]}',
  '{"a": [1, 0, 1]}',
  '{"a": [1, 1000, 1001]}',
  '{"a": [1, 1, 1000, 1, 1]}',
  '{"a": [[1, 1000, 1]]}',
  '{"a": {"limit": 1}}',
  `{"${'n'.repeat(129)}": 1}`,
  `{"${'n'.repeat(2_000)}": 1}`,
  '{"a":1,"b":1,"c":1,"d":1,"e":1,"f":1,"g":1,"h":1,"i":1}',
])('the limits %s are refused', async (limits) => {
  await driver.schema.migrate();
  await expect(call({ kind: 'k', limits })).rejects.toMatchObject({ errno: 1644 });
  expect(await listed()).toEqual([]);
});

test('the limits take starts too, alone or behind how many at once', async () => {
  await driver.schema.migrate();
  await call({ kind: 'k', limits: '{"maps": [60, 60000, 1], "mail": [3, 1, 500, 9], "a": 1}' });
  const [rows] = await client.query<never>('SELECT limits FROM rowlock_job');
  const limits = [
    { name: 'a', max: 1 },
    { name: 'mail', max: 3, starts: 1, perMs: 500, burst: 9 },
    { name: 'maps', starts: 60, perMs: 60_000, burst: 1 },
  ];
  expect(rows).toEqual([{ limits: limitsText(limits) }]);
});

test('limits that are too long together are refused', async () => {
  await driver.schema.migrate();
  const limits = Object.fromEntries(Array.from({ length: 8 }, (_, n) => [`${'n'.repeat(70)}${n}`, 1]));
  await expect(call({ kind: 'k', limits: JSON.stringify(limits) })).rejects.toMatchObject({
    errno: expect.toBeOneOf([1265, 1406]),
  });
});

test('limits that are written by hand are an object, or none', async () => {
  await driver.schema.migrate();
  const insert = (limits: string) =>
    client.query("INSERT INTO rowlock_job (kind, limits) VALUES ('k', ?)", [limits]);
  for (const wrong of ['a', '[]', '1', '{"a":1'])
    await expect(insert(wrong)).rejects.toMatchObject({ errno: FAILED_CHECK });
  await insert('');
  await insert('{"a":1}');
});

test('an error that was written by hand is shown, whatever its form, and a queue may have the name of a member of objects', async () => {
  const rowlock = createRowlock({ driver });
  await rowlock.migrate();
  for (const error of ['{"reason": "by hand"}', '"gone"'])
    await client.query(
      `INSERT INTO rowlock_job (kind, status, finished_at, error) VALUES ('k', 'error', UTC_TIMESTAMP(6), ?)`,
      [error],
    );
  await client.query(`INSERT INTO rowlock_job (kind, queue) VALUES ('k', 'constructor')`);
  const { jobs } = await rowlock.jobs.list({ order: 'oldest' });
  expect(jobs).toMatchObject([
    { error: { code: 'Error', message: expect.stringMatching(/^\{"reason": ?"by hand"\}$/) } },
    { error: { code: 'Error', message: '"gone"' } },
    { queue: 'constructor', error: null },
  ]);
  for (const { publicId } of jobs) expect(await rowlock.insight.explain(publicId)).toBeDefined();
});
