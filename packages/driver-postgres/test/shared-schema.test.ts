import { freshDatabase } from '@rowlock/servers';
import '@rowlock/servers/vitest';
import pg from 'pg';
import { expect, inject, onTestFinished, test } from 'vitest';
import { postgres } from '../src/index.js';
import { SCHEMA_VERSION } from '../src/schema/migrations.js';

async function database() {
  const fresh = await freshDatabase(inject('postgresUrl'));
  onTestFinished(() => fresh.drop());
  const client = new pg.Client(fresh.url);
  await client.connect();
  onTestFinished(() => client.end());
  return { client, driver: (schema: string) => postgres({ connectionString: fresh.url, schema }) };
}

test("an application's own table of migrations in the schema is left alone", async () => {
  const { client, driver: open } = await database();
  await client.query(
    "CREATE TABLE migration (version integer, name text); INSERT INTO migration VALUES (99, 'theirs')",
  );
  const driver = open('public');
  onTestFinished(() => driver.close());
  expect(await driver.schema.migrate()).toMatchObject({ from: 0, to: SCHEMA_VERSION });
  await driver.schema.verify();
  expect((await client.query('SELECT * FROM migration')).rows).toEqual([{ version: 99, name: 'theirs' }]);
});

test('the function of a schema that was renamed writes into its own tables, and wakes its own workers', async () => {
  const { client, driver: open } = await database();
  const [old, fresh] = [open('rowlock'), open('rowlock')];
  onTestFinished(async () => {
    await old.close();
    await fresh.close();
  });
  await old.schema.migrate();
  await client.query('ALTER SCHEMA rowlock RENAME TO archive');
  await fresh.schema.migrate();
  await client.query('LISTEN "rowlock:archive"');
  const heard = new Promise((resolve) => client.once('notification', ({ channel }) => resolve(channel)));
  await client.query("SELECT archive.enqueue('k')");
  expect(await heard).toBe('rowlock:archive');
  await client.query("SELECT rowlock.enqueue('k'), rowlock.enqueue('k')");
  const { rows } = await client.query(
    'SELECT (SELECT count(*)::integer FROM archive.job) AS archived, (SELECT count(*)::integer FROM rowlock.job) AS jobs',
  );
  expect(rows).toEqual([{ archived: 1, jobs: 2 }]);
  const { rows: settings } = await client.query("SELECT current_setting('search_path') AS path");
  expect(settings).toEqual([{ path: '"$user", public' }]);
});
