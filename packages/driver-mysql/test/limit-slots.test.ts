import { randomUUID } from 'node:crypto';
import type { Driver } from '@rowlock/core';
import type { ClaimSession } from '@rowlock/core/driver';
import { newJob } from '@rowlock/driver-conformance/internal';
import { freshMysqlDatabase } from '@rowlock/servers';
import { createPool, type Pool, type PoolConnection, type RowDataPacket } from 'mysql2/promise';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { widenLimit } from '../src/claims/new-slots.js';
import { giveUp } from '../src/connection/session-control.js';
import { context } from '../src/context.js';
import { type MysqlTransaction, mysql } from '../src/index.js';
import { gateOf, lockPrefix } from '../src/workers/lock-name.js';
import { limitTrial } from './limit-trial.js';
import { recordLocks } from './record-locks.js';
import { serverUrl } from './server.js';

let pool: Pool;
let driver: Driver<MysqlTransaction>;
let schema: string;
let open: ClaimSession<MysqlTransaction>[];
let drop: () => Promise<void>;

beforeEach(async () => {
  const fresh = await freshMysqlDatabase(serverUrl);
  drop = fresh.drop;
  schema = new URL(fresh.url).pathname.slice(1);
  open = [];
  pool = createPool({ uri: fresh.url });
  driver = mysql({ uri: fresh.url, maxConnections: 40 });
  await driver.schema.migrate();
});

afterEach(async () => {
  await Promise.all(open.map((held) => held.rollback()));
  await driver.close();
  await pool.end();
  await drop();
});

function begin(): ClaimSession<MysqlTransaction> {
  const held = driver.claims.session({ idleLimitMs: 60_000 });
  open.push(held);
  return held;
}

/** Takes a slot of the limit `a`. Undefined when all are taken. */
async function enter(size: number, held = begin()): Promise<ClaimSession<MysqlTransaction> | undefined> {
  try {
    await held.enterLimits(`{"a":${size}}`);
    return held;
  } catch (error) {
    expect(error).toMatchObject({ code: 'LimitReached' });
    await held.rollback();
    return undefined;
  }
}

/** The record locks on slots, of all transactions together. */
async function locks(): Promise<readonly string[]> {
  const found = await recordLocks(pool, schema, 'rowlock_limit_slot');
  return found.map(({ index, mode }) => `${index} ${mode}`);
}

const slots = (count: number): string[] => Array.from({ length: count }, () => 'PRIMARY X,REC_NOT_GAP');

async function marks(): Promise<readonly string[]> {
  const [rows] = await pool.query<RowDataPacket[]>(
    'SELECT run_id FROM rowlock_limit_slot WHERE run_id IS NOT NULL ORDER BY name, n',
  );
  return rows.map((row) => row.run_id);
}

const gate = (): string => gateOf(lockPrefix(schema), 'a');

async function isGateFree(): Promise<boolean> {
  const [[row]] = await pool.query<RowDataPacket[]>('SELECT IS_FREE_LOCK(?) AS is_free', [gate()]);
  return row?.is_free === 1;
}

/** The session whose call of a procedure is held up by a lock on a table. */
async function heldUp(): Promise<number> {
  return vi.waitFor(async () => {
    const [rows] = await pool.query<RowDataPacket[]>('SHOW PROCESSLIST');
    const row = rows.find(({ db, State }) => db === schema && /table metadata lock/.test(State ?? ''));
    expect(row).toBeDefined();
    return Number(row?.Id);
  }, 30_000);
}

/** Works while nobody else can read the sizes of limits, which a taker does behind its gate. */
async function whileSizesAreLocked(work: () => Promise<void>): Promise<void> {
  const locker = await pool.getConnection();
  await locker.query('LOCK TABLES rowlock_limit_setting WRITE');
  try {
    await work();
  } finally {
    await locker.query('UNLOCK TABLES');
    locker.release();
  }
}

test('14 sessions with sizes of their own, connections that are killed and leases that are forgotten: none too many, none refused in vain', async () => {
  const trial = await limitTrial(driver, pool, {
    sessions: 14,
    ms: 4_000,
    least: 50,
  });
  expect(trial).toEqual({ overAdmitted: 0, falselyFull: 0, errors: [] });
});

test('the same holds while free slots are deleted all the while', async () => {
  const trial = await limitTrial(driver, pool, {
    sessions: 12,
    ms: 4_000,
    least: 5,
    prunes: true,
  });
  expect(trial).toEqual({ overAdmitted: 0, falselyFull: 0, errors: [] });
});

