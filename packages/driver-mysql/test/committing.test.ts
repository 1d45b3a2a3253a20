import { mysqlForTests } from '@rowlock/servers';
import { createConnection } from 'mysql2/promise';
import { expect, onTestFinished, test, vi } from 'vitest';
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
      return client;
    };
    const [writer, other] = [await connected(), await connected()];
    onTestFinished(() => {
      for (const client of [writer, other]) client.destroy();
    });
    const control = sessionControl(other, () => true);
    await writer.query('CREATE DATABASE app');
    await writer.query('CREATE TABLE app.note (id INT)');
    // The longest that the server takes, in microseconds.
    await other.query('SET GLOBAL binlog_group_commit_sync_delay = 1000000');
    const written = writer.query('INSERT INTO app.note VALUES (1)');
    await vi.waitFor(async () => {
      const [sessions] = await other.query('SHOW PROCESSLIST');
      expect(sessions).toContainEqual(
        expect.objectContaining({ Id: writer.threadId, State: 'waiting for handler commit' }),
      );
    });
    await control.end(sessionOf(writer));
    await written;
    await writer.query('DO 0');
    await control.end(sessionOf(writer));
    await expect(writer.query('DO 0')).rejects.toThrow();
  },
  60_000,
);
