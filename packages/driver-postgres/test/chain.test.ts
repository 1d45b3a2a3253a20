import '@rowlock/servers/vitest';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import type { Anchor, HeldTransaction, Job, Settlement } from '@rowlock/core/driver';
import pg from 'pg';
import { afterAll, afterEach, beforeEach, describe, expect, inject, test } from 'vitest';
import { type PostgresTransaction, postgres } from '../src/index.js';
import { openPostgresHarness } from './postgres-harness.js';

/** A driver with one connection: a transaction that waited for another's would wait for ever. */
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
  await driver.migrate();
  for (const payload of [1, 2, 3]) await database.reader.insert({ queue: 'q', kind: 'work', payload });
});

afterEach(async () => {
  await anchor?.release();
  anchor = undefined;
  await driver.close();
});
afterAll(() => database.close());

const begin = (after?: HeldTransaction<PostgresTransaction>, idleLimitMs = 60_000) =>
  driver.begin(after ? { idleLimitMs, after } : { idleLimitMs });

async function claim(held: HeldTransaction<PostgresTransaction>): Promise<Job> {
  const line = { priority: -32_768, id: 0n };
  const [job] = await held.claim({ queue: 'q', kinds: ['work'], line, busy: [], limit: 1 });
  if (job === undefined) throw new Error('There was nothing to claim.');
  return job;
}

