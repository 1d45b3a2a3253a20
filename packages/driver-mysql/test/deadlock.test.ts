import { randomUUID } from 'node:crypto';
import { createRowlock, type Driver } from '@rowlock/core';
import type { ClaimSession, Settlement } from '@rowlock/core/driver';
import { newJob } from '@rowlock/driver-conformance/internal';
import { freshMysqlDatabase } from '@rowlock/servers';
import { createPool, type Pool, type PoolConnection, type RowDataPacket } from 'mysql2/promise';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { defineHandler, type MysqlTransaction, mysql } from '../src/index.js';
import { recordLocks } from './record-locks.js';
import { serverUrl } from './server.js';

const ANYTHING = {
  '~standard': { version: 1, vendor: 'test', validate: (value: unknown) => ({ value }) },
} as const;

let pool: Pool;
let driver: Driver<MysqlTransaction>;
let schema: string;
let held: ClaimSession<MysqlTransaction>;
let drop: () => Promise<void>;

beforeEach(async () => {
  const fresh = await freshMysqlDatabase(serverUrl);
  drop = fresh.drop;
  schema = new URL(fresh.url).pathname.slice(1);
  pool = createPool({ uri: fresh.url });
  driver = mysql({ uri: fresh.url });
  await driver.schema.migrate();
  await pool.query('CREATE TABLE scratch (id INT PRIMARY KEY, note VARCHAR(20) NOT NULL)');
  await pool.query("INSERT INTO scratch VALUES (1, 'as it was'), (2, 'as it was')");
  await pool.query("INSERT INTO rowlock_job (queue, kind, `key`) VALUES ('q', 'k', 'a'), ('q', 'k', 'a')");
  held = driver.claims.session({ idleLimitMs: 60_000 });
  await held.lockSiblings({ queue: 'q', keys: ['a'] }, 10);
});

afterEach(async () => {
  await held.rollback();
  await driver.close();
  await pool.end();
  await drop();
});

/** Has the server end this transaction by a deadlock, and not the other one, which has written more. */
async function meetDeadlock(handle: MysqlTransaction): Promise<unknown> {
  await handle.query("UPDATE scratch SET note = 'handler' WHERE id = 1");
  const other = await pool.getConnection();
  await other.query('START TRANSACTION');
  await other.query("UPDATE scratch SET note = 'other' WHERE id = 2");
  await other.query(
    `INSERT INTO scratch SELECT 100 + place, 'other' FROM JSON_TABLE(?, '$[*]' COLUMNS (place FOR ORDINALITY)) AS many`,
    [JSON.stringify(Array.from({ length: 100 }, () => 0))],
  );
  const waiting = other.query("UPDATE scratch SET note = 'other' WHERE id = 1");
  await somebodyWaits('scratch');
  try {
    await handle.query("UPDATE scratch SET note = 'handler' WHERE id = 2");
  } catch (error) {
    return error;
  } finally {
    await waiting;
    await other.query('ROLLBACK');
    other.release();
  }
  throw new Error('There was no deadlock.');
}

async function somebodyWaits(table: string): Promise<void> {
  const look = async (): Promise<void> => {
    const locks = await recordLocks(pool, schema, table);
    expect(locks.some(({ isWaiting }) => isWaiting)).toBe(true);
  };
  await vi.waitFor(look, 30_000);
}

const ends = (event: 'retry' | 'complete', ids = [1n, 2n]): Settlement[] => {
  const runId = randomUUID();
  const error = event === 'retry' ? { code: 'ER_LOCK_DEADLOCK', message: 'why' } : null;
  const rest = { attempt: 1, crashes: 0, delayMs: 1_000, tookMs: 0, output: null, by: 'test' };
  return ids.map((id) => ({ ...rest, id, runId, event, error }));
};

const statuses = async () => {
  const [rows] = await pool.query<RowDataPacket[]>('SELECT status, attempt FROM rowlock_job ORDER BY id');
  return rows.map(({ status, attempt }) => `${status} ${attempt}`);
};

