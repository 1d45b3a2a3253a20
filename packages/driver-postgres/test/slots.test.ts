import '@rowlock/servers/vitest';
import type { ClaimSession, Driver } from '@rowlock/core/driver';
import { freshDatabase } from '@rowlock/servers';
import pg from 'pg';
import { afterEach, beforeEach, describe, expect, inject, test } from 'vitest';
import { type PostgresTransaction, postgres } from '../src/index.js';
import { describeSlotTrials } from './describe-slot-trials.js';
import { admitted, claim, enters, gates, reached } from './limit-calls.js';

let driver: Driver<PostgresTransaction>;
let admin: pg.Pool;
let drop: () => Promise<void>;
let url: string;
let blocker: pg.Client | undefined;

const sessions: ClaimSession<PostgresTransaction>[] = [];
/** Further ones, which are closed before the database is dropped. */
const drivers: Driver<PostgresTransaction>[] = [];

/** A session that is rolled back at the end of the test. */
function opened(of = driver): ClaimSession<PostgresTransaction> {
  const session = of.claims.session({ idleLimitMs: 60_000 });
  sessions.push(session);
  return session;
}

const callers = (count: number) => Array.from({ length: count }, () => opened());

beforeEach(async () => {
  ({ url, drop } = await freshDatabase(inject('postgresUrl')));
  driver = postgres({ connectionString: url, sessions: 'own', maxConnections: 40 });
  await driver.schema.migrate();
  admin = new pg.Pool({ connectionString: url });
  // Dropping the database may end what is just being closed.
  admin.on('connect', (client) => void client.on('error', () => {}));
});

afterEach(async () => {
  await blocker?.end();
  blocker = undefined;
  for (const session of sessions.splice(0)) await session.rollback();
  for (const each of [driver, ...drivers.splice(0)]) await each.close();
  await admin.end();
  await drop();
});

// Two hundred calls of each trial at the least, however quick they are: the proof has trials of some seconds.
describeSlotTrials(0);

test('of many first callers at once as many are admitted as their size says', async () => {
  for (const size of [1, 2, 10]) {
    const all = callers(20);
    const limit = `new ${size}`;
    const entered = await Promise.all(all.map((session) => enters(session, limit, size)));
    expect(entered.filter(Boolean)).toHaveLength(size);
    await Promise.all(all.map((session) => session.rollback()));
  }
});

describe.each(['shared', 'closed'])('a call that ends while the gate is %s opens it', (gate) => {
  /** Makes the next call wait at a table that it reads when it has the gate. */
  async function stop(): Promise<void> {
    blocker = new pg.Client(url);
    await blocker.connect();
    await blocker.query('BEGIN');
    await blocker.query(`LOCK TABLE ${gate === 'shared' ? 'rowlock.limit_slot' : 'stop'}`);
  }

  beforeEach(async () => {
    const first = opened();
    expect(await enters(first, 'a', 1)).toBe(true);
    if (gate === 'shared') return first.rollback();
    await admin.query(`
      CREATE TABLE stop ();
      CREATE OR REPLACE FUNCTION rowlock.take_slot_alone(of_name text, own_size integer) RETURNS integer
      LANGUAGE plpgsql AS $$ BEGIN PERFORM FROM public.stop; RETURN 0; END $$`);
  });

  test.each([
    ['a timeout of statements', "SET LOCAL statement_timeout = '50ms'", 'StatementCancelled'],
    ['a timeout of locks', "SET LOCAL lock_timeout = '50ms'", 'LockTimeout'],
  ])('%s', async (_, setting, code) => {
    const session = opened();
    await session.confirm();
    await session.handle.query(setting);
    await stop();
    await expect(enters(session, 'a', 1)).rejects.toMatchObject({ code });
    expect(await gates(admin)).toBe(0);
  });

  test.each([
    ['a cancelled statement', 'pg_cancel_backend', 'StatementCancelled'],
    ['a session that was ended', 'pg_terminate_backend', 'ConnectionLost'],
  ])('%s', async (_, end, code) => {
    const session = opened();
    await session.confirm();
    const { rows } = await session.handle.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
    await stop();
    const refused = expect(enters(session, 'a', 1)).rejects.toMatchObject({ code });
    await expect.poll(() => gates(admin), { timeout: 30_000 }).toBe(1);
    await admin.query(`SELECT ${end}($1)`, [rows[0]?.pid]);
    await refused;
    await expect.poll(() => gates(admin), { timeout: 30_000 }).toBe(0);
  });

  test('a refusal', async () => {
    const session = opened();
    await enters(session, 'a', 1);
    expect(await gates(admin)).toBe(0);
    await session.rollback();
  });
});

