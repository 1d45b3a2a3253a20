import '@rowlock/servers/vitest';
import { freshDatabase } from '@rowlock/servers';
import pg from 'pg';
import { afterEach, beforeEach, expect, inject, test, vi } from 'vitest';
import { postgres } from '../src/index.js';

let url: string;
let driver: ReturnType<typeof postgres>;
/** What one connection was sent. */
const sent: string[] = [];

beforeEach(async () => {
  const database = await freshDatabase(inject('postgresUrl'));
  url = database.url;
  vi.useFakeTimers({ toFake: ['performance'] });
  driver = postgres({ connectionString: url, maxConnections: 1, sessions: 'own', onConnect: listen });
  await driver.schema.migrate();
  return async () => {
    await driver.close();
    await database.drop();
  };
});
afterEach(() => void vi.useRealTimers());

test('plans stay for as long as the tables have their sizes, which surveys read', async () => {
  expect(await survey(0)).toEqual(['prepared']);
  // The plan is older than the first read.
  expect(await survey(100)).toEqual(['DISCARD PLANS', 'prepared']);
  for (let poll = 0; poll < 3; poll++) await survey(5_000);
  for (let poll = 0; poll < 3; poll++) expect(await survey(5_000)).toEqual(['prepared']);
});

test('plans are renewed when a table has grown', async () => {
  await survey(0);
  await survey(100);
  await grow();
  expect(await survey(100)).toEqual(['prepared']);
  expect(await survey(100)).toEqual(['DISCARD PLANS', 'prepared']);
  expect(await survey(100)).toEqual(['prepared']);
});

test('plans are renewed when an index has grown in a table that has free pages', async () => {
  await grow();
  const client = new pg.Client(url);
  await client.connect();
  await client.query('UPDATE rowlock.job SET due = false');
  await client.query('VACUUM rowlock.job');
  await client.query('REINDEX INDEX rowlock.job_claim');
  await survey(0);
  await survey(100);
  const size = "SELECT pg_relation_size('rowlock.job')::int AS size";
  const { rows: before } = await client.query(size);
  await client.query('UPDATE rowlock.job SET due = true WHERE id % 2 = 0');
  const { rows: after } = await client.query(size);
  expect(after).toEqual(before);
  await client.end();
  await survey(100);
  expect(await survey(100)).toEqual(['DISCARD PLANS', 'prepared']);
});

test('where no surveys are made, a claim reads the sizes now and then, and renews the plans too', async () => {
  await claim(0);
  expect(await claim(1_000)).toEqual(['sizes']);
  expect(await claim(100)).toEqual(['DISCARD PLANS']);
  await grow();
  expect(await claim(6_000)).toEqual(['sizes']);
  expect(await claim(100)).toEqual(['DISCARD PLANS']);
  expect(await claim(100)).toEqual([]);
});

function listen(client: object): void {
  const query: unknown = Reflect.get(client, 'query');
  if (typeof query !== 'function') throw new TypeError('No client');
  Object.assign(client, {
    query(statement: unknown, ...rest: readonly unknown[]) {
      sent.push(wordOf(statement));
      return Reflect.apply(query, client, [statement, ...rest]);
    },
  });
}

function wordOf(statement: unknown): string {
  if (typeof statement !== 'string')
    return typeof Object(statement).name === 'string' ? 'prepared' : 'planned';
  return statement.includes('pg_relation_size') ? 'sizes' : statement;
}

async function survey(afterMs: number): Promise<readonly string[]> {
  sent.length = 0;
  vi.advanceTimersByTime(afterMs);
  await driver.claims.survey({ queues: ['q'], kinds: ['k'] });
  return [...sent];
}

/** What is sent ahead of a claim. */
async function claim(afterMs: number): Promise<readonly string[]> {
  sent.length = 0;
  vi.advanceTimersByTime(afterMs);
  const session = driver.claims.session({ idleLimitMs: 60_000 });
  const line = { priority: -32_768, id: 0n };
  await session.claim({ queue: 'q', kinds: ['k'], line, busy: [], limit: 1 });
  const ahead = sent.filter((word) => word === 'sizes' || word === 'DISCARD PLANS');
  await session.rollback();
  return ahead;
}

async function grow(): Promise<void> {
  const client = new pg.Client(url);
  await client.connect();
  await client.query(`
    INSERT INTO rowlock.job (public_id, kind, queue, payload, available_at)
    SELECT gen_random_uuid(), 'other', 'other', 'null', now() FROM generate_series(1, 1000)`);
  await client.end();
}
