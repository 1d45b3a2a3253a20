import { sharedDatabases } from '@rowlock/servers';
import '@rowlock/servers/vitest';
import { countStates } from '@rowlock/driver-conformance/internal';
import pg from 'pg';
import { afterAll, afterEach, beforeEach, describe, expect, inject, test, vi } from 'vitest';
import { postgres } from '../src/index.js';
import { lockClass } from '../src/workers/lock-class.js';

const START = { priority: -32_768, id: 0n };

let url: string;
let drop: () => Promise<void>;
let other: pg.Client;
let driver: ReturnType<typeof postgres>;

const databases = sharedDatabases(inject('postgresUrl'));
afterAll(() => databases.drop());

beforeEach(async () => {
  ({ url, drop } = await databases.take());
  other = new pg.Client(url);
  await other.connect();
  // All that the driver does beside its workers' sessions is done on one connection, while that lasts.
  driver = postgres({ connectionString: url, maxConnections: 1, sessions: 'own' });
  await driver.schema.migrate();
});

afterEach(async () => {
  await driver.close();
  await other.end();
  await drop();
});

/** Has the driver's one connection carry a claim, and `work` done by its handler. @returns the session's number */
async function claimed(idleLimitMs: number, work?: string): Promise<unknown> {
  const held = driver.claims.session({ idleLimitMs });
  await held.claim({ queue: 'q', kinds: ['work'], line: START, busy: [], limit: 1 });
  try {
    const { rows } = await held.handle.query('SELECT pg_backend_pid() AS pid');
    if (work !== undefined) await held.handle.query(work);
    return rows[0]?.pid;
  } finally {
    await held.rollback();
  }
}

/** Resolves when somebody waits for a lock that `other` has. */
async function untilSomebodyWaits(): Promise<void> {
  for (;;) {
    const { rows } = await other.query(
      'SELECT FROM pg_stat_activity WHERE pg_backend_pid() = ANY(pg_blocking_pids(pid))',
    );
    if (rows.length > 0) return;
  }
}

describe('what a handler leaves in its session is not there for the next claim', () => {
  test.each([
    'SET search_path TO tenant',
    '/* mine */ set session work_mem = 1024',
    "-- mine\nSET TIME ZONE 'UTC'",
    'SELECT 1; SET ROLE postgres',
    'RESET ALL',
    'DISCARD SEQUENCES',
    'DEALLOCATE ALL',
    "SELECT set_config('app.tenant', 'one', false)",
    'CREATE TEMP TABLE mine (id integer)',
    'CREATE TEMPORARY TABLE mine (id integer)',
    'CREATE OR REPLACE TEMP VIEW mine AS SELECT 1',
    'SELECT 1 AS one INTO TEMP mine',
    'CREATE TEMP TABLE mine (id integer); CREATE TEMP TABLE short (id integer) ON COMMIT DROP',
    'SET/**/search_path TO tenant',
    'SELECT pg_advisory_lock(42)',
    'SELECT pg_try_advisory_lock_shared(42)',
    'LISTEN news',
    'PREPARE mine AS SELECT 1',
    'DECLARE mine CURSOR WITH HOLD FOR SELECT 1',
    'CREATE FUNCTION pg_temp.mine() RETURNS integer LANGUAGE sql AS $$ SELECT 1 $$',
    'CREATE TABLE pg_temp.mine (id integer)',
    'DO $$ BEGIN SET ROLE postgres; END $$',
  ])('%j', async (statement) => {
    const session = await claimed(60_000, statement);
    expect(await claimed(60_000)).not.toBe(session);
  });
});

describe('what ends with the transaction does not cost a connection', () => {
  test.each([
    'SET LOCAL search_path TO tenant',
    'SET CONSTRAINTS ALL DEFERRED',
    "SELECT set_config('app.tenant', 'one', true)",
    'CREATE TEMP TABLE mine (id integer) ON COMMIT DROP',
    'SELECT pg_advisory_xact_lock(42)',
    'DECLARE mine CURSOR FOR SELECT 1',
    'CREATE TABLE temp (id integer); INSERT INTO temp VALUES (1); DROP TABLE temp',
    "SELECT 'offset 1', 'all set'",
    // As many as a query builder may write, and more than could be looked at in several ways each.
    `${'/* mine */ '.repeat(60)}SELECT 1`,
  ])('%j', async (statement) => {
    const session = await claimed(60_000, statement);
    expect(await claimed(60_000)).toBe(session);
  });
});

test('a count may take longer than the claims that its connection has carried', async () => {
  const anchor = await driver.workers.anchor({ name: 'w', host: 'h', pid: 1, queues: ['q'] });
  // On a busy machine a claim may be over before its handler has done anything.
  await vi.waitFor(() => claimed(500), 30_000);
  await other.query('BEGIN; LOCK TABLE rowlock.job IN ACCESS EXCLUSIVE MODE');
  const counted = countStates(driver, {});
  counted.catch(() => {});
  await untilSomebodyWaits();
  await other.query('SELECT pg_sleep(0.7)');
  await other.query('COMMIT');
  expect(await counted).toMatchObject({ new: 0 });
  await anchor.release();
});

test('migrate waits for another one for longer than the account waits for a lock', async () => {
  const hasty = postgres({
    connectionString: `${url}?options=-c%20lock_timeout%3D300%20-c%20statement_timeout%3D300`,
  });
  const { signed } = lockClass('rowlock');
  await other.query('SELECT pg_advisory_lock($1, 0)', [signed]);
  const migrated = hasty.schema.migrate();
  migrated.catch(() => {});
  await untilSomebodyWaits();
  await other.query('SELECT pg_sleep(0.6)');
  await other.query('SELECT pg_advisory_unlock($1, 0)', [signed]);
  expect(await migrated).toMatchObject({ applied: [] });
  await hasty.close();
});
