import { describeCuts } from '@rowlock/driver-conformance/internal';
import { freshMysqlDatabase } from '@rowlock/servers';
import { createConnection } from 'mysql2/promise';
import { type MysqlTransaction, mysql } from '../src/index.js';
import { product, serverUrl } from './server.js';

describeCuts<MysqlTransaction>({
  name: product,
  database: () => freshMysqlDatabase(serverUrl),
  driver: (uri) => mysql({ uri }),

  async begin(uri) {
    const tx = await createConnection(uri);
    tx.on('error', () => {});
    await tx.query('START TRANSACTION');
    return {
      tx,
      end: () =>
        tx.query('ROLLBACK').then(
          () => tx.end(),
          () => tx.destroy(),
        ),
    };
  },

  async exec(uri, statements) {
    const client = await createConnection(uri);
    for (const statement of statements) await client.query(statement);
    await client.end();
  },
});
