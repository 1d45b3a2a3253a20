import '@rowlock/servers/vitest';
import { randomUUID } from 'node:crypto';
import type { HeldTransaction, Job, Settlement } from '@rowlock/core/driver';
import pg from 'pg';
import { afterAll, afterEach, beforeEach, expect, inject, test } from 'vitest';
import { type PostgresTransaction, postgres } from '../src/index.js';
import { openPostgresHarness } from './postgres-harness.js';

/** A driver with one connection: a transaction that waited for another's would wait for ever. */
const database = await openPostgresHarness(inject('postgresUrl')).database();
let driver: ReturnType<typeof postgres>;

beforeEach(async () => {
  await database.reader.exec('DROP SCHEMA IF EXISTS rowlock CASCADE');
  driver = postgres({ connectionString: database.url, maxConnections: 1 });
  await driver.migrate();
  for (const payload of [1, 2, 3]) await database.reader.insert({ queue: 'q', kind: 'work', payload });
});

afterEach(() => driver.close());
afterAll(() => database.close());

const begin = (after?: HeldTransaction<PostgresTransaction>) =>
  driver.begin(after ? { idleLimitMs: 60_000, after } : { idleLimitMs: 60_000 });

async function claim(held: HeldTransaction<PostgresTransaction>): Promise<Job> {
  const line = { priority: -32_768, id: 0n };
  const [job] = await held.claim({ queue: 'q', kinds: ['work'], line, busy: [], limit: 1 });
  if (job === undefined) throw new Error('There was nothing to claim.');
  return job;
}

function completed({ id }: Pick<Job, 'id'>): Settlement {
  const ending = { event: 'complete', attempt: 1, crashes: 0, delayMs: 0, tookMs: 0, error: null } as const;
  return { ...ending, id, processId: randomUUID(), output: null, by: 'test' };
}

const states = async () =>
  (await database.reader.exec('SELECT status FROM rowlock.job ORDER BY id')).map(({ status }) => status);

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
  await database.reader.exec(
    "CREATE FUNCTION no() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'no'; END $$;" +
      'CREATE TRIGGER no BEFORE UPDATE ON rowlock.job FOR EACH ROW EXECUTE FUNCTION no()',
  );
  const settled = first.finish([completed(one)]);
  const [refused, second] = await Promise.allSettled([settled, begin(first)]);
  expect(refused).toMatchObject({ status: 'rejected', reason: { message: expect.stringContaining('no') } });
  if (second.status === 'rejected') throw second.reason;
  await first.rollback();
  expect((await claim(second.value)).id).toBe(one.id);
  await second.value.rollback();
  expect(await states()).toEqual(['new', 'new', 'new']);
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
  const [{ pid } = { pid: 0 }] = (await first.handle.query<{ pid: number }>('SELECT pg_backend_pid() AS pid'))
    .rows;
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
