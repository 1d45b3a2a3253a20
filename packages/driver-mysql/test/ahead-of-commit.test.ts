import { severableServer } from '@rowlock/driver-conformance';
import { freshMysqlDatabase } from '@rowlock/servers';
import { createConnection, type RowDataPacket } from 'mysql2/promise';
import { expect, onTestFinished, test } from 'vitest';
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