test('after a deadlock in a handler its jobs are locked again, and settled when it is undone', async () => {
  expect(await meetDeadlock(held.handle)).toMatchObject({ errno: 1213 });
  expect(held.lost.aborted).toBe(false);
  const other = driver.claims.session({ idleLimitMs: 60_000 });
  await expect(other.lockSiblings({ queue: 'q', keys: ['a'] }, 10)).rejects.toMatchObject({
    code: 'LockNotAvailable',
  });
  await other.rollback();
  // Whoever does not know of it, or does not want to, settles nothing.
  await expect(held.settle(ends('complete'))).rejects.toMatchObject({ code: 'Deadlock' });
  await expect(held.commit()).rejects.toMatchObject({ code: 'Deadlock' });
  await expect(held.renew()).rejects.toMatchObject({ code: 'Deadlock' });
  await held.undo();
  expect(await held.settle(ends('retry'))).toEqual([1n, 2n]);
  await held.commit();
  expect(await statuses()).toEqual(['new 1', 'new 1']);
  const [rows] = await pool.query('SELECT DISTINCT note FROM scratch');
  expect(rows).toEqual([{ note: 'as it was' }]);
});

test('when somebody else has one of its jobs after a deadlock, the claim is lost', async () => {
  const quicker: PoolConnection = await pool.getConnection();
  await quicker.query('START TRANSACTION');
  const waiting = quicker.query('SELECT id FROM rowlock_job WHERE id = 2 FOR UPDATE');
  await somebodyWaits('rowlock_job');
  await meetDeadlock(held.handle);
  await waiting;
  expect(held.lost.reason).toMatchObject({ code: 'ConnectionLost', cause: { code: 'Deadlock' } });
  await expect(held.undo()).rejects.toBe(held.lost.reason);
  await quicker.query('ROLLBACK');
  quicker.release();
});

test('when one of its jobs had another run meanwhile, the claim is lost', async () => {
  const waiting = pool.query('UPDATE rowlock_job SET attempt = 1 WHERE id = 2');
  await somebodyWaits('rowlock_job');
  await meetDeadlock(held.handle);
  await waiting;
  expect(held.lost.reason).toMatchObject({ code: 'ConnectionLost', cause: { code: 'Deadlock' } });
  await expect(held.settle(ends('retry'))).rejects.toBe(held.lost.reason);
});

test('when an earlier run of the same transaction has written, the claim is lost', async () => {
  await held.handle.query("INSERT INTO scratch VALUES (3, 'kept')");
  await held.renew();
  await meetDeadlock(held.handle);
  expect(held.lost.reason).toMatchObject({ code: 'ConnectionLost', cause: { code: 'Deadlock' } });
});

test('an earlier run that was undone has written nothing: its jobs are locked again', async () => {
  await held.handle.query("INSERT INTO scratch VALUES (3, 'undone')");
  await held.undo();
  await held.renew();
  await meetDeadlock(held.handle);
  expect(held.lost.aborted).toBe(false);
});

test('a run after one that was undone, and after one that has written, is still behind that', async () => {
  await held.handle.query("INSERT INTO scratch VALUES (3, 'undone')");
  await held.undo();
  await held.renew();
  await held.handle.query("INSERT INTO scratch VALUES (3, 'kept')");
  await held.renew();
  await meetDeadlock(held.handle);
  expect(held.lost.aborted).toBe(true);
});

test('when one of its jobs was put off meanwhile, the claim is lost', async () => {
  const waiting = pool.query(
    'UPDATE rowlock_job SET available_at = UTC_TIMESTAMP(6) + INTERVAL 1 HOUR WHERE id = 2',
  );
  await somebodyWaits('rowlock_job');
  await meetDeadlock(held.handle);
  await waiting;
  expect(held.lost.reason).toMatchObject({ code: 'ConnectionLost', cause: { code: 'Deadlock' } });
});

test('a handler that goes on after a deadlock is told of that, and not that its run is over', async () => {
  await meetDeadlock(held.handle);
  await expect(held.handle.query('DO 1')).rejects.toMatchObject({ code: 'Deadlock' });
  const { handle } = held;
  await held.undo();
  await held.renew();
  await expect(handle.query('DO 1')).rejects.toMatchObject({ code: 'Deadlock' });
  await pool.query('CREATE PROCEDURE commits() COMMIT');
  await held.handle.query('CALL commits()');
  await expect(held.handle.query('DO 1')).rejects.toBe(held.lost.reason);
});

