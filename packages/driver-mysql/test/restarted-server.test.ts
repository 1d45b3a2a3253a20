import { setTimeout as pause } from 'node:timers/promises';
import { startEmbeddedMariadb, startEmbeddedMysql, temporaryDataDir } from '@rowlock/servers';
import { type Connection, createConnection } from 'mysql2/promise';
import { expect, test } from 'vitest';
import { connectionOf, prepareSession, sessionOf } from '../src/connection/session.js';
import { product } from './server.js';

test('after a restart of the server the number of a session is nobody’s, though another one has it', async () => {
  const start = product === 'mariadb' ? startEmbeddedMariadb : startEmbeddedMysql;
  const dataDir = temporaryDataDir('test');
  const server = await start({ dataDir, persistent: false });
  const opened: Connection[] = [];
  const connect = async (): Promise<Connection> => {
    const client = await createConnection(server.url);
    client.on('error', () => {});
    opened.push(client);
    await prepareSession(client);
    return client;
  };
  try {
    // Ahead of what the server itself opens when it starts.
    for (let number = 0; number < 20; number++) await connect();
    const before = await connect();
    // Starts are told apart by their seconds.
    await pause(1_000);
    await server.restart();
    let after = await connect();
    while (connectionOf(after) < connectionOf(before)) after = await connect();
    expect(connectionOf(after)).toBe(connectionOf(before));
    const other = await connect();
    await expect(other.query(`KILL ${sessionOf(before)}`)).rejects.toThrow('Unknown thread id: 0');
    await after.query('DO 0');
    await other.query(`KILL ${sessionOf(after)}`);
    await expect(after.query('DO 0')).rejects.toThrow();
  } finally {
    for (const client of opened) client.destroy();
    await server.stop();
  }
}, 120_000);
