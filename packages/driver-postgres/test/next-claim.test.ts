import '@rowlock/servers/vitest';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import type { Anchor, ClaimSession, Job, Settlement } from '@rowlock/core/driver';
import pg from 'pg';
import { afterAll, afterEach, beforeEach, describe, expect, inject, onTestFinished, test, vi } from 'vitest';
import { type PostgresTransaction, postgres } from '../src/index.js';
import { openPostgresHarness } from './postgres-harness.js';

/** A driver with one connection: a claim that waited for another one would wait for ever. */
const database = await openPostgresHarness(inject('postgresUrl')).database();
let driver: ReturnType<typeof postgres>;
let anchor: Anchor | undefined;

beforeEach(async () => {
  await database.reader.exec('DROP SCHEMA IF EXISTS rowlock CASCADE');
  driver = postgres({
    connectionString: database.url,
    maxConnections: 1,
    sessions: 'own',
    query_timeout: 60_000,
  });
  await driver.schema.migrate();
  for (const payload of [1, 2, 3]) await database.reader.insert({ queue: 'q', kind: 'work', payload });
});

afterEach(async () => {
  await anchor?.release();
  anchor = undefined;
  await driver.close();
});
afterAll(() => database.close());

type Session = ClaimSession<PostgresTransaction>;

const NEXT = { queue: 'q', kinds: ['work'], line: { priority: -32_768, id: 0n }, busy: [], limit: 1 };

async function claimed(idleLimitMs = 60_000): Promise<{ session: Session; job: Job }> {
  const session = driver.claims.session({ idleLimitMs });
  return { session, job: theJob(await session.claim(NEXT)) };
}

function theJob(jobs: readonly Job[] | null | undefined): Job {
  const [job] = jobs ?? [];
  if (job === undefined) throw new Error('There was nothing to claim.');
  return job;
}

/** Settles, and claims behind it: in the same message, or afterwards where the connection does not share messages. */
async function finishAndClaim(session: Session, settlement: Settlement): Promise<Job> {
  const { settled, next } = await session.finish([settlement], NEXT);
  expect(settled).toEqual([settlement.id]);
  return theJob(await (next ?? session.claim(NEXT)));
}

function completed({ id }: Pick<Job, 'id'>): Settlement {
  const ending = { event: 'complete', attempt: 1, crashes: 0, delayMs: 0, tookMs: 0, error: null } as const;
  return { ...ending, id, runId: randomUUID(), output: null, by: 'test' };
}

const ERROR = { code: 'TEST', message: 'It was refused.' };

const states = async () =>
  (await database.reader.exec('SELECT status FROM rowlock.job ORDER BY id')).map(({ status }) => status);

/** What another session could claim now. */
const unlocked = async () =>
  (
    await database.reader.exec(
      "SELECT payload FROM rowlock.job WHERE status = 'new' ORDER BY id FOR UPDATE SKIP LOCKED",
    )
  ).map(({ payload }) => payload);

