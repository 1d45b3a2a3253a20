import { readFile } from 'node:fs/promises';
import type { MigrationReport } from '@rowlock/core/types';
import { type Account, type AccountsDatabase, describeRights } from '@rowlock/driver-conformance/internal';
import { freshMysqlDatabase } from '@rowlock/servers';
import { createConnection } from 'mysql2/promise';
import { expect, test } from 'vitest';
import { toDriverError } from '../src/errors.js';
import { type MysqlTransaction, mysql } from '../src/index.js';
import { SCHEMA_VERSION } from '../src/schema/migrations.js';
import { serverUrl } from './server.js';

describeRights({
  name: 'mysql',
  readme: new URL('../README.md', import.meta.url),
  open,
  schedules: [
    "GRANT INSERT ON rowlock.rowlock_job TO 'worker'",
    "GRANT INSERT, UPDATE, DELETE ON rowlock.rowlock_schedule TO 'worker'",
  ],
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
  await driver.schema.migrate();
  await driver.close();
  const root = await createConnection(url);
  for (const statement of statements) {
    await root.query(
      statement
        .replace(/'(producer|worker)'/, `'$1${suffix}'`)
        .replace(/ON (PROCEDURE )?rowlock\./, `ON $1${database}.`),
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

test('who has the rights that the README names migrates, and with one less does not', async () => {
  const readme = await readFile(new URL('../README.md', import.meta.url), 'utf8');
  const [, named = ''] = readme.match(/Whoever migrates needs (.*) on the database/) ?? [];
  const rights = [...named.matchAll(/`([A-Z ]+)`/g)].map(([, right = '']) => right);
  expect(rights.length).toBeGreaterThan(1);
  for (const missing of rights) {
    const some = rights.filter((right) => right !== missing);
    await expect(migratedBy(some), `without ${missing}`).rejects.toMatchObject({ code: 'PermissionDenied' });
  }
  expect(await migratedBy(rights)).toMatchObject({ from: 0, to: SCHEMA_VERSION });
});

async function migratedBy(rights: readonly string[]): Promise<MigrationReport> {
  const { url, drop } = await freshMysqlDatabase(serverUrl);
  const database = new URL(url).pathname.slice(1);
  const own = new URL(url);
  own.username = `migrator_${database.slice(-8)}`;
  own.password = 'change-me';
  const root = await createConnection(url);
  const driver = mysql({ uri: own.href });
  try {
    await root.query(`CREATE USER '${own.username}' IDENTIFIED BY '${own.password}'`);
    await root.query(`GRANT ${rights.join(', ')} ON ${database}.* TO '${own.username}'`);
    return await driver.schema.migrate();
  } finally {
    await driver.close();
    await root.query(`DROP USER '${own.username}'`);
    await root.end();
    await drop();
  }
}

test('a worker with the rights in the README takes slots, keeps them by a lease, and gives them back', async () => {
  const readme = await readFile(new URL('../README.md', import.meta.url), 'utf8');
  const database = await open([...readme.matchAll(/^(?:CREATE USER|GRANT) [^;]+/gm)].map(([text]) => text));
  const driver = database.driver('worker');
  const held = driver.claims.session({ idleLimitMs: 60_000 });
  const other = driver.claims.session({ idleLimitMs: 60_000 });
  const runId = '00000000-0000-4000-8000-000000000000';
  await held.enterLimits('{"a":1}');
  await held.lease(runId, [], 60_000);
  await expect(other.enterLimits('{"a":1}')).rejects.toMatchObject({ code: 'LimitReached' });
  await other.rollback();
  await held.leaveLimits(runId);
  await held.commit();
  await other.enterLimits('{"a":1}');
  await other.rollback();
  expect(await driver.admission.parts({ queues: ['q'], beyond: '', limit: 1_000 })).toEqual({
    parts: [],
    last: null,
  });
  await driver.close();
  await database.close();
});
