import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';
import { moveOne } from '@rowlock/driver-conformance';
import {
  countStates,
  newJob,
  type SeverableServer,
  severableServer,
} from '@rowlock/driver-conformance/internal';
import { type FreshDatabase, freshMysqlDatabase } from '@rowlock/servers';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { mysql } from '../src/index.js';
import { serverUrl } from './server.js';

/** How long the drivers of these tests wait for an answer, in milliseconds. A busy machine may need a second for one. */
const ANSWER_MS = 2_000;

let database: FreshDatabase;

beforeAll(async () => {
  database = await freshMysqlDatabase(serverUrl);
  const driver = mysql({ uri: database.url });
  await driver.schema.migrate();
  await driver.close();
});

afterAll(() => database.drop());

// Each of these tests waits for silence, on a way to the server of its own.

/** The answer to what comes before the silence, which a busy machine may give only when it is asked for again. */
const answered = <Answer>(ask: () => Promise<Answer>): Promise<Answer> =>
  vi.waitFor(ask, { timeout: 30_000 });

function driverBehind({ host, port }: Pick<SeverableServer, 'host' | 'port'>) {
  const uri = new URL(database.url);
  uri.host = `${host}:${port}`;
  return mysql({ uri: uri.href, answerTimeout: ANSWER_MS, sessions: 'own' });
}

test.concurrent('a notification through a connection that went silent ends, as does closing, and the next one has a new connection', async ({
  onTestFinished,
}) => {
  const { hostname, port } = new URL(database.url);
  const server = await severableServer({ host: hostname, port: Number(port) });
  onTestFinished(() => server.sever());
  const driver = driverBehind(server);
  await answered(() => driver.workers.notify([{ cancel: 'a job' }]));
  server.forget();
  await expect(driver.workers.notify([{ cancel: 'a job' }])).rejects.toMatchObject({
    code: 'ConnectionLost',
  });
  // The connection that interrupts workers is silent as well, and is noticed when it is used.
  await answered(() => driver.workers.notify([{ cancel: 'a job' }]));
  server.swallow();
  await expect(driver.workers.notify([{ cancel: 'a job' }])).rejects.toMatchObject({
    code: 'ConnectionLost',
  });
  await driver.close().catch(() => {});
}, 120_000);

test.concurrent('what a client asks is answered soon or not at all, and closing ends', async ({
  onTestFinished,
}) => {
  const { hostname, port } = new URL(database.url);
  const server = await severableServer({ host: hostname, port: Number(port) });
  onTestFinished(() => server.sever());
  const driver = driverBehind(server);
  const job = newJob();
  const asked = [
    () => driver.jobs.enqueue([job]),
    () => moveOne(driver, 'cancel', 'a job'),
    () => driver.workers.list(),
    () => driver.jobs.list({ publicIds: ['a job'] }, { limit: 1, before: null }),
    // Pruning, which a worker waits for when it stops.
    () => driver.jobs.entries({}, { limit: 1_000, before: null }),
  ];
  for (const ask of asked) {
    await answered(() => driver.workers.list());
    server.forget();
    await expect(ask()).rejects.toMatchObject({ code: 'ConnectionLost' });
  }
  await answered(() => driver.workers.list());
  server.swallow();
  await driver.close().catch(() => {});
}, 120_000);

test.concurrent('closing does not wait for a statement that nobody answers', async ({ onTestFinished }) => {
  const { hostname, port } = new URL(database.url);
  const server = await severableServer({ host: hostname, port: Number(port) });
  onTestFinished(() => server.sever());
  const driver = driverBehind(server);
  await answered(() => countStates(driver, {}));
  server.swallow();
  const asked = countStates(driver, {}).catch((error: unknown) => error);
  await turn();
  await expect(driver.close()).rejects.toMatchObject({ code: 'ConnectionLost' });
  expect(await asked).toMatchObject({ code: 'ConnectionLost' });
}, 120_000);

test.concurrent('a worker whose new session is silent once it is open is told so, and stops all the same', async () => {
  const server = await silentAfterHandshake(new URL(database.url));
  const driver = driverBehind(server);
  const anchor = await answered(() =>
    driver.workers.anchor({ name: 'worker', host: 'host', pid: 1, queues: ['q'] }),
  );
  const stopping = new AbortController();
  const { signal } = stopping;
  const wakeUps = anchor.wakeUps({ queues: ['q'], everyMs: 3_600_000, signal })[Symbol.asyncIterator]();
  expect(await wakeUps.next()).toMatchObject({ done: false });

  const silent = server.fallSilent();
  const next = wakeUps.next();
  await silent;
  stopping.abort();
  expect(await next).toEqual({ done: true, value: undefined });
  await expect(driver.schema.migrate()).rejects.toMatchObject({ code: 'ConnectionLost' });
  server.close();
  await anchor.release();
  await driver.close().catch(() => {});
}, 120_000);

/** A way to the server on which, once it falls silent, connections are opened and nothing that is asked on them is answered. */
async function silentAfterHandshake(url: URL) {
  const sockets = new Set<Socket>();
  let [isSilent, noteSilence] = [false, (): void => {}];
  const listener = createServer((client) => {
    const upstream = connect(Number(url.port), url.hostname);
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on('error', () => {});
    }
    upstream.pipe(client);
    client.on('close', () => upstream.destroy());
    upstream.on('close', () => client.destroy());
    client.on('data', (data) => {
      if (!isSilent || !data.includes('SET SESSION TRANSACTION')) return void upstream.write(data);
      noteSilence();
      client.removeAllListeners('data').resume();
    });
  });
  listener.listen(0, '127.0.0.1');
  await once(listener, 'listening');
  const address = listener.address();
  if (address === null || typeof address === 'string') throw new Error('The listener has no port.');
  return {
    host: '127.0.0.1',
    port: address.port,
    /** Ends what there is. @returns when somebody has asked in vain */
    fallSilent(): Promise<void> {
      isSilent = true;
      for (const socket of sockets) socket.destroy();
      return new Promise((resolve) => {
        noteSilence = resolve;
      });
    },
    close(): void {
      listener.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}
