import { freshMysqlDatabase } from '@rowlock/servers';
import { createPool, type RowDataPacket } from 'mysql2/promise';
import { product, serverUrl } from '../../../driver-mysql/test/server.js';
import { updateJson } from '../../src/mysql.js';
import { describeManyWriters } from '../describe-many-writers.js';

describeManyWriters(product, async (writers, rows) => {
  const { url, drop } = await freshMysqlDatabase(serverUrl);
  const pool = createPool({ uri: url, connectionLimit: writers });
  await pool.query('CREATE TABLE thing (id BIGINT PRIMARY KEY, json JSON)');
  for (let id = 0; id < rows; id += 1) await pool.query('INSERT INTO thing VALUES (?, NULL)', [id]);
  return {
    async read() {
      const [found] = await pool.query<RowDataPacket[]>(
        'SELECT CAST(json AS CHAR) AS json FROM thing ORDER BY id',
      );
      return found.map(({ json }) => JSON.parse(json));
    },
    update: (id, operations) =>
      updateJson(pool, { table: 'thing', column: 'json', where: { id } }, operations),
    async close() {
      await pool.end();
      await drop();
    },
  };
});
