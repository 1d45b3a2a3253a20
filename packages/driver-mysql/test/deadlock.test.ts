import { randomUUID } from 'node:crypto';
import { createRowlock, type Driver } from '@rowlock/core';
import type { ClaimSession, Settlement } from '@rowlock/core/driver';
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
  await driver.migrate();
  await pool.query('CREATE TABLE scratch (id INT PRIMARY KEY, note VARCHAR(20) NOT NULL)');
  await pool.query("INSERT INTO scratch VALUES (1, 'as it was'), (2, 'as it was')");
  await pool.query("INSERT INTO rowlock_job (queue, kind, `key`) VALUES ('q', 'k', 'a'), ('q', 'k', 'a')");
  held = driver.claimSession({ idleLimitMs: 60_000 });
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
  const other = driver.claimSession({ idleLimitMs: 60_000 });
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
  await held.handle.query('CREATE TABLE more (id INT)');
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
    const { jobs } = await driver.list({ queue: 'q' }, { limit: 10, before: null });
    for (const job of jobs) {
      expect(job).toMatchObject({
        crashes: 0,
        error: { code, message: expect.stringContaining('Deadlock') },
      });
      expect(job.availableAt.getTime()).toBeGreaterThan(job.createdAt.getTime() + 20_000);
    }
  });
}
