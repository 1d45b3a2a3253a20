import { randomUUID } from 'node:crypto';
import { freshDatabase } from '@rowlock/servers';
import '@rowlock/servers/vitest';
import pg from 'pg';
import { expect, inject, test } from 'vitest';
import { postgres } from '../src/index.js';
import { waiting } from './waiting.js';

test('a lease that is being committed still, and its worker has given up on, is found when it is', async () => {
  const database = await freshDatabase(inject('postgresUrl'));
  const driver = postgres({ connectionString: database.url });
  const client = new pg.Client(database.url);
  try {
    await driver.schema.migrate();
    await client.connect();
    await client.query("INSERT INTO rowlock.job (queue, kind) VALUES ('q', 'k')");
    const runId = randomUUID();
    await client.query('BEGIN');
    await client.query("UPDATE rowlock.job SET status = 'in-progress', process_id = $1", [runId]);
    const held = driver.claims.session({ idleLimitMs: 600_000 });
    const found = held.lockLeased(runId, [1n], false);
    await expect.poll(() => waiting(client), { timeout: 30_000 }).toBe(1);
    await client.query('COMMIT');
    expect(await found).toEqual(new Map([[1n, 'in-progress']]));
    await held.rollback();
  } finally {
    await client.end();
    await driver.close();
    await database.drop();
  }
});
