import { type Account, type AccountsDatabase, describeRights } from '@rowlock/driver-conformance/internal';
import { freshDatabase } from '@rowlock/servers';
import '@rowlock/servers/vitest';
import pg from 'pg';
import { inject } from 'vitest';
import { toDriverError } from '../src/errors.js';
import { type PostgresTransaction, postgres } from '../src/index.js';

describeRights({
  name: 'postgres',
  readme: new URL('../README.md', import.meta.url),
  open,
  schedules: [
    'GRANT INSERT ON rowlock.job, rowlock.bell TO worker',
    'GRANT INSERT, UPDATE, DELETE ON rowlock.schedule TO worker',
  ],
  refused: {
    producer: [
      'CREATE TABLE rowlock.more (id integer)',
      'DELETE FROM rowlock.job',
      'UPDATE rowlock.job SET priority = 1',
      'DELETE FROM rowlock.run',
    ],
    worker: [
      'CREATE TABLE rowlock.more (id integer)',
      'DELETE FROM rowlock.job',
      "INSERT INTO rowlock.job (kind) VALUES ('k')",
      "INSERT INTO rowlock.rowlock_migration VALUES (9, 'nine')",
    ],
  },
});

async function open(statements: readonly string[]): Promise<AccountsDatabase<PostgresTransaction>> {
  const { url, drop } = await freshDatabase(inject('postgresUrl'));
  const suffix = `_${new URL(url).pathname.slice(-8)}`;
  const driver = postgres({ connectionString: url });
  await driver.schema.migrate();
  await driver.close();
  const root = new pg.Client(url);
  await root.connect();
  for (const statement of statements) {
    await root.query(statement.replace(/(TO|ROLE) (producer|worker)/, `$1 $2${suffix}`));
  }

  const urlOf = (account: Account): string => {
    const own = new URL(url);
    own.username = `${account}${suffix}`;
    own.password = 'change-me';
    return own.href;
  };
  return {
    driver: (account) => postgres({ connectionString: urlOf(account) }),
    async run(account, statement) {
      const client = new pg.Client(urlOf(account));
      await client.connect();
      try {
        await client.query(statement);
      } catch (error) {
        throw toDriverError(error);
      } finally {
        await client.end();
      }
    },
    async close() {
      for (const account of ['producer', 'worker']) {
        await root.query(`DROP OWNED BY ${account}${suffix}`);
        await root.query(`DROP ROLE ${account}${suffix}`);
      }
      await root.end();
      await drop();
    },
  };
}
