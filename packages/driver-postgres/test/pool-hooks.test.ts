import { createRowlock, defineHandler } from '@rowlock/core';
import { freshDatabase } from '@rowlock/servers';
import '@rowlock/servers/vitest';
import { countStates } from '@rowlock/driver-conformance/internal';
import pg from 'pg';
import { afterAll, beforeAll, expect, inject, test, vi } from 'vitest';
import { type PostgresOptions, postgres } from '../src/index.js';

let root: pg.Client;
/** The account has no right on the tables, except in the role `owner`. */
let account: string;
let owner: string;
let drop: () => Promise<void>;

beforeAll(async () => {
  const fresh = await freshDatabase(inject('postgresUrl'));
  const url = new URL(fresh.url);
  owner = `owner_${url.pathname.slice(-8)}`;
  root = new pg.Client(fresh.url);
  await root.connect();
  await root.query(`
    CREATE ROLE ${owner};
    CREATE ROLE login_${owner} LOGIN NOINHERIT PASSWORD 'change-me' IN ROLE ${owner};
    GRANT CREATE ON DATABASE ${url.pathname.slice(1)} TO ${owner}`);
  url.username = `login_${owner}`;
  url.password = 'change-me';
  account = url.href;
  drop = fresh.drop;
});

afterAll(async () => {
  await root.query(`DROP OWNED BY ${owner} CASCADE; DROP ROLE login_${owner}; DROP ROLE ${owner}`);
  await root.end();
  await drop();
});

const asOwner = (client: pg.ClientBase): Promise<unknown> => client.query(`SET ROLE ${owner}`);

const Anything = {
  '~standard': { version: 1, vendor: 'test', validate: (value: unknown) => ({ value }) },
} as const;

const Work = defineHandler({ kind: 'work', payload: Anything, run: () => {} });

/** A worker runs a job, and stops. */
async function works(options: PostgresOptions): Promise<void> {
  const rowlock = createRowlock({ driver: postgres(options), handlers: [Work] });
  try {
    await rowlock.migrate();
    const worker = rowlock.worker({ concurrency: 2 });
    const settled = new Promise<readonly string[]>((resolve) =>
      worker.on('settled', (_, endings) => resolve([...endings.keys()])),
    );
    await worker.start();
    const { publicId } = await rowlock.enqueue(Work, { payload: 0 });
    expect(await settled).toEqual([publicId]);
    const { rows } = await root.query('SELECT status FROM rowlock.job WHERE public_id = $1', [publicId]);
    expect(rows).toEqual([{ status: 'complete' }]);
  } finally {
    await rowlock.close();
  }
}

test.each(['own', 'shared'] as const)(
  "a pool's listener for new connections gets those beside the pool, with %s sessions",
  async (sessions) => {
    const pool = new pg.Pool({ connectionString: account });
    let [made, gone] = [0, 0];
    pool.on('connect', (client) => {
      made += 1;
      asOwner(client).catch(() => {});
    });
    pool.on('remove', () => void gone++);
    await works({ pool, sessions });
    await pool.end();
    await expect.poll(() => gone, { timeout: 30_000 }).toBe(made);
  },
);

test.each(['own', 'shared'] as const)(
  "a pool's onConnect is called for connections beside the pool, with %s sessions",
  async (sessions) => {
    const pool = new pg.Pool({
      connectionString: account,
      onConnect: (client) => void asOwner(client).catch(() => {}),
    });
    await works({ pool, sessions });
    await pool.end();
  },
);

test('onConnect is called for each connection of the driver, and awaited', async () => {
  await works({ connectionString: account, onConnect: asOwner });
});

test('what onConnect sets stays, when the bounds of a claim are reset', async () => {
  const onConnect = (client: pg.ClientBase) => client.query(`SET ROLE ${owner}; SET lock_timeout = '77s'`);
  const driver = postgres({ connectionString: account, maxConnections: 1, sessions: 'own', onConnect });
  const START = { priority: -32_768, id: 0n };
  const setting = async (): Promise<unknown> => {
    const held = driver.claims.session({ idleLimitMs: 60_000 });
    await held.claim({ queue: 'none', kinds: ['work'], line: START, busy: [], limit: 1 });
    const { rows } = await held.handle.query('SHOW lock_timeout');
    await held.rollback();
    return rows;
  };
  await driver.schema.migrate();
  expect(await setting()).toEqual([{ lock_timeout: '77s' }]);
  // A read without a timeout, on the same connection.
  await countStates(driver, {});
  expect(await setting()).toEqual([{ lock_timeout: '77s' }]);
  await driver.close();
});

test('a connection whose onConnect fails is not used, and its error comes through', async () => {
  const onConnect = () => Promise.reject(new Error('no such role'));
  const driver = postgres({ connectionString: account, onConnect });
  await expect(driver.schema.verify()).rejects.toMatchObject({
    message: expect.stringContaining('no such role'),
  });
  await driver.close();
});

test('an onConnect that never ends loses its connection, and keeps no place in the pool', async () => {
  let hangs = true;
  const onConnect = (client: pg.ClientBase) => (hangs ? new Promise(() => {}) : asOwner(client));
  const bounds = { maxConnections: 1, connectionTimeoutMillis: 100 };
  const driver = postgres({ connectionString: account, ...bounds, onConnect });
  // On a busy machine a connection may need longer than that, before onConnect is called and with it.
  const lost = {
    code: 'ConnectionLost',
    message: expect.stringContaining('onConnect has not ended within 100 ms'),
  };
  await vi.waitFor(() => expect(driver.schema.verify()).rejects.toMatchObject(lost), 30_000);
  hangs = false;
  await vi.waitFor(() => driver.schema.migrate(), 30_000);
  await driver.close();
});
