import '@rowlock/servers/vitest';
import { setTimeout as sleep } from 'node:timers/promises';
import { createRowlock, type Rowlock, type Worker } from '@rowlock/core';
import { freshDatabase } from '@rowlock/servers';
import pg from 'pg';
import { afterEach, beforeEach, expect, inject, test, vi } from 'vitest';
import { defineHandler, type PostgresTransaction, postgres } from '../src/index.js';

const SILENT = { debug() {}, info() {}, warn() {}, error() {} };

const anything = {
  '~standard': { version: 1, vendor: 'test', validate: (value: unknown) => ({ value }) },
} as const;

let url: string;
let undo: (() => Promise<unknown>)[] = [];

beforeEach(async () => {
  const fresh = await freshDatabase(inject('postgresUrl'));
  url = fresh.url;
  undo = [fresh.drop];
});

afterEach(async () => {
  for (const each of undo.reverse()) await each();
});

function openPool(options: pg.PoolConfig): pg.Pool {
  const pool = new pg.Pool({ connectionString: url, ...options });
  undo.push(() => pool.end());
  return pool;
}

interface Tenant {
  readonly rowlock: Rowlock<PostgresTransaction>;
  readonly worker: Worker<PostgresTransaction>;
  readonly schema: string;
  readonly lost: string[];
}

/** A Rowlock in a schema of its own, with jobs to do and a worker for them that is not started. */
async function openTenant(pool: pg.Pool, schema: string, jobs: number, concurrency = 5): Promise<Tenant> {
  const Work = defineHandler({
    kind: 'work',
    queue: 'q',
    payload: anything,
    run: () => sleep(5).then(() => {}),
  });
  const rowlock = createRowlock({ driver: postgres({ pool, schema }), handlers: [Work], log: SILENT });
  undo.push(() => rowlock.close());
  await rowlock.migrate();
  await rowlock.enqueueMany(
    Work,
    Array.from({ length: jobs }, () => ({ payload: 1 })),
  );
  const worker = rowlock.worker({ concurrency });
  const lost: string[] = [];
  worker.on('lost', (_, error) => lost.push(String(error)));
  return { rowlock, worker, schema, lost };
}

/** Reads past the driver and the pool. */
async function completed({ schema }: Tenant): Promise<number> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query<{ done: number }>(
      `SELECT count(*)::integer AS done FROM ${client.escapeIdentifier(schema)}.job WHERE status = 'complete'`,
    );
    return rows[0]?.done ?? 0;
  } finally {
    await client.end();
  }
}

const done = (tenant: Tenant, jobs: number) =>
  vi.waitFor(async () => expect(await completed(tenant)).toBe(jobs), { timeout: 60_000, interval: 50 });

test('the workers of two drivers on one pool count together: the second is refused until the first stops', async () => {
  const pool = openPool({ max: 6 });
  const [first, second] = [await openTenant(pool, 'one', 100), await openTenant(pool, 'two', 100)];
  await first.worker.start();
  await expect(second.worker.start()).rejects.toMatchObject({
    code: 'ROWLOCK_POOL_TOO_SMALL',
    message: expect.stringMatching(/10, 5 of it in other workers .* needs 11 .* allows 6/),
  });
  await done(first, 100);
  await first.rowlock.close();
  await second.worker.start();
  await done(second, 100);
});

test('two drivers on a pool that is large enough do all their jobs, and the application goes on beside them', async () => {
  const pool = openPool({ max: 11 });
  const both = [await openTenant(pool, 'one', 200), await openTenant(pool, 'two', 200)];
  for (const { worker } of both) await worker.start();
  let isOver = false;
  const application = async (): Promise<number> => {
    for (let answers = 0; ; answers++) {
      if (isOver) return answers;
      await pool.query('SELECT pg_sleep(0.01)');
    }
  };
  const answers = application();
  await Promise.all(both.map((tenant) => done(tenant, 200)));
  isOver = true;
  expect(await answers).toBeGreaterThan(0);
  expect(both.flatMap(({ lost }) => lost)).toEqual([]);
});

test('an application that keeps connections of the pool leaves fewer runs, and none that waits for ever', async () => {
  const pool = openPool({ max: 6 });
  const tenant = await openTenant(pool, 'one', 50);
  const kept = await Promise.all([1, 2, 3].map(() => pool.connect()));
  try {
    await tenant.worker.start();
    await done(tenant, 50);
    expect(tenant.lost).toEqual([]);
  } finally {
    for (const client of kept) client.release();
  }
});

test('the pool has its own size again after the server refused connections', async () => {
  const [max, limit] = [10, 4];
  const pool = openPool({ max, ...(await limitedUser(limit)), idleTimeoutMillis: 100 });
  const clients = await Promise.all(Array.from({ length: limit - 1 }, () => pool.connect()));
  const rowlock = createRowlock({ driver: postgres({ pool }), log: SILENT });
  const extra = [rowlock.insight.verify(), rowlock.insight.verify(), rowlock.insight.verify()].map((each) =>
    each.catch(() => {}),
  );
  const shrunk = vi.waitFor(() => expect(pool.options.max).toBeLessThan(max), { timeout: 30_000 });
  await shrunk.finally(() => clients.map((client) => client.release()));
  await Promise.all(extra);
  await vi.waitFor(() => expect(pool.options.max).toBe(max), { timeout: 30_000 });
});

/** A user who may have so many connections. */
async function limitedUser(limit: number): Promise<pg.PoolConfig> {
  const name = `limited_${new URL(url).pathname.slice(6, 14)}`;
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(`CREATE ROLE ${name} LOGIN PASSWORD 'change-me' CONNECTION LIMIT ${limit}`);
  await client.end();
  undo.push(async () => {
    const own = new pg.Client({ connectionString: inject('postgresUrl') });
    await own.connect();
    await own.query(`DROP ROLE ${name}`);
    await own.end();
  });
  const own = new URL(url);
  own.username = name;
  own.password = 'change-me';
  return { connectionString: own.href };
}
