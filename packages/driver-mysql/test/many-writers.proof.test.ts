import { describeManyWriters } from '@rowlock/driver-conformance';
import { freshMysqlDatabase } from '@rowlock/servers';
import { createPool } from 'mysql2/promise';
import { updateJson } from '../src/index.js';
import { product, serverUrl } from './server.js';

describeManyWriters(product, async (writers) => {
  const { url, drop } = await freshMysqlDatabase(serverUrl);
  const pool = createPool({ uri: url, connectionLimit: writers });
  await pool.query('CREATE TABLE thing (id BIGINT PRIMARY KEY, json JSON)');
  await pool.query('INSERT INTO thing VALUES (1, NULL)');
  return {
    async read() {
      const [rows] = await pool.query('SELECT CAST(json AS CHAR) AS json FROM thing');
      return JSON.parse(Object(rows)[0].json ?? 'null');
    },
    update: (operations) =>
      updateJson(pool, { table: 'thing', column: 'json', where: { id: 1 } }, operations),
    async close() {
      await pool.end();
      await drop();
    },
  };
});
