import { once } from 'node:events';
import { connect as connectTo, createServer } from 'node:net';
import { type Connection, createConnection } from 'mysql2/promise';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { connect } from '../src/connection/connect.js';
import { sharesSessions } from '../src/connection/shared-sessions.js';
import { context } from '../src/context.js';
import { serverUrl } from './server.js';

const { anchor: sql } = context('any', 20_000).sql;
let sessions: readonly [Connection, Connection, Connection];

beforeAll(async () => {
  const open = (): Promise<Connection> => createConnection(serverUrl);
  sessions = [await open(), await open(), await open()];
});

afterAll(async () => {
  for (const session of sessions) await session.end();
});

/** A connection each of whose statements a proxy passes to the session that is next. */
function through(next: () => Connection) {
  return async () => ({
    execute: (text: string, values?: string[]) => next().execute<never>(text, values),
    query: (text: string, values?: string[]) => next().query<never>(text, values),
    release() {},
  });
}

test('two connections to the server itself share nothing', async () => {
  const [one, other] = sessions;
  expect(
    await sharesSessions(
      await through(() => one)(),
      through(() => other),
      sql,
    ),
  ).toBe(false);
});

test('sessions are shared when the transaction of another connection is in this one', async () => {
  const [one] = sessions;
  const both = through(() => one);
  expect(await sharesSessions(await both(), both, sql)).toBe(true);
});

test('sessions are shared when this connection has another one while a transaction is open', async () => {
  const [one, other, third] = sessions;
  let asked = 0;
  const client = through(() => (asked++ % 2 === 0 ? one : third));
  expect(
    await sharesSessions(
      await client(),
      through(() => other),
      sql,
    ),
  ).toBe(true);
});

/** The address of what passes connections on as they are, from ports of its own. */
async function nat(): Promise<string> {
  const { hostname, port } = new URL(serverUrl);
  const listener = createServer((socket) => {
    const passed = connectTo(Number(port), hostname);
    for (const each of [socket, passed]) each.on('error', () => {});
    socket.pipe(passed).pipe(socket);
  });
  listener.listen(0, '127.0.0.1');
  await once(listener, 'listening');
  onTestFinished(() => void listener.close());
  const url = new URL(serverUrl);
  url.hostname = '127.0.0.1';
  url.port = String(Object(listener.address()).port);
  return url.href;
}

test('behind a NAT a session has the number of its connection, and is compared once', async () => {
  const [, other] = sessions;
  const take = through(() => other);
  for (const [uri, comparisons] of [
    [serverUrl, 0],
    [await nat(), 1],
  ] as const) {
    let compared = 0;
    const client = await connect({ uri }, 20_000, undefined);
    const taking = () => {
      compared += 1;
      return take();
    };
    expect(await sharesSessions(client, taking, sql)).toBe(false);
    expect(compared).toBe(comparisons);
    await client.end();
  }
});
