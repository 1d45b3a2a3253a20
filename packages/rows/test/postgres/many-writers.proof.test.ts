import { freshDatabase } from '@rowlock/servers';
import { describeManyWriters } from '../describe-many-writers.js';
import '@rowlock/servers/vitest';
import pg from 'pg';
import { inject } from 'vitest';
import { updateJson } from '../../src/postgres.js';

describeManyWriters('postgres', async (writers, rows) => {
  const { url, drop } = await freshDatabase(inject('postgresUrl'));
  const pool = new pg.Pool({ connectionString: url, max: writers });
  await pool.query('CREATE TABLE thing (id bigint PRIMARY KEY, json jsonb)');
  await pool.query('INSERT INTO thing SELECT generate_series(0, $1::bigint - 1)', [rows]);
  return {
    async read() {
      const found = await pool.query<{ json: string }>('SELECT json::text FROM thing ORDER BY id');
      return found.rows.map(({ json }) => JSON.parse(json));
    },
    update: (id, operations) =>
      updateJson(pool, { table: 'thing', column: 'json', where: { id } }, operations),
    async close() {
      await pool.end();
      await drop();
    },
  };
});
