import { type Account, type AccountsDatabase, describeRights } from '@rowlock/driver-conformance';
import { freshMysqlDatabase } from '@rowlock/servers';
import { createConnection } from 'mysql2/promise';
import { toDriverError } from '../src/errors.js';
import { type MysqlTransaction, mysql } from '../src/index.js';
import { serverUrl } from './server.js';

describeRights({
  name: 'mysql',
  readme: new URL('../README.md', import.meta.url),
  open,
  refused: {
    producer: [
      'CREATE TABLE more (id INT)',
      'DELETE FROM rowlock_job',
      'UPDATE rowlock_job SET priority = 1',
      'DELETE FROM rowlock_bell',
      'DELETE FROM rowlock_run',
    ],
    worker: [
      'CREATE TABLE more (id INT)',
      'DROP TABLE rowlock_bell',
      'DELETE FROM rowlock_job',
      "INSERT INTO rowlock_job (kind) VALUES ('k')",
      "INSERT INTO rowlock_migration VALUES (9, 'nine', UTC_TIMESTAMP())",
    ],
  },
});

async function open(statements: readonly string[]): Promise<AccountsDatabase<MysqlTransaction>> {
  const { url, drop } = await freshMysqlDatabase(serverUrl);
  const database = new URL(url).pathname.slice(1);
  const suffix = `_${database.slice(-8)}`;
  const driver = mysql({ uri: url });
  await driver.migrate();
  await driver.close();
  const root = await createConnection(url);
  for (const statement of statements) {
    await root.query(
      statement.replace(/'(producer|worker)'/, `'$1${suffix}'`).replace('ON rowlock.', `ON ${database}.`),
    );
  }

  const urlOf = (account: Account): string => {
    const own = new URL(url);
    own.username = `${account}${suffix}`;
    own.password = 'change-me';
    return own.href;
  };
  return {
    driver: (account) => mysql({ uri: urlOf(account) }),
    async run(account, statement) {
      const client = await createConnection(urlOf(account));
      try {
        await client.query(statement);
      } catch (error) {
        throw toDriverError(error);
      } finally {
        await client.end();
      }
    },
    async close() {
      await root.query(`DROP USER 'producer${suffix}', 'worker${suffix}'`);
      await root.end();
      await drop();
    },
  };
}
