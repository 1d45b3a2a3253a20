import { connect, Socket } from 'node:net';
import { Duplex } from 'node:stream';
import type { Driver } from '@rowlock/core';
import type { ClaimSession } from '@rowlock/core/driver';
import { freshMysqlDatabase } from '@rowlock/servers';
import { createConnection } from 'mysql2/promise';
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { type MysqlTransaction, mysql } from '../src/index.js';
import { serverUrl } from './server.js';

const CRITERIA = { queue: 'q', kinds: ['k'], line: { priority: -32_768, id: 0n }, busy: [], limit: 1 };

let driver: Driver<MysqlTransaction>;
let drop: () => Promise<void>;
let url: string;

beforeEach(async () => {
  const fresh = await freshMysqlDatabase(serverUrl);
  ({ drop, url } = fresh);
  driver = mysql({ uri: fresh.url, maxConnections: 2 });
  await driver.schema.migrate();
});

afterEach(async () => {
  await driver.close();
  await drop();
});

const look = async (by = driver): Promise<ClaimSession<MysqlTransaction>> => {
  const held = by.claims.session({ idleLimitMs: 60_000 });
  expect(await held.claim(CRITERIA)).toEqual([]);
  return held;
};

const connectionOf = async (held: ClaimSession<MysqlTransaction>): Promise<string> => {
  const [[self]] = await held.handle.query('SELECT CAST(CONNECTION_ID() AS CHAR) AS id');
  return self.id;
};

test('a claim has the connection of the claim before it', async () => {
  const first = await look();
  const connection = await connectionOf(first);
  await first.rollback();
  const second = await look();
  expect(await connectionOf(second)).toBe(connection);
  await second.rollback();
});

test('a statement that finds no connection gets one that idles between two claims, and is committed', async () => {
  const both = [await look(), await look()];
  for (const held of both) await held.rollback();
  const job = { queue: 'q', kind: 'k', key: null, payload: {}, priority: 0, available: { inMs: 0 } } as const;
  const rest = { maxAttempts: 1, unique: null, metadata: {}, limits: '', createdBy: 'host' };
  const enqueued = await Promise.all([1, 2, 3].map(() => driver.jobs.enqueue([{ ...job, ...rest }])));
  expect(enqueued).toHaveLength(3);
  expect((await driver.jobs.list({ queue: 'q' }, { limit: 10, before: null })).jobs).toHaveLength(3);
});

test('a statement that waits for a connection gets the one that a claim gives up', async () => {
  const both = [await look(), await look()];
  const listed = driver.jobs.list({}, { limit: 10, before: null });
  for (const held of both) await held.rollback();
  expect((await listed).jobs).toEqual([]);
});

test('a connection that ends between two claims is not taken for the next', async () => {
  const first = await look();
  const connection = await connectionOf(first);
  await first.rollback();
  const other = await createConnection(serverUrl);
  await other.query(`KILL ${connection}`);
  await other.end();
  // The client notices a moment later. A claim until then is refused, and tried again.
  const second = await vi.waitFor(() => look(), 30_000);
  expect(await connectionOf(second)).not.toBe(connection);
  await second.rollback();
});

test('a connection that ends while a second one is looked for is not kept for the next claim', async () => {
  const { hostname, port } = new URL(url);
  const sockets: Socket[] = [];
  const silent: Duplex[] = [];
  let isDown = false;
  const end = (socket: Socket | undefined): Promise<void> => {
    socket?.destroy();
    return vi.waitFor(() => expect(socket?.closed).toBe(true), 30_000);
  };
  const stream = (): Duplex => {
    const socket = isDown
      ? new Duplex({ read() {}, write: (_, __, done) => done() })
      : connect(Number(port), hostname);
    if (socket instanceof Socket) sockets.push(socket);
    else silent.push(socket);
    return socket;
  };
  const own = mysql({ uri: url, maxConnections: 2, stream });
  onTestFinished(() => own.close());
  // A claim then looks whether another connection is left for the records of runs.
  own.pool?.join(1);
  await (await look(own)).rollback();
  const [claims, others] = sockets;
  await end(others);
  await vi.waitFor(() => expect(Object(own.pool).open).toBe(1), 9_000);
  isDown = true;
  const held = own.claims.session({ idleLimitMs: 60_000 });
  const lost = expect(held.claim(CRITERIA)).rejects.toMatchObject({ code: 'ConnectionLost' });
  await vi.waitFor(() => expect(silent).toHaveLength(1), 30_000);
  await end(claims);
  silent[0]?.destroy(new Error('read ECONNRESET'));
  await lost;
  await held.rollback();

  isDown = false;
  await (await look(own)).rollback();
  expect(claims?.listenerCount('connect')).toBe(0);
});

test('where the pool has no connection left nothing waits for one for ever', async () => {
  const impatient = mysql({ uri: url, maxConnections: 2, answerTimeout: '2s' });
  const begin = async () => {
    const held = impatient.claims.session({ idleLimitMs: 60_000 });
    await held.confirm().catch(async (error: unknown) => {
      await held.rollback();
      throw error;
    });
    return held;
  };
  // A busy machine may open a connection only when it is asked for again.
  const answered = <Answer>(ask: () => Promise<Answer>): Promise<Answer> => vi.waitFor(ask, 30_000);
  try {
    const both = [await answered(begin), await answered(begin)];
    const lost = {
      code: 'ConnectionLost',
      message: expect.stringMatching(/No connection of the pool was free.*maxConnections.*2000 ms/),
    };
    await expect(begin()).rejects.toMatchObject(lost);
    await expect(impatient.schema.verify()).rejects.toMatchObject(lost);
    await expect(impatient.jobs.count({}, { limit: 1, before: null })).rejects.toMatchObject(lost);
    for (const held of both) await held.rollback();
    // A connection that comes too late goes back to the pool.
    for (let times = 0; times < 4; times++) await answered(() => impatient.schema.verify());
  } finally {
    await impatient.close();
  }
});
