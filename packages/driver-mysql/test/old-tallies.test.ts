import { describeOldTallies } from '@rowlock/driver-conformance/internal';
import { freshMysqlDatabase } from '@rowlock/servers';
import { createConnection, type RowDataPacket } from 'mysql2/promise';
import { mysql } from '../src/index.js';
import { serverUrl } from './server.js';

describeOldTallies(async () => {
  const database = await freshMysqlDatabase(serverUrl);
  const drivers = [mysql({ uri: database.url }), mysql({ uri: database.url })] as const;
  await drivers[0].schema.migrate();
  const client = await createConnection({ uri: database.url, timezone: 'Z' });
  return {
    drivers,
    async put(tallies) {
      for (const { minute, queue, kind, completed, failed, cancelled, retried, waits, runs } of tallies)
        await client.query('INSERT INTO rowlock_tally VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)', [
          ...[minute, queue, kind, completed, failed, cancelled, retried],
          ...[waits, runs].map((times) => JSON.stringify(times)),
        ]);
    },
    async rows() {
      const [rows] = await client.query<RowDataPacket[]>('SELECT kind, minute FROM rowlock_tally');
      return rows.map(({ kind, minute }) => ({ kind, minute }));
    },
    async end() {
      await client.end();
      for (const driver of drivers) await driver.close();
      await database.drop();
    },
  };
});
