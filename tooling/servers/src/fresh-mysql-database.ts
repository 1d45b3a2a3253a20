import { randomBytes } from 'node:crypto';
import { type Connection, createConnection, type RowDataPacket } from 'mysql2/promise';
import type { FreshDatabase } from './fresh-database.js';

const NO_SUCH_THREAD = 1094;

/** `freshDatabase` on MySQL and MariaDB: an empty database in utf8mb4, of a name of its own. */
export async function freshMysqlDatabase(serverUrl: string): Promise<FreshDatabase> {
  const name = `test_${randomBytes(8).toString('hex')}`;
  await connected(serverUrl, (connection) =>
    connection.query(`CREATE DATABASE ${name} CHARACTER SET utf8mb4`),
  );
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  return { url: url.href, drop: () => connected(serverUrl, (connection) => drop(connection, name)) };
}

/** An open transaction of somebody else would make the DROP wait: they are disconnected first. */
async function drop(connection: Connection, name: string): Promise<void> {
  // Not from information_schema: MySQL's list of processes is an error while anybody's statement holds an emoji.
  const [sessions] = await connection.query<RowDataPacket[]>('SHOW PROCESSLIST');
  for (const { Id } of sessions.filter(({ db }) => db === name)) {
    await connection.query('KILL ?', [Id]).catch((error) => {
      if (error.errno !== NO_SUCH_THREAD) throw error;
    });
  }
  // The server rolls back what a session has written after it was told to end it.
  await connection.query('SET SESSION lock_wait_timeout = 60');
  await connection.query(`DROP DATABASE IF EXISTS ${name}`);
}

async function connected(url: string, work: (connection: Connection) => Promise<unknown>): Promise<void> {
  const connection = await createConnection(url);
  try {
    await work(connection);
  } finally {
    await connection.end();
  }
}
