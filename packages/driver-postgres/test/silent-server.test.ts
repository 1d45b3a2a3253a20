import { once } from 'node:events';
import { connect, createServer, Socket } from 'node:net';
import type { Driver } from '@rowlock/core';
import { type Anchor, newPublicId } from '@rowlock/core/driver';
import { moveOne } from '@rowlock/driver-conformance';
import { freshDatabase } from '@rowlock/servers';
import '@rowlock/servers/vitest';
import { countStates, newJob } from '@rowlock/driver-conformance/internal';
import pg from 'pg';
import { expect, inject, onTestFinished, test, vi } from 'vitest';
import { type PostgresOptions, type PostgresTransaction, postgres } from '../src/index.js';

const WELCOME = Buffer.concat([
  Buffer.from('R\0\0\0\x08\0\0\0\0', 'latin1'),
  Buffer.from('Z\0\0\0\x05I', 'latin1'),
]);

const JOB = newJob();
const START = { priority: -32_768, id: 0n };

/** A server that takes connections, and answers no statement. */
interface Mute {
  readonly options: PostgresOptions;
  /** The connections that are open. */
  readonly open: ReadonlySet<Socket>;
  /** How many were made. */
  readonly accepted: number;
}

async function mute(): Promise<Mute> {
  const open = new Set<Socket>();
  let accepted = 0;
  const server = createServer((socket) => {
    accepted += 1;
    open.add(socket);
    socket.on('error', () => {});
    socket.on('close', () => open.delete(socket));
    socket.once('data', () => socket.write(WELCOME));
    socket.resume();
  });
  onTestFinished(() => {
    for (const socket of open) socket.destroy();
    server.close();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' ? (address?.port ?? 0) : 0;
  return {
    options: { host: '127.0.0.1', port, user: 'u', database: 'd', answerTimeout: MUTE_MS },
    open,
    get accepted() {
      return accepted;
    },
  };
}

/** How long drivers wait for the server that answers nothing, in milliseconds. */
const MUTE_MS = 500;

/** How long they wait for one that answers at first: a busy machine may need a second for that. */
const ANSWER_MS = 2_000;

const LOST = { code: 'ConnectionLost' };

test('a connection whose statement is not answered is closed', async () => {
  const server = await mute();
  const driver = postgres({ ...server.options, maxConnections: 2 });
  onTestFinished(() => driver.close());
  const survey = () => driver.claims.survey({ queues: ['q'], kinds: ['k'] });
  for (let asked = 0; asked < 4; asked++) await expect(survey()).rejects.toMatchObject(LOST);
  await expect.poll(() => server.accepted, { timeout: 5_000 }).toBe(4);
  await expect.poll(() => server.open.size, { timeout: 5_000 }).toBe(0);
});

const VERBS: Readonly<Record<string, (driver: Driver<PostgresTransaction>) => Promise<unknown>>> = {
  enqueue: (driver) => driver.jobs.enqueue([JOB], [{ queue: 'q' }]),
  'enqueue, of many': (driver) => driver.jobs.enqueue(Array.from({ length: 2_001 }, () => JOB)),
  move: (driver) => moveOne(driver, 'cancel', newPublicId()),
  notify: (driver) => driver.workers.notify([{ queue: 'q' }]),
  workers: (driver) => driver.workers.list(),
  'list, of one': (driver) => driver.jobs.list({ publicIds: [newPublicId()] }, { limit: 1, before: null }),
  // A worker waits for it when it stops.
  'entries, of pruning': (driver) => driver.jobs.entries({}, { limit: 1_000, before: null }),
};

test.each(Object.keys(VERBS))('what a client asks is bounded: %s', async (verb) => {
  const server = await mute();
  const driver = postgres(server.options);
  await expect(VERBS[verb]?.(driver)).rejects.toMatchObject(LOST);
  await driver.close();
  await expect.poll(() => server.open.size, { timeout: 5_000 }).toBe(0);
});

test('a driver closes, whatever is not answered', async () => {
  const server = await mute();
  const driver = postgres(server.options);
  const counted = expect(countStates(driver, {})).rejects.toMatchObject(LOST);
  await expect.poll(() => server.accepted).toBe(1);
  await expect(driver.close()).rejects.toMatchObject(LOST);
  await counted;
  await expect.poll(() => server.open.size, { timeout: 5_000 }).toBe(0);
});

test('what a claim has left in a session is reset within the bound', async () => {
  const fresh = await freshDatabase(inject('postgresUrl'));
  onTestFinished(() => fresh.drop());
  const server = await silencer(fresh.url);
  const driver = postgres({
    ...server.options,
    answerTimeout: ANSWER_MS,
    maxConnections: 1,
    sessions: 'own',
  });
  onTestFinished(() => driver.close().catch(() => {}));
  await migrate(fresh.url);
  await answered(async () => {
    const held = driver.claims.session({ idleLimitMs: 60_000 });
    await held
      .claim({ queue: 'q', kinds: ['work'], line: START, busy: [], limit: 1 })
      .finally(() => held.rollback());
  });
  server.silence('all');
  await expect(driver.transaction((tx) => tx.query('SELECT 1'))).rejects.toMatchObject(LOST);
});

test('what idles on a server that has fallen silent is closed with the driver', async () => {
  const fresh = await freshDatabase(inject('postgresUrl'));
  onTestFinished(() => fresh.drop());
  const server = await silencer(fresh.url);
  const driver = postgres({ ...server.options, answerTimeout: ANSWER_MS });
  await migrate(fresh.url);
  await answered(() => driver.workers.list());
  server.silence('all');
  await driver.close();
  await expect.poll(() => server.open.size, { timeout: 5_000 }).toBe(0);
});

/** A way to a server that can fall silent: then it takes what it is sent, and nobody hears of anything. */
interface Silencer {
  readonly options: PostgresOptions;
  /** The client's ends of its connections. */
  readonly open: ReadonlySet<Socket>;
  /** How many connections were made. */
  readonly accepted: number;
  /** From now on; on the connections that are there, or on those to come. */
  silence(which: 'all' | 'new'): void;
}

/** @param whenFinished A concurrent test's own `onTestFinished`. */
async function silencer(
  url: string,
  whenFinished: typeof onTestFinished = onTestFinished,
): Promise<Silencer> {
  const place = new URL(url);
  const [host, port] = [place.hostname, Number(place.port)];
  const [open, others] = [new Set<Socket>(), new Set<Socket>()];
  const silent = { all: false, new: false };
  // Nor does it end when the other end does.
  const proxy = createServer({ allowHalfOpen: true }, (socket) => {
    const server = connect({ host, port, allowHalfOpen: true });
    others.add(socket).add(server);
    const isMute = silent.new;
    const isSilent = (): boolean => isMute || silent.all;
    for (const [from, to] of [
      [socket, server],
      [server, socket],
    ] as const) {
      from.on('error', () => {});
      from.on('data', (data) => isSilent() || to.write(data));
      from.on('end', () => isSilent() || to.end());
      from.on('close', () => isSilent() || to.destroy());
    }
  });
  whenFinished(() => {
    for (const socket of [...open, ...others]) socket.destroy();
    proxy.close();
  });
  proxy.listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  const address = proxy.address();
  place.hostname = '127.0.0.1';
  place.port = String(typeof address === 'object' ? address?.port : 0);
  const stream = (): Socket => {
    const socket = new Socket();
    open.add(socket);
    return socket.on('close', () => open.delete(socket));
  };
  return {
    options: { connectionString: place.href, stream },
    open,
    get accepted() {
      return others.size / 2;
    },
    silence: (which) => {
      silent[which] = true;
    },
  };
}

for (const sessions of ['own', 'shared'] as const) {
  test.concurrent(`a worker's session that is not answered on is closed, where sessions are ${sessions}`, async ({
    expect,
    onTestFinished,
  }) => {
    const fresh = await freshDatabase(inject('postgresUrl'));
    onTestFinished(() => fresh.drop());
    const server = await silencer(fresh.url, onTestFinished);
    const driver = postgres({ ...server.options, answerTimeout: ANSWER_MS, sessions });
    await migrate(fresh.url);
    const anchor = await anchored(driver);
    server.silence('all');
    await anchor.release().catch(() => {});
    await driver.close();
    await expect.poll(() => server.open.size, { timeout: 5_000 }).toBe(0);
  }, 120_000);
}

test.concurrent('a worker whose session is being opened again, by a server that does not answer, stops without it', async ({
  expect,
  onTestFinished,
}) => {
  const fresh = await freshDatabase(inject('postgresUrl'));
  onTestFinished(() => fresh.drop());
  const server = await silencer(fresh.url, onTestFinished);
  const driver = postgres({ ...server.options, answerTimeout: ANSWER_MS, sessions: 'own' });
  onTestFinished(() => driver.close());
  await migrate(fresh.url);
  const anchor = await anchored(driver);
  server.silence('new');
  const before = server.accepted;
  await onServer(
    fresh.url,
    `SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory'
    AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`,
  );
  await expect.poll(() => server.accepted, { timeout: 30_000 }).toBeGreaterThan(before);
  await anchor.release();
}, 120_000);

/** The answer to what comes before the silence, which a busy machine may give only when it is asked for again. */
function answered<Answer>(ask: () => Promise<Answer>): Promise<Answer> {
  return vi.waitFor(ask, { timeout: 30_000 });
}

function anchored(driver: Driver<PostgresTransaction>): Promise<Anchor> {
  return answered(() => driver.workers.anchor({ name: 'worker', host: 'host', pid: 1, queues: ['q'] }));
}

async function migrate(url: string): Promise<void> {
  const driver = postgres({ connectionString: url });
  await driver.schema.migrate().finally(() => driver.close());
}

async function onServer(url: string, statement: string): Promise<void> {
  const client = new pg.Client(url);
  await client.connect();
  await client.query(statement).finally(() => client.end());
}
