import { mysqlForTests } from '@rowlock/servers';
import { type Connection, createConnection, type RowDataPacket } from 'mysql2/promise';
import { expect, onTestFinished, test } from 'vitest';
import { prepareSession, sessionOf } from '../src/connection/session.js';
import { sessionControl } from '../src/connection/session-control.js';
import { product } from './server.js';

// MariaDB has no `binlog_error_action`, by which MySQL stops.
test.skipIf(product === 'mariadb')(
  'a session in its commit is not killed, as MySQL would stop where it waits for room for the binary log',
  async () => {
    const settings = { 'log-bin': 'log', 'sync-binlog': '1' };
    const server = await mysqlForTests({ own: true, settings });
    onTestFinished(() => server.stop());
    const connected = async () => {
      const client = await createConnection(server.url);
      client.on('error', () => {});
      await prepareSession(client);
      onTestFinished(() => client.destroy());
      return client;
    };
    const other = await connected();
    const control = sessionControl(other, () => true);
    await other.query('CREATE DATABASE app');
    await other.query('CREATE TABLE app.note (id INT)');
    // The longest that the server takes, in microseconds. On a busy machine a commit may be over before it is met.
    await other.query('SET GLOBAL binlog_group_commit_sync_delay = 1000000');
    const isCommitting = async ({ threadId }: Connection): Promise<boolean> => {
      const [sessions] = await other.query<RowDataPacket[]>('SHOW PROCESSLIST');
      return sessions.some(({ Id, State }) => Id === threadId && State === 'waiting for handler commit');
    };
    for (let isMet = false; !isMet; ) {
      const writer = await connected();
      let isOver = false;
      const written = writer.query('INSERT INTO app.note VALUES (1)').finally(() => {
        isOver = true;
      });
      while (!isOver && !(await isCommitting(writer)));
      await control.end(sessionOf(writer));
      isMet = !isOver;
      await written;
      if (isMet) await writer.query('DO 0');
      await control.end(sessionOf(writer));
      await expect(writer.query('DO 0')).rejects.toThrow();
    }
  },
  120_000,
);
