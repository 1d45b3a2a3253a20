import { describeOldTallies } from '@rowlock/driver-conformance/internal';
import { freshDatabase } from '@rowlock/servers';
import '@rowlock/servers/vitest';
import pg from 'pg';
import { inject } from 'vitest';
import { postgres } from '../src/index.js';

describeOldTallies(async () => {
  const database = await freshDatabase(inject('postgresUrl'));
  const open = () => postgres({ connectionString: database.url });
  const drivers = [open(), open()] as const;
  const client = new pg.Client(database.url);
  await client.connect();
  await drivers[0].schema.migrate();
  return {
    drivers,
    async put(tallies) {
      for (const { minute, queue, kind, completed, failed, cancelled, retried, waits, runs } of tallies)
        await client.query('INSERT INTO rowlock.tally VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)', [
          ...[minute, queue, kind, completed, failed, cancelled, retried, waits, runs],
        ]);
    },
    rows: async () => (await client.query('SELECT kind, minute FROM rowlock.tally')).rows,
    async end() {
      await client.end();
      for (const driver of drivers) await driver.close();
      await database.drop();
    },
  };
});
