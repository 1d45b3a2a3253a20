import { describeManyWriters } from '@rowlock/driver-conformance';
import { freshDatabase } from '@rowlock/servers';
import '@rowlock/servers/vitest';
import pg from 'pg';
import { inject } from 'vitest';
import { updateJson } from '../src/index.js';

describeManyWriters('postgres', async (writers) => {
  const { url, drop } = await freshDatabase(inject('postgresUrl'));
  const pool = new pg.Pool({ connectionString: url, max: writers });
  await pool.query(
    'CREATE TABLE thing (id bigint PRIMARY KEY, json jsonb); INSERT INTO thing VALUES (1, NULL)',
  );
  return {
    async read() {
      const { rows } = await pool.query<{ json: string }>('SELECT json::text FROM thing');
      return JSON.parse(rows[0]?.json ?? 'null');
    },
    update: (operations) =>
      updateJson(pool, { table: 'thing', column: 'json', where: { id: 1 } }, operations),
    async close() {
      await pool.end();
      await drop();
    },
  };
});