for (const [does, code] of [
  ['throws it', 'ER_LOCK_DEADLOCK'],
  ['swallows it', 'Deadlock'],
] as const) {
  test(`a job whose handler meets a deadlock and ${does} is retried later, and says why`, async () => {
    await held.rollback();
    const handler = defineHandler({
      kind: 'k',
      queue: 'q',
      payload: ANYTHING,
      group: true,
      attempts: 3,
      retry: { base: '1m' },
      async run({ tx }) {
        const error = await meetDeadlock(tx);
        if (code !== 'Deadlock') throw error;
      },
    });
    const silent = (): void => {};
    const log = { debug: silent, info: silent, warn: silent, error: silent };
    const worker = createRowlock({ driver, handlers: [handler], log }).worker({ concurrency: 1 });
    await worker.start();
    await vi.waitFor(async () => expect(await statuses()).toEqual(['new 1', 'new 1']), 30_000);
    await worker.stop();
    const { jobs } = await driver.jobs.list({ queue: 'q' }, { limit: 10, before: null });
    for (const job of jobs) {
      expect(job).toMatchObject({
        crashes: 0,
        error: { code, message: expect.stringContaining('Deadlock') },
      });
      expect(job.availableAt.getTime()).toBeGreaterThan(job.createdAt.getTime() + 20_000);
    }
  });
}

/** A transaction that keeps a lock on the entry of a unique key, and that has written more than any claim. */
async function producerBehind(uniqueKey: string): Promise<PoolConnection> {
  const producer = await pool.getConnection();
  await producer.query('START TRANSACTION');
  await producer.query(
    `INSERT INTO scratch SELECT 100 + place, 'producer' FROM JSON_TABLE(?, '$[*]' COLUMNS (place FOR ORDINALITY)) AS many`,
    [JSON.stringify(Array.from({ length: 100 }, () => 0))],
  );
  await expect(insertUnique(producer, uniqueKey)).rejects.toMatchObject({ errno: 1062 });
  return producer;
}

async function insertUnique(client: PoolConnection, uniqueKey: string): Promise<void> {
  await client.query("INSERT INTO rowlock_job (queue, kind, unique_key) VALUES ('q', 'k', ?)", [uniqueKey]);
}

/** Lets the settlement of jobs 1 and 2 meet a deadlock with a producer of their unique keys. */
async function meetProducer(settle: () => Promise<unknown>): Promise<void> {
  const producer = await producerBehind('u2');
  const settled = settle();
  settled.catch(() => {});
  await somebodyWaits('rowlock_job');
  await expect(insertUnique(producer, 'u1')).rejects.toMatchObject({ errno: 1062 });
  await producer.query('ROLLBACK');
  producer.release();
}

/** Claims the jobs anew, each with a unique key. */
async function holdUnique(): Promise<void> {
  await held.rollback();
  await pool.query("UPDATE rowlock_job SET unique_key = CONCAT('u', id)");
  held = driver.claims.session({ idleLimitMs: 60_000 });
  await held.lockSiblings({ queue: 'q', keys: ['a'] }, 10);
}

test('a settlement that meets a deadlock with a producer is repeated, where no handler has written', async () => {
  await holdUnique();
  const settling: Promise<unknown>[] = [];
  await meetProducer(() => {
    settling.push(held.finish(ends('complete')));
    return Promise.all(settling);
  });
  expect(await Promise.all(settling)).toMatchObject([{ settled: [1n, 2n] }]);
  expect(await statuses()).toEqual(['complete 1', 'complete 1']);
});

test("a settlement that meets a deadlock with a producer undoes the handler's writes, and the claim stays", async () => {
  await holdUnique();
  await held.handle.query("INSERT INTO scratch VALUES (3, 'handler')");
  const settling: Promise<unknown>[] = [];
  await meetProducer(() => {
    settling.push(held.finish(ends('complete')));
    return Promise.all(settling);
  });
  await expect(settling[0]).rejects.toMatchObject({ code: 'Deadlock' });
  expect(held.lost.aborted).toBe(false);
  await held.undo();
  expect(await held.finish(ends('retry'))).toMatchObject({ settled: [1n, 2n] });
  expect(await statuses()).toEqual(['new 1', 'new 1']);
  const [rows] = await pool.query('SELECT id FROM scratch WHERE id = 3');
  expect(rows).toEqual([]);
});

