import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { severableServer } from '@rowlock/driver-conformance';
import { freshMysqlDatabase } from '@rowlock/servers';
import { createConnection, type RowDataPacket } from 'mysql2/promise';
import { expect, onTestFinished, test, vi } from 'vitest';
import { AheadOfCommit } from '../src/ahead-of-commit.js';
import { serverUrl } from './server.js';

test('a statement is told ahead of its commit, and committed though its client is gone meanwhile', async () => {
  const fresh = await freshMysqlDatabase(serverUrl);
  onTestFinished(() => fresh.drop());
  const client = await createConnection(fresh.url);
  onTestFinished(() => client.end());
  await client.query('CREATE TABLE note (id INT PRIMARY KEY)');
  const notes = async () => (await client.query<RowDataPacket[]>('SELECT id FROM note'))[0];
  const { hostname, port, username, password, pathname } = new URL(fresh.url);
  const server = await severableServer({ host: hostname, port: Number(port) });
  onTestFinished(() => server.sever());
  const ahead = new AheadOfCommit(
    { host: server.host, port: server.port, user: username, password, database: pathname.slice(1) },
    10_000,
  );
  onTestFinished(() => ahead.close());
  const told: number[] = [];
  const statement = ahead.telling((rows) => told.push(rows));
  await statement.execute('INSERT INTO note VALUES (?), (?)', [1, 2]);
  expect(told).toEqual([2]);

  // The server comes to the COMMIT when it has the lock.
  await client.query("SELECT GET_LOCK('gate', 0)");
  let gone: Promise<unknown> = Promise.resolve();
  await new Promise<void>((answered) => {
    const slow = ahead.telling(() => answered());
    gone = slow.execute("INSERT INTO note VALUES (?); DO GET_LOCK('gate', 10)", [3]);
  });
  expect(await notes()).toHaveLength(2);
  const lost = expect(gone).rejects.toThrow();
  await server.sever();
  await lost;
  await client.query("SELECT RELEASE_LOCK('gate')");
  await expect.poll(notes, { timeout: 10_000 }).toHaveLength(3);
});

test('a statement that is refused leaves no transaction behind', async () => {
  const fresh = await freshMysqlDatabase(serverUrl);
  onTestFinished(() => fresh.drop());
  const client = await createConnection(fresh.url);
  onTestFinished(() => client.end());
  await client.query('CREATE TABLE note (id INT PRIMARY KEY)');
  const ahead = new AheadOfCommit({ uri: fresh.url }, 10_000);
  onTestFinished(() => ahead.close());
  const told: number[] = [];
  const statement = ahead.telling((rows) => told.push(rows));
  await statement.execute('INSERT INTO note VALUES (?)', [1]);
  await expect(statement.execute('INSERT INTO note VALUES (?), (?)', [2, 1])).rejects.toThrow('Duplicate');
  expect(told).toEqual([1]);
  await statement.execute('INSERT INTO note VALUES (?)', [2]);
  expect((await client.query<RowDataPacket[]>('SELECT id FROM note'))[0]).toHaveLength(2);
});

/** A table whose rows say on which connection they were written. */
async function openSigned() {
  const fresh = await freshMysqlDatabase(serverUrl);
  onTestFinished(() => fresh.drop());
  const client = await createConnection(fresh.url);
  onTestFinished(() => client.end());
  await client.query('CREATE TABLE note (id INT PRIMARY KEY, writer BIGINT)');
  const sockets: Socket[] = [];
  const stream = () => {
    const { hostname, port } = new URL(fresh.url);
    const socket = connect(Number(port), hostname);
    sockets.push(socket);
    return socket;
  };
  const ahead = new AheadOfCommit({ uri: fresh.url, stream }, 10_000);
  onTestFinished(() => ahead.close());
  return {
    client,
    sockets,
    /** @returns the connection that it was written on */
    async write(id: number): Promise<number> {
      await ahead.telling(() => {}).execute('INSERT INTO note VALUES (?, CONNECTION_ID())', [id]);
      const [[row]] = await client.query<RowDataPacket[]>('SELECT writer FROM note WHERE id = ?', [id]);
      return row?.writer;
    },
  };
}

test('a connection that breaks at rest, and that more is told of later, does not end the process', async () => {
  const { client, sockets, write } = await openSigned();
  const connection = await write(1);
  const [socket] = sockets;
  if (socket === undefined) throw new Error('Nothing was opened.');
  const ended = once(socket, 'close');
  await client.query(`KILL ${connection}`);
  await ended;
  // An error that nobody listens to is thrown.
  socket.emit('error', new Error('read ETIMEDOUT'));
  expect(await write(2)).not.toBe(connection);
});

test('one connection is kept however long it rests, and what is more is closed', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] });
  onTestFinished(() => void vi.useRealTimers());
  const { sockets, write } = await openSigned();
  const [one, other] = await Promise.all([write(1), write(2)]);
  expect(one).not.toBe(other);
  const closed = Promise.race(sockets.map((socket) => once(socket, 'close')));
  await vi.advanceTimersByTimeAsync(2_000);
  await closed;
  await vi.advanceTimersByTimeAsync(3_600_000);
  expect([one, other]).toContain(await write(3));
  expect(sockets).toHaveLength(2);
});
