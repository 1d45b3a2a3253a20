import { type Connection, createConnection } from 'mysql2/promise';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { prepareSession, sessionOf } from '../src/connection/session.js';
import { interrupt } from '../src/connection/session-control.js';
import { serverUrl } from './server.js';

let client: Connection;
let other: Connection;

beforeEach(async () => {
  [client, other] = [await createConnection(serverUrl), await createConnection(serverUrl)];
  client.on('error', () => {});
  await prepareSession(client);
});

afterEach(async () => {
  client.destroy();
  other.destroy();
});

test('a session is ended by its number where it is', async () => {
  await other.query(`KILL ${sessionOf(client)}`);
  await expect(client.query('SELECT 1')).rejects.toThrow();
});

test('a statement is interrupted where it is', async () => {
  const sleeping = client.query('SELECT SLEEP(30)').catch((error: unknown) => error);
  const end = setInterval(() => void interrupt(other, sessionOf(client)), 20);
  await sleeping;
  clearInterval(end);
});

test('behind a proxy, which tells the client a number of its own, the number is the server’s', async () => {
  Object(client).connection.threadId = 4_000_000_000;
  await other.query(`KILL ${sessionOf(client)}`);
  await expect(client.query('SELECT 1')).rejects.toThrow();
});

test('on another server the number is nobody’s', async () => {
  const elsewhere = sessionOf(client).replace(/'[0-9a-f]{56}'/, `'${'0'.repeat(56)}'`);
  expect(elsewhere).not.toBe(sessionOf(client));
  await expect(other.query(`KILL ${elsewhere}`)).rejects.toThrow('Unknown thread id: 0');
  await client.query('SELECT 1');
});