test('of 30 that enter a new limit of 20 at once, 20 are in', async () => {
  const all = await Promise.all(Array.from({ length: 30 }, () => enter(20)));
  expect(all.filter((held) => held !== undefined)).toHaveLength(20);
  const [rows] = await pool.query('SELECT n FROM rowlock_limit_slot ORDER BY n');
  expect(rows).toEqual(Array.from({ length: 20 }, (_, place) => ({ n: place + 1 })));
});

test('a taker locks its own slot alone, also where it passes over others, and one that is refused locks nothing', async () => {
  for (let size = 6; size > 0; size--) await enter(6);
  await Promise.all(open.slice(1, 6).map((held) => held.rollback()));
  expect(await locks()).toEqual(slots(1));
  expect(await enter(3)).toBeDefined();
  expect(await locks()).toEqual(slots(2));
  expect(await enter(1)).toBeUndefined();
  expect(await enter(2)).toBeUndefined();
  expect(await locks()).toEqual(slots(2));
  expect(await enter(3)).toBeDefined();
  expect(await enter(3)).toBeUndefined();
  expect(await locks()).toEqual(slots(3));
});

test('the end of a connection frees its slot', async () => {
  const held = await enter(1);
  expect(await enter(1)).toBeUndefined();
  const [[row]] = (await held?.handle.query('SELECT CONNECTION_ID() AS id')) ?? [[]];
  await pool.query(`KILL ${Number(row.id)}`);
  await vi.waitFor(async () => expect(await enter(1)).toBeDefined(), 30_000);
});

test('a taker that is stopped behind the gate does not leave it closed', async () => {
  await enter(2);
  await open[0]?.rollback();
  const stopped = begin();
  await whileSizesAreLocked(async () => {
    const entering = stopped.enterLimits('{"a":2}');
    const refused = expect(entering).rejects.toMatchObject({ code: 'StatementCancelled' });
    const id = await heldUp();
    expect(await isGateFree()).toBe(false);
    await pool.query(`KILL QUERY ${id}`);
    await refused;
    await stopped.rollback();
  });
  await vi.waitFor(async () => expect(await isGateFree()).toBe(true), 30_000);
  expect(await enter(1)).toBeDefined();
});

test('who makes room and is stopped does not leave the gate closed', async () => {
  const place = context(schema, 20_000);
  const control = { interrupt: async () => {}, end: async () => {} };
  const parts = { pool, context: place, giveUp: (client: PoolConnection) => giveUp(control, client) };
  await whileSizesAreLocked(async () => {
    const widening = widenLimit(parts, { name: 'a', max: 2, slots: 0 });
    const refused = expect(widening).rejects.toMatchObject({ code: 'StatementCancelled' });
    const id = await heldUp();
    expect(await isGateFree()).toBe(false);
    await pool.query(`KILL QUERY ${id}`);
    await refused;
  });
  await vi.waitFor(async () => expect(await isGateFree()).toBe(true), 30_000);
});

test('a gate that stays closed is a LockTimeout, and the next claim enters', async () => {
  await enter(1);
  const blocker = await pool.getConnection();
  await blocker.query('DO GET_LOCK(?, 0)', [gate()]);
  const held = begin();
  await expect(held.enterLimits('{"a":2}')).rejects.toMatchObject({ code: 'LockTimeout' });
  await held.rollback();
  await blocker.query('DO RELEASE_LOCK(?)', [gate()]);
  blocker.release();
  expect(await enter(2, held)).toBeDefined();
});

test('after a deadlock in a handler its slot is taken again', async () => {
  await pool.query('CREATE TABLE scratch (id INT PRIMARY KEY)');
  await pool.query('INSERT INTO scratch VALUES (1), (2)');
  const held = await enter(1);
  if (held === undefined) throw new Error('The limit is full.');
  await meetDeadlock(held.handle);
  expect(held.lost.aborted).toBe(false);
  expect(await enter(1)).toBeUndefined();
  expect(await locks()).toEqual(slots(1));
  await held.undo();
  await held.commit();
  expect(await enter(1)).toBeDefined();
});

/** Has the server undo this transaction, and not the other one, which has written more. */
async function meetDeadlock(handle: MysqlTransaction): Promise<void> {
  await handle.query('UPDATE scratch SET id = 11 WHERE id = 1');
  const other = await pool.getConnection();
  await other.query('START TRANSACTION');
  await other.query('UPDATE scratch SET id = 12 WHERE id = 2');
  const numbers = Array.from({ length: 100 }, (_, place) => [100 + place]);
  await other.query('INSERT INTO scratch VALUES ?', [numbers]);
  const waiting = other.query('UPDATE scratch SET id = 21 WHERE id = 1');
  await vi.waitFor(async () => {
    const found = await recordLocks(pool, schema, 'scratch');
    expect(found.some(({ isWaiting }) => isWaiting)).toBe(true);
  }, 30_000);
  await expect(handle.query('UPDATE scratch SET id = 22 WHERE id = 2')).rejects.toMatchObject({
    errno: 1213,
  });
  await waiting;
  await other.query('ROLLBACK');
  other.release();
}

