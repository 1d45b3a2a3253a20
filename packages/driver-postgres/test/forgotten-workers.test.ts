import { freshDatabase } from '@rowlock/servers';
import '@rowlock/servers/vitest';
import pg from 'pg';
import { expect, inject, test } from 'vitest';
import { postgres } from '../src/index.js';

test('a worker that starts forgets those that are long gone, and none that may come back', async () => {
  const database = await freshDatabase(inject('postgresUrl'));
  const driver = postgres({ connectionString: database.url });
  const client = new pg.Client(database.url);
  try {
    await driver.migrate();
    await client.connect();
    const hire = (name: string) => driver.anchor({ name, host: 'host', pid: 1, queues: [] });
    // Its session holds its lock, however long it has been there.
    const alive = await hire('alive');
    await client.query("UPDATE rowlock.worker SET started_at = now() - interval '1 year'");
    const hours = (given: number): string => `now() - interval '${given} hours'`;
    await client.query(
      `INSERT INTO rowlock.worker (name, host, pid, queues, started_at, stopped_at, alive_until) VALUES
       ('stopped', 'h', 1, '{}', ${hours(50)}, ${hours(25)}, NULL),
       ('stopped lately', 'h', 1, '{}', ${hours(9_000)}, ${hours(23)}, NULL),
       ('beat its last', 'h', 1, '{}', ${hours(50)}, NULL, ${hours(25)}),
       ('has missed beats', 'h', 1, '{}', ${hours(9_000)}, NULL, ${hours(23)}),
       ('crashed', 'h', 1, '{}', ${hours(32 * 24)}, NULL, NULL),
       ('crashed lately', 'h', 1, '{}', ${hours(30 * 24)}, NULL, NULL)`,
    );
    const fresh = await hire('fresh');
    const { rows } = await client.query<{ name: string }>('SELECT name FROM rowlock.worker ORDER BY id');
    const left = ['alive', 'stopped lately', 'has missed beats', 'crashed lately', 'fresh'];
    expect(rows.map(({ name }) => name)).toEqual(left);
    await fresh.release();
    await alive.release();
  } finally {
    await client.end();
    await driver.close();
    await database.drop();
  }
});