test('a run whose claim a deadlock has taken is given back, and is no crash', async () => {
  const { workerId } = await driver.workers.anchor({ name: 'w', host: 'h', pid: 1, queues: ['q'] });
  const run = { runId: randomUUID(), jobs: [1n, 2n] };
  const jobs = run.jobs.map((id) => ({ id, createdAt: new Date() }));
  await driver.claims.startRuns([{ ...run, workerId, jobs }], []).durable();
  const quicker = await pool.getConnection();
  await quicker.query('START TRANSACTION');
  const waiting = quicker.query('SELECT id FROM rowlock_job WHERE id = 2 FOR UPDATE');
  await somebodyWaits('rowlock_job');
  await meetDeadlock(held.handle);
  await waiting;
  expect(held.lost.aborted).toBe(true);
  await held.release(run);
  await held.rollback();
  await quicker.query('ROLLBACK');
  quicker.release();
  const [records] = await pool.query('SELECT job_id, outcome FROM rowlock_run ORDER BY job_id');
  expect(records).toEqual([
    { job_id: 1, outcome: 'release' },
    { job_id: 2, outcome: 'release' },
  ]);
});

/** So many that the last ones are in a batch. */
const JOBS = 30;

test('runs of a batch of which one meets a deadlock behind the writes of another are no crashes', async () => {
  await held.rollback();
  await pool.query('DELETE FROM rowlock_job');
  await pool.query('CREATE TABLE written (id INT AUTO_INCREMENT PRIMARY KEY)');
  let deadlocks = 0;
  const handler = defineHandler({
    kind: 'k',
    queue: 'q',
    payload: ANYTHING,
    batch: 10,
    attempts: 3,
    retry: { base: '1ms' },
    async run({ tx, job }) {
      if (job.payload !== 'last' || deadlocks > 0) await tx.query('INSERT INTO written VALUES ()');
      else {
        deadlocks += 1;
        throw await meetDeadlock(tx);
      }
    },
  });
  const silent = (): void => {};
  const log = { debug: silent, info: silent, warn: silent, error: silent };
  const rowlock = createRowlock({ driver, handlers: [handler], log });
  await rowlock.enqueueMany(
    handler,
    Array.from({ length: JOBS }, (_, place) => ({ payload: place === JOBS - 1 ? 'last' : 'writes' })),
  );
  const worker = rowlock.worker({ concurrency: 1 });
  await worker.start();
  await vi.waitFor(async () => expect(new Set(await statuses())).toEqual(new Set(['complete 1'])), 30_000);
  await worker.stop();
  expect(deadlocks).toBe(1);
  const [rows] = await pool.query('SELECT DISTINCT crashes FROM rowlock_job');
  expect(rows).toEqual([{ crashes: 0 }]);
  const [written] = await pool.query<RowDataPacket[]>('SELECT id FROM written');
  expect(written).toHaveLength(JOBS);
});

test('a deadlock over the next id of the table is a deadlock', async () => {
  const [producer, bulk] = [await pool.getConnection(), await pool.getConnection()];
  const unique = { key: 'once', scope: 'outstanding' } as const;
  const many = Array.from({ length: 200 }, () => newJob());
  await producer.query('START TRANSACTION');
  await driver.join(producer).jobs.enqueue([newJob({ unique })]);
  await bulk.query('START TRANSACTION');
  const waiting = driver.join(bulk).jobs.enqueue([...many, newJob({ unique })]);
  // MariaDB renews this table only where nobody has read it for 100 ms.
  const isWaiting = async () => {
    const text =
      "SELECT 1 FROM information_schema.innodb_trx WHERE trx_mysql_thread_id = ? AND trx_state = 'LOCK WAIT'";
    expect((await pool.query<RowDataPacket[]>(text, [bulk.threadId]))[0]).toHaveLength(1);
  };
  await vi.waitFor(isWaiting, { timeout: 30_000, interval: 200 });
  // With innodb_autoinc_lock_mode = 2, the default of MySQL, no producer waits for the ids of another one.
  const [[mode]] = await pool.query<RowDataPacket[][]>('SELECT @@innodb_autoinc_lock_mode AS mode');
  const enqueued = driver.join(producer).jobs.enqueue([newJob()]);
  if (Object(mode).mode === 1)
    await expect(enqueued).rejects.toMatchObject({ code: 'Deadlock', isRetryable: true });
  else expect(await enqueued).toMatchObject([{ outcome: 'enqueued' }]);
  await producer.query('ROLLBACK');
  expect(await waiting).toHaveLength(201);
  await bulk.query('ROLLBACK');
  producer.release();
  bulk.release();
});