/** As a worker does: the claim is asked for while the settlement is on its way. */
async function claimBehind(before: HeldTransaction<PostgresTransaction>, idleLimitMs?: number) {
  const held = await begin(before, idleLimitMs);
  return { held, job: await claim(held) };
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

/** Of sessions that are known to be the driver's own, statements go in flights. */
describe.each([false, true])('in flights: %s', (inFlights) => {
  beforeEach(async () => {
    if (inFlights) anchor = await driver.anchor({ name: 'w', host: 'h', pid: 1, queues: ['q'] });
  });

  test('a claim that is sent behind a settlement gets the next job', async () => {
    const first = await begin();
    const one = await claim(first);
    const settled = first.finish([completed(one)]);
    const second = await begin(first);
    const two = await claim(second);
    expect(await settled).toEqual([one.id]);
    expect(two.payload).toBe(2);
    await first.rollback();
    expect(await second.finish([completed(two)])).toEqual([two.id]);
    expect(await states()).toEqual(['complete', 'complete', 'new']);
  });

  test('a settlement that is refused is rolled back, and the claim behind it gets the same job', async () => {
    const first = await begin();
    const one = await claim(first);
    await refuseUpdates();
    const settled = first.finish([completed(one)]);
    const [refused, second] = await Promise.allSettled([settled, begin(first)]);
    expect(refused).toMatchObject({ status: 'rejected', reason: { message: expect.stringContaining('no') } });
    if (second.status === 'rejected') throw second.reason;
    await first.rollback();
    expect((await claim(second.value)).id).toBe(one.id);
    await second.value.rollback();
    expect(await states()).toEqual(['new', 'new', 'new']);
  });

  test('one that is given up before its claim, behind a settlement that is refused, leaves the connection free', async () => {
    const first = await begin();
    const one = await claim(first);
    await refuseUpdates();
    const settled = expect(first.finish([completed(one)])).rejects;
    const second = await begin(first);
    await Promise.all([settled.toThrow('no'), second.rollback()]);
    await first.rollback();
    // What asks for a connection and does not look whether a transaction is open there.
    expect(await driver.workers()).toHaveLength(inFlights ? 1 : 0);
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
      const held = await begin();
      const job = await claim(held);
      await held.handle.query("INSERT INTO effect VALUES ('written')");
      return { held, job };
    }

    test('a claim that is sent behind its settlement gets the next job', async () => {
      const { held: first, job: one } = await written();
      const settled = first.finish([completed(one)]);
      const { held: second, job: two } = await claimBehind(first);
      expect(await settled).toEqual([one.id]);
      expect(two.payload).toBe(2);
      await first.rollback();
      await second.rollback();
      expect(await effects()).toBe(1);
      expect(await states()).toEqual(['complete', 'new', 'new']);
    });

    test('a claim behind a settlement that is refused comes when that is undone and settled otherwise', async () => {
      const { held: first, job: one } = await written();
      const settled = expect(first.finish([{ ...completed(one), output: 'refused' }])).rejects;
      const claimed = claimBehind(first);
      await settled.toThrow('refused');
      await first.undo();
      expect(await first.finish([{ ...completed(one), event: 'fail', error: ERROR }])).toEqual([one.id]);
      const { held: second, job: two } = await claimed;
      expect(two.payload).toBe(2);
      expect(await second.finish([completed(two)])).toEqual([two.id]);
      expect(await effects()).toBe(0);
      expect(await states()).toEqual(['error', 'complete', 'new']);
    });

    // A worker looks how much it may claim before it begins: the settlement may have been refused by then, or may be while it does.
    test.each([false, true])(
      'a claim behind a settlement that is refused, its transaction begun before that: %s, is held by that one',
      async (isBefore) => {
        const { held: first, job: one } = await written();
        const refused = expect(first.finish([{ ...completed(one), output: 'refused' }])).rejects.toThrow(
          'refused',
        );
        const begins = isBefore ? begin(first) : null;
        await refused;
        await first.undo();
        const claimed = (begins ?? begin(first)).then(async (held) => ({ held, job: await claim(held) }));
        // By then it has been sent, if it waits for nothing.
        await new Promise(setImmediate);
        expect(await first.finish([{ ...completed(one), event: 'fail', error: ERROR }])).toEqual([one.id]);
        const { held: second, job: two } = await claimed;
        expect(two.payload).toBe(2);
        expect(await unlocked()).toEqual([3]);
        expect(await second.finish([completed(two)])).toEqual([two.id]);
        expect(await effects()).toBe(0);
        expect(await states()).toEqual(['error', 'complete', 'new']);
      },
    );

    test('a claim behind a settlement that is refused and given up gets the same job', async () => {
      const { held: first, job: one } = await written();
      const settled = expect(first.finish([{ ...completed(one), output: 'refused' }])).rejects;
      const claimed = claimBehind(first);
      await settled.toThrow('refused');
      await first.rollback();
      const { held: second, job } = await claimed;
      expect(job.id).toBe(one.id);
      await second.rollback();
      expect(await effects()).toBe(0);
      expect(await states()).toEqual(['new', 'new', 'new']);
    });

    test('a claim behind a COMMIT that fails gets the same job, and nothing of the transaction before is undone in its own', async () => {
      // What a cursor that outlives its transaction has to bring is found out by the COMMIT.
      await database.reader.exec(`
        CREATE FUNCTION fail_at_commit() RETURNS void LANGUAGE plpgsql AS $$
        BEGIN EXECUTE 'DECLARE late CURSOR WITH HOLD FOR SELECT 1 / (length(note) - 7) FROM effect'; END $$`);
      const { held: first, job: one } = await written();
      await first.handle.query('SELECT fail_at_commit()');
      const settled = expect(first.finish([completed(one)])).rejects;
      const claimed = claimBehind(first);
      await settled.toThrow('division by zero');
      await expect(first.undo()).rejects.toMatchObject({ code: 'TransactionOver' });
      await first.rollback();
      const { held: second, job } = await claimed;
      expect(await second.finish([completed(job)])).toEqual([one.id]);
      expect(await effects()).toBe(0);
      expect(await states()).toEqual(['complete', 'new', 'new']);
      await database.reader.exec('DROP FUNCTION fail_at_commit');
    });

    test('a claim behind a settlement that finds the transaction ended comes when that is given up', async () => {
      const { held: first, job: one } = await written();
      await first.handle.query('COMMIT AND CHAIN');
      const settled = expect(first.finish([completed(one)])).rejects;
      const claimed = claimBehind(first);
      await settled.toMatchObject({ code: 'ConnectionLost' });
      await first.rollback();
      const { held: second, job } = await claimed;
      expect(job.id).toBe(one.id);
      await second.rollback();
      expect(await states()).toEqual(['new', 'new', 'new']);
    });
  });

  test('a transaction behind one that has ended takes a connection of the pool', async () => {
    const first = await begin();
    const one = await claim(first);
    await first.finish([completed(one)]);
    const second = await begin(first);
    expect((await claim(second)).payload).toBe(2);
    await second.rollback();
    // It was given back once: with one connection, a second time would be an error, and none at all a wait.
    const third = await begin();
    expect((await claim(third)).payload).toBe(2);
    await third.rollback();
  });

  test('a connection that is lost with a settlement on its way is lost for the claim behind it too', async () => {
    const first = await begin();
    const one = await claim(first);
    const [{ pid } = { pid: 0 }] = (
      await first.handle.query<{ pid: number }>('SELECT pg_backend_pid() AS pid')
    ).rows;
    await first.undo();
    await first.renew();
    // Holds up the settlement until the session is ended.
    const blocker = new pg.Client(database.url);
    await blocker.connect();
    await blocker.query('BEGIN; LOCK TABLE rowlock.run');
    const settled = first.finish([{ ...completed(one), event: 'retry' }]);
    const second = await begin(first);
    const claimed = claim(second);
    const ended = Promise.allSettled([settled, claimed]);
    await database.reader.exec(`SELECT pg_terminate_backend(${pid})`);
    await expect(ended).resolves.toMatchObject([
      { status: 'rejected', reason: { code: 'ConnectionLost' } },
      { status: 'rejected', reason: { code: 'ConnectionLost' } },
    ]);
    expect(second.lost.aborted).toBe(true);
    await Promise.all([first.rollback(), second.rollback()]);
    await blocker.end();
    const third = await begin();
    expect((await claim(third)).id).toBe(one.id);
    await third.rollback();
  });

  test('a settlement that is refused, with a claim along, is rolled back, and the claim gets the same job', async () => {
    const first = await begin();
    const one = await claim(first);
    await refuseUpdates();
    const [refused, next] = await Promise.allSettled([first.finish([completed(one)]), claimBehind(first)]);
    expect(refused).toMatchObject({ status: 'rejected', reason: { message: expect.stringContaining('no') } });
    if (next.status === 'rejected') throw next.reason;
    expect(next.value.job.id).toBe(one.id);
    await Promise.all([first.rollback(), next.value.held.rollback()]);
    // The statement that failed when it was first asked can be asked again.
    await database.reader.exec('DROP TRIGGER no ON rowlock.job');
    const third = await begin();
    expect(await third.finish([completed(await claim(third))])).toEqual([one.id]);
    expect(await states()).toEqual(['complete', 'new', 'new']);
  });

  test('a COMMIT that is refused, with a claim along, settles nothing, and the claim gets the same job', async () => {
    const first = await begin();
    const one = await claim(first);
    await refuseUpdates('CONSTRAINT', 'AFTER', 'DEFERRABLE INITIALLY DEFERRED');
    const [refused, next] = await Promise.allSettled([first.finish([completed(one)]), claimBehind(first)]);
    expect(refused).toMatchObject({ status: 'rejected', reason: { message: expect.stringContaining('no') } });
    if (next.status === 'rejected') throw next.reason;
    expect(next.value.job.id).toBe(one.id);
    await Promise.all([first.rollback(), next.value.held.rollback()]);
    expect(await states()).toEqual(['new', 'new', 'new']);
  });

  test('a claim that is sent along with a settlement is bounded from then on', async () => {
    const first = await begin(undefined, 1_000);
    const settled = first.finish([completed(await claim(first))]);
    const { held, job } = await claimBehind(first, 1_000);
    expect(await settled).toHaveLength(1);
    expect(job.payload).toBe(2);
    if (!held.lost.aborted) await once(held.lost, 'abort');
    expect(held.lost.reason).toMatchObject({ code: 'ConnectionLost' });
    await held.rollback();
  });

  test('a claim that is sent along with a settlement that is refused is bounded all the same', async () => {
    const first = await begin(undefined, 3_600_000);
    const one = await claim(first);
    await refuseUpdates();
    const [, { held }] = await Promise.all([
      expect(first.finish([completed(one)])).rejects.toThrow('no'),
      claimBehind(first, 1_000),
    ]);
    if (!held.lost.aborted) await once(held.lost, 'abort');
    expect(held.lost.reason).toMatchObject({ code: 'ConnectionLost' });
    await held.rollback();
  });

  test('texts reach the server as they are', async () => {
    const first = await begin();
    const one = await claim(first);
    expect(await first.finish([{ ...completed(one), output: { quotes: `"'\\{},NULL` } }])).toEqual([one.id]);
    for (const key of ['a"b', 'a\\b', '{a,b}', 'NULL', ' ', ',']) {
      await database.reader.insert({ queue: 'odd', kind: 'work', payload: 1, key });
      const held = await begin();
      const [locked] = await held.lockSiblings({ queue: 'odd', keys: ['other', key] }, 10);
      expect(locked?.key).toBe(key);
      const busy = { queue: 'odd', kinds: ['work'], line: { priority: -32_768, id: 0n }, limit: 10 };
      expect((await held.claim({ ...busy, busy: [key] })).map((job) => job.key)).not.toContain(key);
      await held.rollback();
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
