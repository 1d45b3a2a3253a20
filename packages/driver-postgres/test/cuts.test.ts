import '@rowlock/servers/vitest';
import { describeCuts } from '@rowlock/driver-conformance/internal';
import { freshDatabase } from '@rowlock/servers';
import pg from 'pg';
import { inject } from 'vitest';
import { type PostgresTransaction, postgres } from '../src/index.js';

describeCuts<PostgresTransaction>({
  name: 'postgres',
  database: () => freshDatabase(inject('postgresUrl')),
  driver: (connectionString) => postgres({ connectionString }),

  async begin(url) {
    const tx = new pg.Client(url);
    tx.on('error', () => {});
    await tx.connect();
    await tx.query('BEGIN');
    return {
      tx,
      end: () =>
        tx.query('ROLLBACK').then(
          () => tx.end(),
          () => tx.end(),
        ),
    };
  },

  async exec(url, statements) {
    const client = new pg.Client(url);
    await client.connect();
    for (const statement of statements) await client.query(statement);
    await client.end();
  },
});
