import { freshDatabase } from '@rowlock/servers';
import { describeJsonUpdates } from '../describe-json-updates.js';
import '@rowlock/servers/vitest';
import pg from 'pg';
import { inject } from 'vitest';
import { updateJson } from '../../src/postgres.js';

describeJsonUpdates('postgres', async () => {
  const { url, drop } = await freshDatabase(inject('postgresUrl'));
  const client = new pg.Client(url);
  await client.connect();
  await client.query(
    'CREATE TABLE thing (id bigint PRIMARY KEY, json jsonb); INSERT INTO thing VALUES (1, NULL)',
  );
  return {
    async write(json) {
      await client.query('UPDATE thing SET json = $1', [json === undefined ? null : JSON.stringify(json)]);
    },
    async read() {
      const { rows } = await client.query<{ json: string | null }>('SELECT json::text FROM thing');
      return JSON.parse(rows[0]?.json ?? 'null');
    },
    update: (operations) =>
      updateJson(client, { table: 'thing', column: 'json', where: { id: 1 } }, operations),
    async close() {
      await client.end();
      await drop();
    },
  };
});
