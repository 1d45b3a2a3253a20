import '@rowlock/servers/vitest';
import { EventEmitter } from 'node:events';
import pg from 'pg';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { ClaimConnection } from '../src/claims/claim-connection.js';
import { SerialConnection } from '../src/claims/serial-connection.js';

const pool = new pg.Pool({ connectionString: inject('postgresUrl'), pipeline: true, max: 1 });
let client: pg.PoolClient;
let serial: SerialConnection;
/** The texts that were sent, and the readiness that the client read. */
const order: string[] = [];

beforeAll(async () => {
  client = await pool.connect();
  serial = new SerialConnection(new ClaimConnection(client, true, () => {}), () => {}, null);
  recordTexts();
  readReadinessLate();
});
afterAll(async () => {
  client.release();
  await pool.end();
});

test('a statement behind a failed one is sent when the server is ready', async () => {
  await serial.plain('BEGIN; SAVEPOINT here');
  order.length = 0;
  await expect(serial.query('SELECT 1 / 0')).rejects.toMatchObject({ code: '22012' });
  await serial.plain('ROLLBACK TO SAVEPOINT here');
  expect(order).toEqual(['SELECT 1 / 0', 'ready', 'ROLLBACK TO SAVEPOINT here', 'ready']);
});

test('a statement behind a failed one fails when the connection is lost', async () => {
  const failed = serial.query('SELECT pg_terminate_backend(pg_backend_pid())');
  await expect(failed).rejects.toThrow();
  await expect(serial.plain('ROLLBACK')).rejects.toThrow();
  await serial.rest();
});

function recordTexts(): void {
  const query = client.query;
  Reflect.set(client, 'query', (...given: unknown[]) => {
    order.push(String(given[0]));
    return Reflect.apply(query, client, given);
  });
}

/** As when the network brings the server's readiness later than its error. */
function readReadinessLate(): void {
  const connection: unknown = Reflect.get(client, 'connection');
  if (!(connection instanceof EventEmitter)) throw new Error('The client has no connection.');
  const emit = connection.emit;
  connection.emit = (event, ...given) => {
    if (event !== 'readyForQuery') return Reflect.apply(emit, connection, [event, ...given]);
    setImmediate(() => {
      order.push('ready');
      Reflect.apply(emit, connection, [event, ...given]);
    });
    return true;
  };
}