describe('a claim that takes a slot without counting', () => {
  beforeEach(async () => {
    await admin.query(
      `INSERT INTO rowlock.job (kind, limits) SELECT 'work', '{"a":1}' FROM generate_series(1, 3)`,
    );
    await admin.query("INSERT INTO rowlock.limit_slot (name, n) VALUES ('a', 1)");
  });

  test.each([
    ['a timeout of statements', "SET LOCAL statement_timeout = '50ms'", 'StatementCancelled'],
    ['a timeout of locks', "SET LOCAL lock_timeout = '50ms'", 'LockTimeout'],
    ['a cancelled statement', null, 'StatementCancelled'],
  ])('opens the gate when it is rolled back after %s', async (_, setting, code) => {
    const session = opened();
    await session.confirm();
    if (setting !== null) await session.handle.query(setting);
    const { rows } = await session.handle.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
    blocker = new pg.Client(url);
    await blocker.connect();
    await blocker.query('BEGIN');
    // The look behind the lock reads it.
    await blocker.query('LOCK TABLE rowlock.limit_mark');
    const refused = expect(claim(session, '{"a":1}')).rejects.toMatchObject({ code });
    if (setting === null) {
      await expect.poll(() => gates(admin), { timeout: 30_000 }).toBe(1);
      await admin.query('SELECT pg_cancel_backend($1)', [rows[0]?.pid]);
    }
    await refused;
    await blocker.query('ROLLBACK');
    await session.rollback();
    await expect.poll(() => gates(admin), { timeout: 30_000 }).toBe(0);
    expect(await admitted(callers(2), 'a', 1)).toBe(1);
  });

  test('counts where slots lie beyond the size, and keeps one slot alone', async () => {
    await admin.query("INSERT INTO rowlock.limit_slot (name, n) VALUES ('a', 2), ('a', 3)");
    const [holder, session] = [opened(), opened()];
    expect(await enters(holder, 'a', 3)).toBe(true);
    await expect(claim(session, '{"a":1}')).rejects.toMatchObject(reached);
    await session.rollback();
    await holder.rollback();
    expect(await claim(session, '{"a":1}')).toHaveLength(1);
    expect(await gates(admin)).toBe(0);
    expect(await admitted(callers(3), 'a', 3)).toBe(2);
  });

  test('counts where a lease has a slot, and finds the only slot taken', async () => {
    const [leased, session] = [opened(), opened()];
    expect(await claim(leased, '{"a":1}')).toHaveLength(1);
    await leased.lease('0b7c4dd6-5f6f-4c5e-9b4e-1a1f0c7f3d10', [], 60_000);
    await expect(claim(session, '{"a":1}')).rejects.toMatchObject(reached);
    await session.rollback();
    expect(await gates(admin)).toBe(0);
  });

  test('opens the gate where it finds no job', async () => {
    const session = opened();
    expect(await claim(session, '{"b":1}')).toEqual([]);
    expect(await gates(admin)).toBe(0);
  });
});

test("a caller's search path and temporary tables do not matter, and its path stays as it was", async () => {
  const session = opened();
  await session.confirm();
  await session.handle.query('CREATE TEMPORARY TABLE limit_slot (name text, n integer)');
  await session.handle.query('SET LOCAL search_path = pg_temp');
  expect(await enters(session, 'a', 1)).toBe(true);
  const { rows } = await session.handle.query("SELECT current_setting('search_path') AS path");
  expect(rows).toEqual([{ path: 'pg_temp' }]);
  expect(await admitted(callers(1), 'a', 1)).toBe(0);
  await session.rollback();
});

test('a schema that was renamed has its limits with it', async () => {
  const schema = 'my "jobs"';
  await admin.query(`ALTER SCHEMA rowlock RENAME TO ${pg.escapeIdentifier(schema)}`);
  const renamed = postgres({ connectionString: url, schema });
  drivers.push(renamed);
  const [one, other] = [opened(renamed), opened(renamed)];
  expect(await enters(one, 'a', 1)).toBe(true);
  expect(await enters(other, 'a', 1)).toBe(false);
});

test('a size that is set wakes workers when it is committed', async () => {
  const listener = new pg.Client(url);
  await listener.connect();
  const heard: unknown[] = [];
  listener.on('notification', ({ payload }) => heard.push(payload));
  await listener.query('LISTEN "rowlock:rowlock"');
  await driver.admission.set('a', { max: 3 }, 'ann');
  await driver.admission.set('a', null, 'ann');
  const caller = await admin.connect();
  await caller.query('BEGIN');
  await driver.join(caller).admission.set('b', { max: 7 }, 'bob');
  expect(await driver.admission.limits(['a', 'b'])).toEqual([]);
  await caller.query('COMMIT');
  caller.release();
  expect(await driver.admission.limits(['b'])).toMatchObject([{ set: { name: 'b', max: 7, setBy: 'bob' } }]);
  await expect
    .poll(() => heard, { timeout: 30_000 })
    .toEqual(['{"limit":"a"}', '{"limit":"a"}', '{"limit":"b"}']);
  await listener.end();
});

test('a limit whose slots cannot be deleted holds up no other one', async () => {
  for (const name of ['a', 'b', 'c'])
    await admin.query('INSERT INTO rowlock.limit_slot (name, n) VALUES ($1, 1)', [name]);
  await admin.query(`
    CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN IF OLD.name = 'b' THEN RAISE 'not welcome'; END IF; RETURN OLD; END $$;
    CREATE TRIGGER refuse BEFORE DELETE ON rowlock.limit_slot FOR EACH ROW EXECUTE FUNCTION refuse()`);
  const pruned = await driver.admission.prune('', 0);
  expect(pruned).toMatchObject({ last: 'c', refused: [{ member: 'b', error: { message: 'not welcome' } }] });
  const { rows } = await admin.query('SELECT name FROM rowlock.limit_slot');
  expect(rows).toEqual([{ name: 'b' }]);
});
