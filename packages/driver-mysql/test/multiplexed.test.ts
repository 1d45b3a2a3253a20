import { type Connection, createConnection } from 'mysql2/promise';
import { afterAll, beforeAll, expect, test } from 'vitest';
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
