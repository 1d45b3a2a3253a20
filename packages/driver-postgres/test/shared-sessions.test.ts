import { createRowlock, defineHandler, type Logger } from '@rowlock/core';
import { type FreshDatabase, freshDatabase } from '@rowlock/servers';
import '@rowlock/servers/vitest';
import pg from 'pg';
import { afterEach, beforeEach, expect, inject, test } from 'vitest';
import { type PostgresOptions, postgres } from '../src/index.js';
import { type PoolerOptions, transactionPooler } from './transaction-pooler.js';

let fresh: FreshDatabase;
const undo: (() => Promise<unknown>)[] = [];

beforeEach(async () => {
  fresh = await freshDatabase(inject('postgresUrl'));
  undo.push(fresh.drop);
  const driver = postgres({ connectionString: fresh.url });
  await driver.migrate();
  await driver.close();
});

afterEach(async () => {
  for (const each of undo.splice(0).reverse()) await each();
});

/** What a worker takes for its proof of life. */
async function proofOf(options: PostgresOptions): Promise<string> {
  const driver = postgres(options);
  undo.push(() => driver.close());
  const anchor = await driver.anchor({ name: 'w', host: 'h', pid: 1, queues: [] });
  undo.push(() => anchor.release());
  return anchor.proof;
}

/** The address of a pooler in front of the database. */
async function pooled(options?: PoolerOptions): Promise<string> {
  const pooler = await transactionPooler(fresh.url, options);
  undo.push(() => pooler.close());
  const url = new URL(fresh.url);
  url.host = `${pooler.host}:${pooler.port}`;
  return url.href;
}

/** Clients that ask all the time, until the test ends. */
async function load(url: string, clients: number): Promise<void> {
  let isOver = false;
  const asking = Array.from({ length: clients }, async () => {
    const client = new pg.Client(url);
    client.on('error', () => {});
    await client.connect();
    while (!isOver) {
      await client.query('BEGIN');
      await client.query('SELECT pg_sleep(random() / 100)');
      await client.query('COMMIT');
    }
    await client.end();
  });
  undo.push(async () => {
    isOver = true;
    await Promise.all(asking);
  });
}

test('a connection to the server itself is a session of its own', async () => {
  expect(await proofOf({ connectionString: fresh.url })).toBe('session');
  await load(fresh.url, 5);
  expect(await proofOf({ connectionString: fresh.url })).toBe('session');
});

for (const order of ['newest', 'oldest'] as const) {
  test(`a pooler is recognised that gives the ${order} session first`, async () => {
    expect(await proofOf({ connectionString: await pooled({ order }) })).toBe('heartbeat');
  });

  test(`a pooler is recognised that gives the ${order} session first, also by a worker whose pool is yours`, async () => {
    const pool = new pg.Pool({ connectionString: await pooled({ order }), max: 2 });
    undo.push(() => pool.end());
    expect(await proofOf({ pool })).toBe('heartbeat');
  });

  test(`a busy pooler is recognised that gives the ${order} session first`, async () => {
    const url = await pooled({ order, most: 5 });
    await load(url, 8);
    for (let worker = 0; worker < 5; worker++) {
      expect(await proofOf({ connectionString: url })).toBe('heartbeat');
    }
  });
}

test('a pooler with a single session is recognised', async () => {
  expect(await proofOf({ connectionString: await pooled({ most: 1 }) })).toBe('heartbeat');
});

test('whoever knows better says so', async () => {
  expect(await proofOf({ connectionString: fresh.url, sessions: 'shared' })).toBe('heartbeat');
  expect(await proofOf({ connectionString: fresh.url, sessions: 'own' })).toBe('session');
});

test('a worker says once that its sessions are shared, and what that means', async () => {
  const said: unknown[] = [];
  const silent = (): void => {};
  const info: Logger['info'] = (_, message) => said.push(message);
  const log: Logger = { debug: silent, info, warn: silent, error: silent };
  const Work = defineHandler({
    kind: 'work',
    payload: {
      '~standard': { version: 1, vendor: 'test', validate: (value: unknown) => ({ value }) },
    } as const,
    run: () => {},
  });
  const driver = postgres({ connectionString: await pooled() });
  const rowlock = createRowlock({ driver, handlers: [Work], log });
  undo.push(() => rowlock.close());
  const worker = rowlock.worker();
  await worker.start();
  await worker.stop();
  expect(said.filter((each) => /heartbeat/.test(String(each)))).toHaveLength(1);
});

test('a producer rings the bell only while somebody listens to it, and it is cleared', async () => {
  const driver = postgres({ connectionString: fresh.url });
  const reader = new pg.Client(fresh.url);
  undo.push(
    () => driver.close(),
    () => reader.end(),
  );
  await reader.connect();
  const rings = async () => (await reader.query('SELECT wake_up FROM rowlock.bell ORDER BY id')).rows;
  await driver.notify([{ queue: 'early' }]);
  await reader.query("SELECT rowlock.enqueue('early')");
  expect(await rings()).toEqual([]);
  await proofOf({ connectionString: fresh.url, sessions: 'shared' });
  await driver.notify([{ queue: 'q' }]);
  await reader.query("SELECT rowlock.enqueue('k', queue => 'sql')");
  expect(await rings()).toEqual([{ wake_up: { queue: 'q' } }, { wake_up: { queue: 'sql' } }]);
  await reader.query("UPDATE rowlock.bell SET rung_at = rung_at - interval '2 minutes'");
  const next = postgres({ connectionString: fresh.url, sessions: 'shared' });
  undo.push(() => next.close());
  const anchor = await next.anchor({ name: 'w', host: 'h', pid: 1, queues: [] });
  undo.push(() => anchor.release());
  expect(await rings()).toEqual([]);
});

test('a worker that takes shared sessions for its own finds that it has none, and ends nobody else', async () => {
  const url = await pooled();
  const driver = postgres({ connectionString: url, sessions: 'own' });
  const [client, reader] = [new pg.Client(url), new pg.Client(fresh.url)];
  await Promise.all([client.connect(), reader.connect()]);
  undo.push(
    () => driver.close(),
    () => client.end(),
    () => reader.end(),
  );
  let losses = 0;
  const lostOften = new Promise<void>((resolve) => {
    const session = {
      lost: () => {
        losses += 1;
        if (losses > 3) resolve();
      },
      back: () => {},
    };
    const anchored = driver.anchor({ name: 'w', host: 'h', pid: 1, queues: [] }, session);
    undo.push(async () => (await anchored).release());
    // The session that was used last is given first: it is the one with the worker's lock.
    void anchored.then(() => client.query('BEGIN'));
  });
  await lostOften;
  const { rows } = await reader.query("SELECT pid FROM pg_locks WHERE locktype = 'advisory'");
  expect((await client.query('SELECT pg_backend_pid() AS pid')).rows).toEqual(rows);
  await client.query('COMMIT');
});
