import '@rowlock/servers/vitest';
import { EventEmitter } from 'node:events';
import pg from 'pg';
import { afterAll, beforeEach, expect, inject, test } from 'vitest';
import { onOne, onPool } from '../src/connection/connection.js';
import { NamedStatements } from '../src/connection/named-statements.js';
import { ownTransaction } from '../src/connection/own-transaction.js';
import { SessionSettings } from '../src/connection/session-settings.js';
import { withoutTimeout } from '../src/connection/without-timeout.js';
import { statements } from '../src/statements.js';

const ANSWER_MS = 10_000;
const FAILS = 'SELECT 1 / 0';

const pool = new pg.Pool({ connectionString: inject('postgresUrl'), pipeline: true });
/** What the client read from the server, and the caller's error. */
const order: string[] = [];

pool.on('connect', readReadinessLate);
beforeEach(() => order.splice(0));
afterAll(() => pool.end());

const sql = statements('rowlock');
const settings = new SessionSettings(new NamedStatements(sql, true), sql.surveys.sizes);
const ways: Readonly<Record<string, () => Promise<unknown>>> = {
  'a statement of the pool': () => onPool(pool, ANSWER_MS).query(FAILS),
  'statements on one connection': () => onOne(pool, ANSWER_MS, (on) => on.query(FAILS)),
  'a statement without a timeout': () =>
    withoutTimeout(pool, { settings, answerMs: ANSWER_MS }, (client) => client.query(FAILS)),
  'a transaction': () =>
    withoutTimeout(pool, { settings, answerMs: ANSWER_MS }, (client) =>
      ownTransaction(client, ANSWER_MS, (tx) => tx.query(FAILS)),
    ),
};
for (const [name, send] of Object.entries(ways))
  test(`${name} is over on the server when the caller gets its error`, async () => {
    await expect(send().finally(() => order.push('error'))).rejects.toMatchObject({ code: '22012' });
    const [failed, ...behind] = order.slice(order.indexOf('failed'));
    expect([failed, ...behind.slice(-2)]).toEqual(['failed', 'ready: I', 'error']);
  });

/** As when the server takes longer to release its locks than to send the error. */
function readReadinessLate(client: pg.PoolClient): void {
  const connection: unknown = Reflect.get(client, 'connection');
  if (!(connection instanceof EventEmitter)) throw new Error('The client has no connection.');
  const emit = connection.emit;
  connection.emit = (event, ...given) => {
    if (event === 'errorMessage') order.push('failed');
    if (event !== 'readyForQuery') return Reflect.apply(emit, connection, [event, ...given]);
    setImmediate(() => {
      order.push(`ready: ${Object(given.at(0)).status}`);
      Reflect.apply(emit, connection, [event, ...given]);
    });
    return true;
  };
}
