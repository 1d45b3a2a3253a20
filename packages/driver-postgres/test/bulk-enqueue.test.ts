import '@rowlock/servers/vitest';
import process from 'node:process';
import { createRowlock, defineHandler, type Enqueued } from '@rowlock/core';
import type { NewJob } from '@rowlock/core/driver';
import { countStates, newJob } from '@rowlock/driver-conformance/internal';
import pg from 'pg';
import { expect, inject, onTestFinished, test, vi } from 'vitest';
import { cut } from '../src/connection/connection.js';
import { postgres } from '../src/index.js';
import { openPostgresHarness } from './postgres-harness.js';

const JOB = newJob();

const Anything = {
  '~standard': { version: 1, vendor: 'test', validate: (value: unknown) => ({ value }) },
} as const;

async function ownPool(options: pg.PoolConfig = {}) {
  const database = await openPostgresHarness(inject('postgresUrl')).database();
  onTestFinished(() => database.close());
  const pool = new pg.Pool({ connectionString: database.url, ...options });
  onTestFinished(() => pool.end());
  const driver = postgres({ pool });
  await driver.schema.migrate();
  const jobs = async () => (await countStates(driver, { queue: 'q' })).new;
  return { driver, pool, jobs };
}

// The first one: pg warns once in a process.
test("of many jobs, an application's own pool is asked one piece after the other, as pg wants it", async () => {
  const { driver, jobs } = await ownPool();
  const warnings: Error[] = [];
  const note = (warning: Error): void => void warnings.push(warning);
  process.on('warning', note);
  onTestFinished(() => void process.off('warning', note));
  await driver.jobs.enqueue(Array.from({ length: 2_001 }, () => JOB));
  expect(await jobs()).toBe(2_001);
  expect(warnings).toEqual([]);
});

test('of many jobs of which the last is refused none is inserted', async () => {
  const { driver, jobs } = await ownPool();
  const refused = { ...JOB, priority: 99_999 };
  await expect(driver.jobs.enqueue([...Array.from({ length: 2_000 }, () => JOB), refused])).rejects.toThrow();
  expect(await jobs()).toBe(0);
  await driver.jobs.enqueue([JOB]);
  expect(await jobs()).toBe(1);
});

test("very long jobs go into several statements, in the same order, also in a caller's transaction", async () => {
  const { driver, pool } = await ownPool();
  const query = vi.spyOn(pg.Client.prototype, 'query');
  onTestFinished(() => query.mockRestore());
  const text = 'a'.repeat(800_000);
  const long = Array.from({ length: 30 }, (_, place) => ({ ...JOB, payload: { place, text } }));
  await driver.jobs.enqueue(long);
  const client = await pool.connect();
  await client.query('BEGIN');
  await driver.join(client).jobs.enqueue(long);
  await client.query('COMMIT');
  client.release();
  const lengths = query.mock.calls.map((call) => lengthOf(Object(call[0]).values ?? call[1]));
  expect(Math.max(...lengths)).toBeGreaterThan(4_000_000);
  // What JSON in an array escapes comes on top.
  expect(Math.max(...lengths)).toBeLessThan(9_000_000);
  const found = await pool.query(
    `SELECT (payload->>'place')::integer AS place FROM rowlock.job WHERE length(payload->>'text') = 800000 ORDER BY id`,
  );
  const places = Array.from({ length: 30 }, (_, place) => place);
  expect(found.rows.map(({ place }) => place)).toEqual([...places, ...places]);
});

test('of many calls at once one that a trigger refuses fails alone', async () => {
  const { driver, pool, jobs } = await ownPool();
  await pool.query(`
    CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'no %', NEW.payload; END $$;
    CREATE TRIGGER refuse BEFORE INSERT ON rowlock.job FOR EACH ROW WHEN (NEW.payload = '7') EXECUTE FUNCTION refuse()`);
  const Work = defineHandler({ kind: 'k', queue: 'q', payload: Anything, run: () => {} });
  const rowlock = createRowlock({ driver, handlers: [Work] });
  const calls = Array.from({ length: 20 }, (_, each) => rowlock.enqueue(Work, { payload: each }));
  const ended = await Promise.allSettled(calls);
  const refused = ended.flatMap(({ status }, each) => (status === 'rejected' ? [each] : []));
  expect(refused).toEqual([7]);
  expect(ended[7]).toMatchObject({ reason: { message: expect.stringMatching(/no 7/) } });
  expect(await jobs()).toBe(19);
});

for (const [how, options] of [
  ['takes one statement at a time', {}],
  ['is sent statements ahead of its answers', { pipeline: true }],
] as const) {
  test(`of jobs with unique keys all are in or none, before whichever statement a connection that ${how} is lost`, async () => {
    const { driver, jobs } = await ownPool(options);
    await driver.jobs.enqueue([keyed('there')]);
    const together = ['a', 'there', 'a', 'b'].map(keyed);
    let enqueued: readonly Enqueued[] = [];
    let lost = 0;
    while (enqueued.length === 0) {
      const mend = loseBefore(lost + 1);
      try {
        enqueued = await driver.jobs.enqueue(together).finally(mend);
      } catch (error) {
        expect(error).toMatchObject({ code: 'ConnectionLost' });
        expect(await jobs()).toBe(1);
        lost += 1;
      }
    }
    expect(lost).toBeGreaterThan(2);
    const outcomes = ['enqueued', 'duplicate', 'duplicate', 'enqueued'];
    expect(enqueued.map(({ outcome }) => outcome)).toEqual(outcomes);
    expect(await jobs()).toBe(3);
  });
}

/** Has the connection that is asked the n-th statement from now on lost before it is sent. */
function loseBefore(statement: number): () => void {
  const { query } = pg.Client.prototype;
  let asked = 0;
  pg.Client.prototype.query = new Proxy(query, {
    apply(_, client: pg.Client, values) {
      asked += 1;
      if (asked === statement) cut(client);
      return Reflect.apply(query, client, values);
    },
  });
  return () => {
    pg.Client.prototype.query = query;
  };
}

function keyed(key: string): NewJob {
  return newJob({ unique: { key, scope: 'outstanding' } });
}

function lengthOf(values: unknown): number {
  return Array.isArray(values) ? values.join('').length : 0;
}
