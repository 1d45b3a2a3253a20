import '@rowlock/servers/vitest';
import { Socket } from 'node:net';
import { createRowlock, defineHandler } from '@rowlock/core';
import type { DriverProcess, TestDatabase } from '@rowlock/driver-conformance';
import pg from 'pg';
import { afterEach, beforeEach, expect, inject, test, vi } from 'vitest';
import { type PostgresTransaction, postgres } from '../src/index.js';
import { openPostgresHarness } from './postgres-harness.js';

const START = { priority: -32_768, id: 0n };

let database: TestDatabase<PostgresTransaction>;
let process: DriverProcess<PostgresTransaction>;

beforeEach(async () => {
  database = await openPostgresHarness(inject('postgresUrl')).database();
  process = await database.process();
  await process.driver.schema.migrate();
});

afterEach(async () => {
  await process.close();
  await database.close();
});

/** Claims the one job there is, in a transaction that lasts at most `limitMs`. */
async function hold(limitMs: number, { driver } = process) {
  const held = driver.claims.session({ idleLimitMs: limitMs });
  try {
    const [job] = await held.claim({ queue: 'q', kinds: ['work'], line: START, busy: [], limit: 1 });
    return { held, job };
  } catch (error) {
    await held.rollback();
    throw error;
  }
}

async function version(): Promise<number> {
  const [row] = await database.reader.exec(
    "SELECT current_setting('server_version_num')::integer AS version",
  );
  return Number(row?.version);
}

const lostOf = (signal: AbortSignal) =>
  new Promise<unknown>((resolve) => {
    signal.addEventListener('abort', () => resolve(signal.reason));
    if (signal.aborted) resolve(signal.reason);
  });

test("a claim's transaction has its bounds, and what comes after it on the connection has not", async () => {
  const { held } = await hold(123_456);
  const setting = async (name: string) => {
    const { rows } = await held.handle.query(`SHOW ${name}`);
    return rows[0]?.[name];
  };
  expect(await setting('idle_in_transaction_session_timeout')).toBe('123456ms');
  if ((await version()) >= 170_000) expect(await setting('transaction_timeout')).toBe('123456ms');
  // The server shows what the kernel has.
  expect(await setting('tcp_keepalives_idle')).toBe('10');
  expect(await setting('tcp_keepalives_interval')).toBe('2');
  expect(await setting('tcp_keepalives_count')).toBe('5');
  expect(await setting('tcp_user_timeout')).toMatch(/^20(s|000)$/);
  expect(await setting('client_connection_check_interval')).toBe('1s');
  await held.rollback();
});

test('from Postgres 17 on the server ends a transaction that lasts too long, also while a statement runs', async (context) => {
  if ((await version()) < 170_000) return context.skip('before Postgres 17 there is no transaction_timeout');
  await database.reader.insert({ queue: 'q', kind: 'work', payload: {} });
  // On a busy machine the transaction may have ended before the statement begins.
  const ended = await vi.waitFor(async () => {
    const { held, job } = await hold(500);
    const lost = lostOf(held.lost);
    try {
      await expect(held.handle.query('SELECT pg_sleep(60)')).rejects.toMatchObject({ code: '25P04' });
      expect(await lost).toMatchObject({ code: 'ConnectionLost' });
    } finally {
      await held.rollback();
    }
    return job;
  }, 30_000);
  const next = await untilClaimed();
  expect(next.job.id).toBe(ended?.id);
  await next.held.rollback();
});

test('enqueuing many jobs may last longer than the claim before it on the connection', async () => {
  await database.reader.exec(`
    CREATE FUNCTION rowlock.dawdle() RETURNS trigger LANGUAGE plpgsql
    AS 'BEGIN PERFORM pg_sleep(0.6); RETURN NULL; END';
    CREATE TRIGGER slow AFTER INSERT ON rowlock.job EXECUTE FUNCTION rowlock.dawdle()`);
  const { driver } = process;
  // From a worker on it is known that the connections may keep bounds.
  const anchor = await driver.workers.anchor({ name: 'worker', host: 'host', pid: 1, queues: ['q'] });
  const { held } = await hold(1_000);
  await held.rollback();
  const rowlock = createRowlock({ driver, handlers: [Work] });
  const jobs = Array.from({ length: 2_001 }, () => ({ payload: {} }));
  expect(await rowlock.enqueueMany(Work, jobs)).toHaveLength(2_001);
  await anchor.release();
});

