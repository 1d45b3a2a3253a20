import '@rowlock/servers/vitest';
import type { DriverProcess, TestDatabase } from '@rowlock/driver-conformance';
import { afterEach, beforeEach, expect, inject, test } from 'vitest';
import type { PostgresTransaction } from '../src/index.js';
import { openPostgresHarness } from './postgres-harness.js';

const START = { priority: -32_768, id: 0n };

let database: TestDatabase<PostgresTransaction>;
let process: DriverProcess<PostgresTransaction>;

beforeEach(async () => {
  database = await openPostgresHarness(inject('postgresUrl')).database();
  process = await database.process();
  await process.driver.migrate();
});

afterEach(async () => {
  await process.close();
  await database.close();
});

/** Claims the one job there is, in a transaction that lasts at most `limitMs`. */
async function hold(limitMs: number, { driver } = process) {
  const held = await driver.begin({ idleLimitMs: limitMs });
  const job = await held.claim({ queue: 'q', kinds: ['work'], line: START, busy: [] });
  return { held, job };
}

async function version(): Promise<number> {
  const [row] = await database.reader.exec(
    "SELECT current_setting('server_version_num')::integer AS version",
  );
  return Number(row?.version);
}

const lostOf = (signal: AbortSignal) =>
  new Promise<unknown>((resolve) => signal.addEventListener('abort', () => resolve(signal.reason)));

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
  if ((await version()) < 170_000) return context.skip();
  await database.reader.insert({ queue: 'q', kind: 'work', payload: {} });
  const { held, job } = await hold(500);
  const lost = lostOf(held.lost);
  await expect(held.handle.query('SELECT pg_sleep(60)')).rejects.toThrow();
  expect(await lost).toMatchObject({ code: 'ConnectionLost' });
  await held.rollback();
  const next = await hold(60_000);
  expect(next.job?.id).toBe(job?.id);
  await next.held.rollback();
});

test('a job whose process dies while its statement runs is claimable before that statement ends', async () => {
  await database.reader.insert({ queue: 'q', kind: 'work', payload: {} });
  const dying = await database.process();
  const { held, job } = await hold(600_000, dying);
  const sleeping = held.handle.query('SELECT pg_sleep(300)').catch((error: unknown) => error);
  await untilSleeping();
  await dying.kill();
  await sleeping;
  let heir = await hold(60_000);
  while (heir.job === undefined) {
    await heir.held.rollback();
    heir = await hold(60_000);
  }
  expect(heir.job.id).toBe(job?.id);
  await heir.held.rollback();
  await held.rollback();
  await dying.close();
});

async function untilSleeping(): Promise<void> {
  const sql = "SELECT 1 FROM pg_stat_activity WHERE query LIKE 'SELECT pg_sleep(300)%' AND state = 'active'";
  while ((await database.reader.exec(sql)).length === 0);
}
