import { freshMysqlDatabase } from '@rowlock/servers';
import { createConnection } from 'mysql2/promise';
import { product, serverUrl } from '../../../driver-mysql/test/server.js';
import { updateJson } from '../../src/mysql.js';
import { describeJsonUpdates } from '../describe-json-updates.js';

describeJsonUpdates(product, async () => {
  const { url, drop } = await freshMysqlDatabase(serverUrl);
  const client = await createConnection(url);
  await client.query('CREATE TABLE thing (id BIGINT PRIMARY KEY, json JSON)');
  await client.query('INSERT INTO thing VALUES (1, NULL)');
  return {
    async write(json) {
      await client.execute('UPDATE thing SET json = ?', [json === undefined ? null : JSON.stringify(json)]);
    },
    async read() {
      const [rows] = await client.query('SELECT CAST(json AS CHAR) AS json FROM thing');
      return JSON.parse(Object(rows)[0].json ?? 'null');
    },
    update: (operations) =>
      updateJson(client, { table: 'thing', column: 'json', where: { id: 1 } }, operations),
    async close() {
      await client.end();
      await drop();
    },
  };
});
