import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { createRowlock, defineHandler, type Logger } from '@rowlock/core';
import { type FreshDatabase, freshMysqlDatabase } from '@rowlock/servers';
import { createConnection } from 'mysql2/promise';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type MysqlOptions, mysql } from '../src/index.js';
import { serverUrl } from './server.js';

let database: FreshDatabase;

beforeAll(async () => {
  database = await freshMysqlDatabase(serverUrl);
  const driver = mysql({ uri: database.url });
  await driver.schema.migrate();
  await driver.close();
});

afterAll(() => database.drop());

test('a worker that cannot be called polls, says so, and finds what is enqueued, alone and joined', async () => {
  const proxy = await proxyWithoutKill(new URL(database.url));
  const uri = new URL(database.url);
  uri.host = proxy.host;
  try {
    await finds({ uri: uri.href });
  } finally {
    proxy.close();
  }
});

test('a worker that is not to be called polls, and its producers call nobody', async () => {
  await finds({ uri: database.url, push: false });
});

/** The worker's poll is an hour away: what it finds it has found on the bell. */
async function finds(options: MysqlOptions): Promise<void> {
  const said: object[] = [];
  const silent = (): void => {};
  const log: Logger = { debug: silent, info: (fields) => said.push(fields), warn: silent, error: silent };
  let ran: (payload: unknown) => void = silent;
  const Work = defineHandler({
    kind: 'work',
    payload: {
      '~standard': { version: 1, vendor: 'test', validate: (value: unknown) => ({ value: String(value) }) },
    } as const,
    run: ({ job }) => ran(job.payload),
  });
  const rowlock = createRowlock({ driver: mysql(options), handlers: [Work], log });
  const caller = await createConnection(database.url);
  const worker = rowlock.worker({ pollInterval: '1h' });
  const idle = new Promise<void>((resolve) => worker.on('idle', resolve));
  try {
    await worker.start();
    expect(said).toContainEqual(expect.objectContaining({ wakeUps: 'polled' }));
    await idle;

    const alone = new Promise((resolve) => (ran = resolve));
    await rowlock.enqueue(Work, { payload: 'alone' });
    expect(await alone).toBe('alone');

    const joined = new Promise((resolve) => (ran = resolve));
    await caller.beginTransaction();
    await rowlock.enqueue(Work, { payload: 'joined' }, { tx: caller });
    await caller.commit();
    expect(await joined).toBe('joined');
  } finally {
    await worker.stop();
    await rowlock.close();
    await caller.end();
  }
}

/** Answers a call by itself, as a proxy may that hides the server's connections: the client sees that it was taken. */
async function proxyWithoutKill({ hostname, port }: URL): Promise<{ host: string; close(): void }> {
  const sockets = new Set<Socket>();
  const listener = createServer((client) => {
    const upstream = connect(Number(port), hostname);
    for (const [one, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(one);
      one.on('error', () => other.destroy());
      one.on('close', () => other.destroy());
    }
    client.on('data', (bytes) => {
      const text = bytes.toString('latin1').replaceAll('KILL QUERY', 'DO        ');
      upstream.write(Buffer.from(text, 'latin1'));
    });
    upstream.pipe(client);
  }).listen(0, '127.0.0.1');
  await once(listener, 'listening');
  const address = listener.address();
  if (address === null || typeof address === 'string') throw new Error('The listener has no port.');
  return {
    host: `127.0.0.1:${address.port}`,
    close() {
      listener.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}