test('a lease whose time is over gives its slot to the next, and its late release frees nobody', async () => {
  const late = randomUUID();
  const first = await enter(1);
  await first?.lease(late, [], 0);
  const next = await enter(1);
  expect(next).toBeDefined();
  expect(await marks()).toEqual([]);
  const releasing = begin();
  await releasing.leaveLimits(late);
  await releasing.commit();
  expect(await enter(1)).toBeUndefined();
  const runId = randomUUID();
  await next?.lease(runId, [], 60_000);
  await releasing.leaveLimits(late);
  await releasing.commit();
  expect(await marks()).toEqual([runId]);
});

test('a release waits for no other run, and is undone with its transaction', async () => {
  const runIds = [randomUUID(), randomUUID()];
  for (const runId of runIds) await (await enter(4))?.lease(runId, [], 60_000);
  await enter(4);
  const releases = runIds.map(() => begin());
  for (const [place, held] of releases.entries()) await held.leaveLimits(runIds[place] ?? '');
  // One slot is held, and two are about to be free.
  expect(await enter(3)).toBeUndefined();
  await releases[0]?.rollback();
  await releases[1]?.commit();
  expect(await marks()).toEqual([runIds[0]]);
  expect(await enter(2)).toBeUndefined();
  expect(await enter(3)).toBeDefined();
});

test('10,000 waiting jobs of one limit cost neither other claims nor the search for parts more than a few reads', async () => {
  await driver.jobs.enqueue([newJob({ limits: '' }), newJob({ limits: '{"b":1}' })]);
  const ten = Array.from({ length: 10 }, (_, n) => `SELECT ${n} AS n`).join(' UNION ALL ');
  const many = Array.from({ length: 4 }, (_, place) => `(${ten}) AS d${place}`).join(' JOIN ');
  await pool.query(
    `INSERT INTO rowlock_job (queue, kind, priority, limits) SELECT 'q', 'k', -1, '{"a":1}' FROM ${many}`,
  );
  await pool.query('ANALYZE TABLE rowlock_job');
  const line = { priority: -32_768, id: 0n };
  for (const limits of ['', '{"b":1}']) {
    const held = begin();
    const before = await reads(held.handle);
    const [job] = await held.claim({ queue: 'q', kinds: ['k'], limits, line, busy: [], limit: 1 });
    expect(job?.limits).toBe(limits);
    expect((await reads(held.handle)) - before).toBeLessThan(500);
  }
  const client = await pool.getConnection();
  for (const look of [
    [`CALL rowlock_limited_parts('["q"]', '', 1000, FALSE)`],
    [
      `SELECT EXISTS (SELECT 1 FROM rowlock_job FORCE INDEX (job_claim)
         WHERE queue = 'q' AND claimable = 1 AND available_at <= UTC_TIMESTAMP(6) AND kind IN ('k'))`,
    ],
  ]) {
    const before = await reads(client);
    await client.query(String(look));
    expect((await reads(client)) - before).toBeLessThan(500);
  }
  client.release();
  expect(await driver.admission.parts({ queues: ['q', 'r'], beyond: '', limit: 1_000 })).toEqual({
    parts: [
      { queue: 'q', limits: '{"a":1}' },
      { queue: 'q', limits: '{"b":1}' },
    ],
    last: null,
  });
});

/** How many rows and keys a session has read. */
async function reads(on: MysqlTransaction): Promise<number> {
  const [rows] = await on.query("SHOW SESSION STATUS LIKE 'Handler_read%'");
  return rows.reduce((sum: number, row: { Value: string }) => sum + Number(row.Value), 0);
}

test('a limit whose slots cannot be deleted holds up no other one', async () => {
  await pool.query("INSERT INTO rowlock_limit_slot (name, n) VALUES ('a', 1), ('b', 1), ('c', 1)");
  await pool.query(`
    CREATE TRIGGER refuse BEFORE DELETE ON rowlock_limit_slot FOR EACH ROW
    BEGIN IF OLD.name = 'b' THEN SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'not welcome'; END IF; END`);
  const pruned = await driver.admission.prune('', 0);
  expect(pruned).toMatchObject({ last: 'c', refused: [{ member: 'b', error: { message: 'not welcome' } }] });
  const [rows] = await pool.query('SELECT name FROM rowlock_limit_slot');
  expect(rows).toEqual([{ name: 'b' }]);
});
