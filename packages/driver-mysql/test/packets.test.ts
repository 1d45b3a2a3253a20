import type { Driver } from '@rowlock/core';
import type { NewJob } from '@rowlock/core/driver';
import { freshMysqlDatabase } from '@rowlock/servers';
import { createPool, type Pool } from 'mysql2/promise';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { toDriverError } from '../src/errors.js';
import { type MysqlTransaction, mysql } from '../src/index.js';
import { serverUrl } from './server.js';

let url: string;
let pool: Pool;
let driver: Driver<MysqlTransaction>;
let drop: () => Promise<void>;

beforeEach(async () => {
  const fresh = await freshMysqlDatabase(serverUrl);
  url = fresh.url;
  drop = fresh.drop;
  pool = createPool({ uri: fresh.url });
  driver = mysql({ uri: fresh.url });
  await driver.schema.migrate();
});
afterEach(async () => {
  await driver.close();
  await pool.end();
  await drop();
});

test('two of a key that are statements apart are one job, also in a transaction of the caller', async () => {
  const unique = { key: 'once', scope: 'ever' } as const;
  const large = newJob({ payload: 'x'.repeat(900_000) });
  const jobs = [newJob({ unique }), large, large, newJob({ unique })];
  const [one, , , other] = await driver.jobs.enqueue(jobs);
  expect(other).toEqual({ outcome: 'duplicate', publicId: one?.publicId });
  const caller = await pool.getConnection();
  await caller.query('START TRANSACTION');
  const unique2 = { ...unique, key: 'again' };
  const again = jobs.map((job) => (job.unique === null ? job : { ...job, unique: unique2 }));
  const [inside, , , twin] = await driver.join(caller).jobs.enqueue(again);
  expect(twin).toEqual({ outcome: 'duplicate', publicId: inside?.publicId });
  await caller.query('ROLLBACK');
  caller.release();
  const [count] = await pool.query('SELECT COUNT(*) AS jobs FROM rowlock_job');
  expect(count).toEqual([{ jobs: 3 }]);
});

test('a call of several statements needs one connection, whatever duplicates it meets', async () => {
  const narrow = mysql({ uri: url, maxConnections: 1, answerTimeout: '60s' });
  const unique = { key: 'once', scope: 'outstanding' } as const;
  const [first] = await narrow.jobs.enqueue([newJob({ unique })]);
  const large = newJob({ payload: 'x'.repeat(900_000) });
  const twin = newJob({ unique: { ...unique, key: 'twice' } });
  const outcomes = await narrow.jobs.enqueue([twin, large, large, newJob({ unique }), twin]);
  expect(outcomes[3]).toEqual({ outcome: 'duplicate', publicId: first?.publicId });
  expect(outcomes[4]).toEqual({ outcome: 'duplicate', publicId: outcomes[0]?.publicId });
  await narrow.close();
});

test('jobs with unique keys are looked up by few statements, whatever their number', async () => {
  const texts = new Set<string>();
  const caller = await pool.getConnection();
  await caller.query('START TRANSACTION');
  const recording: MysqlTransaction = {
    query: (sql, values) => caller.query(sql, values),
    execute: (sql, values) => {
      texts.add(sql);
      return caller.execute(sql, values);
    },
  };
  for (let jobs = 2; jobs <= 33; jobs++) {
    const some = Array.from({ length: jobs }, (_, n) =>
      newJob({ unique: { key: `${jobs} ${n}`, scope: 'ever' } }),
    );
    const outcomes = await driver.join(recording).jobs.enqueue(some);
    const again = await driver.join(recording).jobs.enqueue(some);
    expect(again).toEqual(outcomes.map(({ publicId }) => ({ outcome: 'duplicate', publicId })));
  }
  // One that shows the form of the answers, one that inserts, and one each for 2, 4, 8, 16, 32 and 64 keys.
  expect(texts.size).toBe(8);
  await caller.query('ROLLBACK');
  caller.release();
});

test('a server that takes less says what is to be done', () => {
  // Whether the server's word comes before the end of its connection is chance.
  const refusal = Object.assign(new Error("Got a packet bigger than 'max_allowed_packet' bytes"), {
    errno: 1153,
  });
  expect(toDriverError(refusal)).toMatchObject({
    code: 'InvalidInput',
    message: expect.stringMatching(/must be 4 MB or more.*bigger/),
  });
});

function newJob(change: Partial<NewJob> = {}): NewJob {
  return {
    queue: 'q',
    kind: 'k',
    key: 'entity',
    payload: {},
    priority: 0,
    available: { inMs: 0 },
    maxAttempts: 5,
    unique: null,
    metadata: {},
    limits: '',
    createdBy: 'test',
    ...change,
  };
}