test('a job whose process dies while its statement runs is claimable before that statement ends', async () => {
  await database.reader.insert({ queue: 'q', kind: 'work', payload: {} });
  const dying = await database.process();
  const { held, job } = await hold(600_000, dying);
  const sleeping = held.handle.query('SELECT pg_sleep(300)').catch((error: unknown) => error);
  await untilSleeping();
  await dying.kill();
  await sleeping;
  const heir = await untilClaimed();
  expect(heir.job.id).toBe(job?.id);
  await heir.held.rollback();
  await held.rollback();
  await dying.close();
});

test('a statement that does not end keeps neither the commit waiting nor the claim', async () => {
  await database.reader.insert({ queue: 'q', kind: 'work', payload: {} });
  const impatient = await database.process({ answerMs: 500 });
  const { held, job } = await untilClaimed(impatient);
  const sleeping = held.handle.query('SELECT pg_sleep(300)').catch((error: unknown) => error);
  await expect(held.commit()).rejects.toMatchObject({ code: 'ConnectionLost' });
  expect(await sleeping).toBeInstanceOf(Error);
  expect(held.lost.aborted).toBe(true);
  await held.rollback();
  const heir = await untilClaimed();
  expect(heir.job.id).toBe(job.id);
  await heir.held.rollback();
  await impatient.close();
});

test("an application's own pool is watched over as well, and the worker counts its connections", async () => {
  const watched = vi.spyOn(Socket.prototype, 'setKeepAlive');
  const pool = new pg.Pool({ connectionString: database.url, max: 6 });
  try {
    const driver = postgres({ pool });
    const held = driver.claims.session({ idleLimitMs: 60_000 });
    await held.confirm();
    await held.rollback();
    expect(watched).toHaveBeenCalledWith(true, 10_000);

    const warnings: string[] = [];
    const log = {
      debug() {},
      info() {},
      error() {},
      warn: (_: object, message: string) => warnings.push(message),
    };
    const rowlock = createRowlock({ driver, handlers: [Work], log });
    await expect(rowlock.worker({ concurrency: 6 }).start()).rejects.toMatchObject({
      code: 'ROWLOCK_POOL_TOO_SMALL',
    });
    expect(warnings).toEqual([]);
    const worker = rowlock.worker({ concurrency: 5 });
    await worker.start();
    expect(warnings).toEqual([expect.stringMatching(/nothing is left for the application/)]);
    await worker.stop();
  } finally {
    watched.mockRestore();
    await pool.end();
  }
});

test("where an application's own pool has no connection left nothing waits for one for ever", async () => {
  const pool = new pg.Pool({ connectionString: database.url, max: 2 });
  const taken = [await pool.connect(), await pool.connect()];
  try {
    const driver = postgres({ pool, answerTimeout: '2s' });
    const lost = {
      code: 'ConnectionLost',
      message: expect.stringMatching(/No connection of the pool was free.*2000 ms/),
    };
    await expect(driver.claims.session({ idleLimitMs: 60_000 }).confirm()).rejects.toMatchObject(lost);
    await expect(driver.schema.verify()).rejects.toMatchObject(lost);
    await expect(driver.schema.migrate()).rejects.toMatchObject(lost);
    for (const client of taken.splice(0)) client.release();
    // What comes too late for those who have waited goes back.
    await driver.schema.verify();
    expect(pool.idleCount).toBe(2);
  } finally {
    for (const client of taken) client.release();
    await pool.end();
  }
});

const Anything = {
  '~standard': { version: 1, vendor: 'test', validate: (value: unknown) => ({ value }) },
} as const;

const Work = defineHandler({ kind: 'work', payload: Anything, run: () => {} });

/** Claims the job when it is free. A claim that a busy machine answers too late is made again. */
function untilClaimed(by = process) {
  return vi.waitFor(async () => {
    const { held, job } = await hold(600_000, by);
    if (job !== undefined) return { held, job };
    await held.rollback();
    throw new Error('The job is not free.');
  }, 30_000);
}

async function untilSleeping(): Promise<void> {
  const sql = `SELECT 1 FROM pg_stat_activity
               WHERE datname = current_database() AND query LIKE 'SELECT pg_sleep(300)%' AND state = 'active'`;
  while ((await database.reader.exec(sql)).length === 0);
}