describe.each([false, true])('statements share messages: %s', (sharesMessages) => {
  // Only a worker's anchor finds out that the sessions are the driver's own.
  beforeEach(async () => {
    await driver.close();
    driver = postgres({
      connectionString: database.url,
      maxConnections: 1,
      sessions: sharesMessages ? 'own' : 'shared',
      query_timeout: 60_000,
    });
    anchor = await driver.workers.anchor({ name: 'w', host: 'h', pid: 1, queues: ['q'] });
  });

  test('the claim behind a settlement gets the next job', async () => {
    // Where the first second of a session is over, the sizes of the tables are read ahead of the claim.
    vi.useFakeTimers({ toFake: ['performance'] });
    onTestFinished(() => void vi.useRealTimers());
    const { session, job: one } = await claimed();
    const { settled, next } = await session.finish([completed(one)], NEXT);
    expect(settled).toEqual([one.id]);
    expect(next === null).toBe(!sharesMessages);
    const two = theJob(await (next ?? session.claim(NEXT)));
    expect(two.payload).toBe(2);
    expect(await unlocked()).toEqual([3]);
    expect(await session.finish([completed(two)])).toEqual({ settled: [two.id], next: null });
    expect(await states()).toEqual(['complete', 'complete', 'new']);
    expect(await unlocked()).toEqual([3]);
  });

  test('a claim behind a settlement that nobody works on is given back', async () => {
    const { session, job } = await claimed();
    await finishAndClaim(session, completed(job));
    await session.rollback();
    expect(await unlocked()).toEqual([2, 3]);
    // With one connection, one that was not given back would be waited for.
    expect(await driver.workers.list()).toHaveLength(1);
  });

  test('a settlement that is refused is rolled back, and so is the claim behind it', async () => {
    const { session, job: one } = await claimed();
    await refuseUpdates();
    await expect(session.finish([completed(one)], NEXT)).rejects.toThrow('no');
    await session.rollback();
    expect(await driver.workers.list()).toHaveLength(1);
    await expect.poll(unlocked, { timeout: 30_000 }).toEqual([1, 2, 3]);
    // The statement that failed at its first use can be sent again.
    await database.reader.exec('DROP TRIGGER no ON rowlock.job');
    await expect.poll(unlocked, { timeout: 30_000 }).toContain(1);
    expect(theJob(await session.claim(NEXT)).id).toBe(one.id);
    expect((await session.finish([completed(one)])).settled).toEqual([one.id]);
    expect(await states()).toEqual(['complete', 'new', 'new']);
  });

  test('a COMMIT that is refused settles nothing, and nothing is claimed behind it', async () => {
    const { session, job: one } = await claimed();
    await refuseUpdates('CONSTRAINT', 'AFTER', 'DEFERRABLE INITIALLY DEFERRED');
    await expect(session.finish([completed(one)], NEXT)).rejects.toThrow('no');
    await session.rollback();
    expect(await states()).toEqual(['new', 'new', 'new']);
    // A connection that is closed lets go of its locks a moment later.
    await expect.poll(unlocked, { timeout: 30_000 }).toEqual([1, 2, 3]);
  });

  test('a settlement of a job that was not claimed is none, and nothing is claimed behind it', async () => {
    const { session, job } = await claimed();
    const stranger = { ...completed(job), id: job.id + 1n };
    expect(await session.finish([stranger], NEXT)).toEqual({ settled: [], next: null });
    await session.rollback();
    expect(await unlocked()).toEqual([1, 2, 3]);
  });

  describe('of what a handler has written', () => {
    const effects = async () => (await database.reader.exec('SELECT note FROM effect')).length;

    beforeEach(async () => {
      await database.reader.exec(`
        CREATE TABLE effect (note text);
        CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'refused'; END $$;
        CREATE TRIGGER refuses BEFORE UPDATE ON rowlock.job FOR EACH ROW
          WHEN (NEW.output = '"refused"') EXECUTE FUNCTION refuse()`);
    });
    afterEach(() => database.reader.exec('DROP TABLE effect; DROP FUNCTION refuse CASCADE'));

    async function written() {
      const { session, job } = await claimed();
      await session.handle.query("INSERT INTO effect VALUES ('written')");
      return { session, job };
    }

    test('the claim behind its settlement gets the next job', async () => {
      const { session, job: one } = await written();
      expect((await finishAndClaim(session, completed(one))).payload).toBe(2);
      expect(session.used).toBe(false);
      await session.rollback();
      expect(await effects()).toBe(1);
      expect(await states()).toEqual(['complete', 'new', 'new']);
    });

    test('a settlement that is refused is undone and settled otherwise, with the next claim behind that', async () => {
      const { session, job: one } = await written();
      await expect(session.finish([{ ...completed(one), output: 'refused' }], NEXT)).rejects.toThrow(
        'refused',
      );
      // The claim stands: nobody else gets its job.
      expect(await unlocked()).toEqual([2, 3]);
      await session.undo();
      const two = await finishAndClaim(session, { ...completed(one), event: 'fail', error: ERROR });
      expect(two.payload).toBe(2);
      expect(await unlocked()).toEqual([3]);
      expect((await session.finish([completed(two)])).settled).toEqual([two.id]);
      expect(await effects()).toBe(0);
      expect(await states()).toEqual(['error', 'complete', 'new']);
    });

    test('a settlement that is refused and given up leaves the job to the next claim', async () => {
      const { session, job: one } = await written();
      await expect(session.finish([{ ...completed(one), output: 'refused' }], NEXT)).rejects.toThrow(
        'refused',
      );
      await session.rollback();
      await expect.poll(unlocked, { timeout: 30_000 }).toContain(1);
      expect(theJob(await session.claim(NEXT)).id).toBe(one.id);
      await session.rollback();
      expect(await effects()).toBe(0);
      expect(await states()).toEqual(['new', 'new', 'new']);
    });

    test('a COMMIT that fails leaves the job to the next claim, and nothing of it is undone there', async () => {
      // What a cursor that outlives its transaction has to bring is found out by the COMMIT.
      await database.reader.exec(`
        CREATE FUNCTION fail_at_commit() RETURNS void LANGUAGE plpgsql AS $$
        BEGIN EXECUTE 'DECLARE late CURSOR WITH HOLD FOR SELECT 1 / (length(note) - 7) FROM effect'; END $$`);
      const { session, job: one } = await written();
      await session.handle.query('SELECT fail_at_commit()');
      await expect(session.finish([completed(one)], NEXT)).rejects.toThrow('division by zero');
      await expect(session.undo()).rejects.toMatchObject({ code: 'TransactionOver' });
      await session.rollback();
      await expect.poll(unlocked, { timeout: 30_000 }).toContain(1);
      const job = theJob(await session.claim(NEXT));
      expect((await session.finish([completed(job)])).settled).toEqual([one.id]);
      expect(await effects()).toBe(0);
      expect(await states()).toEqual(['complete', 'new', 'new']);
      await database.reader.exec('DROP FUNCTION fail_at_commit');
    });

    test('a settlement that finds the transaction ended leaves the job to the next claim', async () => {
      const { session, job: one } = await written();
      // By the old rules for quotes the text ends before COMMIT, which is refused where it is seen. So the call hides their name.
      await session.handle.query("SELECT set_config('standard_conforming' || '_strings', 'off', true)");
      await session.handle.query("SELECT '\\'';COMMIT AND CHAIN;--'");
      await expect(session.finish([completed(one)], NEXT)).rejects.toMatchObject({ code: 'ConnectionLost' });
      await session.rollback();
      await expect.poll(unlocked, { timeout: 30_000 }).toContain(1);
      expect(theJob(await session.claim(NEXT)).id).toBe(one.id);
      await session.rollback();
      expect(await states()).toEqual(['new', 'new', 'new']);
    });

    test('a session that the handler may have changed is not gone on with', async () => {
      const { session, job: one } = await written();
      await session.handle.query("SET application_name = 'changed'");
      const { next } = await session.finish([completed(one)], NEXT);
      expect(next).toBeNull();
      theJob(await session.claim(NEXT));
      expect((await session.handle.query('SHOW application_name')).rows).toEqual([
        { application_name: 'rowlock' },
      ]);
      await session.rollback();
    });
  });

  test('a connection that is lost with a settlement on its way is lost for the claim behind it too', async () => {
    const { session, job: one } = await claimed();
    const { rows } = await session.handle.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
    await session.undo();
    await session.renew();
    // Holds up the settlement until the session is ended.
    const blocker = new pg.Client(database.url);
    await blocker.connect();
    await blocker.query('BEGIN; LOCK TABLE rowlock.run');
    const settled = session.finish([{ ...completed(one), event: 'retry' }], NEXT);
    const lost = expect(settled).rejects.toMatchObject({ code: 'ConnectionLost' });
    await database.reader.exec(`SELECT pg_terminate_backend(${rows[0]?.pid})`);
    await lost;
    expect(session.lost.aborted).toBe(true);
    await session.rollback();
    await blocker.end();
    await expect.poll(unlocked, { timeout: 30_000 }).toContain(1);
    expect(theJob(await session.claim(NEXT)).id).toBe(one.id);
    expect(session.lost.aborted).toBe(false);
    await session.rollback();
  });

  test('a connection that is lost after the claim behind a settlement is lost for that claim', async () => {
    const { session, job } = await claimed();
    await finishAndClaim(session, completed(job));
    const { lost } = session;
    const isLost = once(lost, 'abort');
    await database.reader.exec(
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND state = 'idle in transaction'",
    );
    await isLost;
    expect(lost.reason).toMatchObject({ code: 'ConnectionLost' });
    await session.rollback();
    await expect.poll(unlocked, { timeout: 30_000 }).toEqual([2, 3]);
  });

  test('a claim that goes along with a settlement is bounded from then on', async () => {
    // On a busy machine the first claim may be over before it is settled.
    const session = await vi.waitFor(async () => {
      const { session: first, job } = await claimed(1_000);
      await finishAndClaim(first, completed(job)).catch(async (error: unknown) => {
        await first.rollback();
        throw error;
      });
      return first;
    }, 30_000);
    const { lost } = session;
    if (!lost.aborted) await once(lost, 'abort');
    expect(lost.reason).toMatchObject({ code: 'ConnectionLost' });
    await session.rollback();
  });

  test('texts reach the server as they are', async () => {
    const { session, job: one } = await claimed();
    const output = { quotes: `"'\\{},NULL` };
    expect((await session.finish([{ ...completed(one), output }])).settled).toEqual([one.id]);
    expect(await database.reader.exec(`SELECT output FROM rowlock.job WHERE id = ${one.id}`)).toEqual([
      { output },
    ]);
    for (const key of ['a"b', 'a\\b', '{a,b}', 'NULL', ' ', ',']) {
      await database.reader.insert({ queue: 'odd', kind: 'work', payload: 1, key });
      await session.claim({ ...NEXT, queue: 'none' });
      const [locked] = await session.lockSiblings({ queue: 'odd', keys: ['other', key] }, 10);
      expect(locked?.key).toBe(key);
      const jobs = await session.claim({ ...NEXT, queue: 'odd', busy: [key], limit: 10 });
      expect(jobs.map((job) => job.key)).not.toContain(key);
      await session.rollback();
    }
  });
});

/** A trigger that raises "no" when a job is written to. */
async function refuseUpdates(kind = '', when = 'BEFORE', deferrable = ''): Promise<void> {
  await database.reader.exec(
    "CREATE OR REPLACE FUNCTION no() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'no'; END $$;" +
      `CREATE ${kind} TRIGGER no ${when} UPDATE ON rowlock.job ${deferrable} FOR EACH ROW EXECUTE FUNCTION no()`,
  );
}
