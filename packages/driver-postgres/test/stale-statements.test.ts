import '@rowlock/servers/vitest';
import { newJob } from '@rowlock/driver-conformance/internal';
import { freshDatabase } from '@rowlock/servers';
import pg from 'pg';
import { beforeEach, expect, inject, test } from 'vitest';
import { postgres } from '../src/index.js';

const JOB = newJob();
const CRITERIA = { queue: 'q', kinds: ['k'], line: { priority: -32_768, id: 0n }, busy: [], limit: 1 };

let driver: ReturnType<typeof postgres>;
let url: string;

beforeEach(async () => {
  const fresh = await freshDatabase(inject('postgresUrl'));
  url = fresh.url;
  // One connection: who comes next has the same, or the one in its place.
  driver = postgres({ connectionString: url, maxConnections: 1, sessions: 'own' });
  await driver.schema.migrate();
  const anchor = await driver.workers.anchor({ name: 'w', host: 'h', pid: 1, queues: [] });
  await driver.jobs.enqueue([JOB]);
  return async () => {
    await anchor.release();
    await driver.close();
    await fresh.drop();
  };
});

/** Claims, and gives back. */
async function claims(statement?: string): Promise<number> {
  const held = driver.claims.session({ idleLimitMs: 60_000 });
  try {
    const jobs = await held.claim(CRITERIA);
    if (statement !== undefined) await held.handle.query(statement);
    return jobs.length;
  } finally {
    await held.rollback();
  }
}

test('a connection whose prepared statements a handler has dropped is not kept', async () => {
  expect(await claims('DEALLOCATE ALL')).toBe(1);
  expect(await claims()).toBe(1);
});

test('nor one on which a function has dropped them, which no text tells', async () => {
  const client = new pg.Client(url);
  await client.connect();
  await client.query(
    "CREATE FUNCTION forget() RETURNS void LANGUAGE plpgsql AS $$ BEGIN EXECUTE 'DEALLOCATE ALL'; END $$",
  );
  await client.end();
  expect(await claims('SELECT forget()')).toBe(1);
  await expect(claims()).rejects.toMatchObject({ cause: { code: '26000' } });
  expect(await claims()).toBe(1);
});

test('a connection whose plans are of tables that are no more is not kept', async () => {
  expect(await claims()).toBe(1);
  const client = new pg.Client(url);
  await client.connect();
  // What a restored table may have otherwise.
  await client.query('ALTER TABLE rowlock.job ALTER COLUMN kind TYPE text');
  await client.end();
  await expect(claims()).rejects.toMatchObject({ cause: { code: '0A000' } });
  expect(await claims()).toBe(1);
});
