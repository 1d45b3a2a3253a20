import { freshDatabase } from '@rowlock/servers';
import '@rowlock/servers/vitest';
import pg from 'pg';
import { expect, inject, onTestFinished, test } from 'vitest';
import { postgres } from '../src/index.js';

const TABLES = ['job', 'run', 'open_run', 'worker', 'bell', 'rowlock_migration'];

/** The driver of a user who owns nothing, and a client that does. */
async function anybody() {
  const fresh = await freshDatabase(inject('postgresUrl'));
  onTestFinished(() => fresh.drop());
  const owner = postgres({ connectionString: fresh.url });
  await owner.schema.migrate();
  await owner.close();
  const client = new pg.Client(fresh.url);
  await client.connect();
  const role = `anybody_${new URL(fresh.url).pathname.slice(-8)}`;
  await client.query(`
    CREATE ROLE ${role} LOGIN PASSWORD 'change-me'; GRANT USAGE ON SCHEMA rowlock TO ${role};
    GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA rowlock TO ${role}`);
  onTestFinished(async () => {
    await client.query(`DROP OWNED BY ${role}; DROP ROLE ${role}`);
    await client.end();
  });
  const url = new URL(fresh.url);
  url.username = role;
  url.password = 'change-me';
  const driver = postgres({ connectionString: url.href });
  onTestFinished(() => driver.close());
  return { driver, role, query: (text: string) => client.query(text) };
}

test.each(TABLES)('verify() names a table whose rows are hidden: %s', async (table) => {
  const { driver, query, role } = await anybody();
  await driver.schema.verify();
  await query(`ALTER TABLE rowlock.${table} ENABLE ROW LEVEL SECURITY`);
  const hidden = {
    code: 'PermissionDenied',
    message: expect.stringMatching(`from this database user, in ${table}\\.`),
  };
  await expect(driver.schema.verify()).rejects.toMatchObject(hidden);
  await query(`CREATE POLICY few ON rowlock.${table} TO ${role} USING (length(current_user) > 99)`);
  await expect(driver.schema.verify()).rejects.toMatchObject(hidden);
  await query(`CREATE POLICY "all" ON rowlock.${table} TO ${role} USING (true)`);
  await driver.schema.verify();
  await query(`CREATE POLICY fewer ON rowlock.${table} AS RESTRICTIVE USING (length(current_user) > 99)`);
  await expect(driver.schema.verify()).rejects.toMatchObject(hidden);
  await query(`ALTER ROLE ${role} BYPASSRLS`);
  await driver.schema.verify();
});
