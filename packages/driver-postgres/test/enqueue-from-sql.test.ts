import { freshDatabase } from '@rowlock/servers';
import '@rowlock/servers/vitest';
import pg from 'pg';
import { expect, inject, onTestFinished, test } from 'vitest';
import { postgres } from '../src/index.js';

test.each(['rowlock', 'my "jobs"'])(
  "a caller's temporary tables are not taken for those of the schema %s",
  async (schema) => {
    const fresh = await freshDatabase(inject('postgresUrl'));
    onTestFinished(() => fresh.drop());
    const driver = postgres({ connectionString: fresh.url, schema });
    await driver.migrate();
    const client = new pg.Client(fresh.url);
    await client.connect();
    onTestFinished(async () => {
      await client.end();
      await driver.close();
    });
    const within = pg.escapeIdentifier(schema);
    for (const table of ['job', 'bell', 'worker'])
      await client.query(
        `CREATE TEMPORARY TABLE ${table} (LIKE ${within}.${table} INCLUDING DEFAULTS INCLUDING IDENTITY)`,
      );
    await client.query(`LISTEN ${pg.escapeIdentifier(`rowlock:${schema}`)}`);
    const heard = new Promise((resolve) => client.once('notification', ({ payload }) => resolve(payload)));
    const { rows } = await client.query(`SELECT outcome FROM ${within}.enqueue('k', '{}')`);
    expect(rows).toEqual([{ outcome: 'enqueued' }]);
    expect(await driver.count({})).toMatchObject({ new: 1 });
    expect(await heard).toBe('{"queue" : "default"}');
  },
);
