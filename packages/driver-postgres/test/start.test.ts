import '@rowlock/servers/vitest';
import { RecordedSocket } from '@rowlock/driver-conformance/internal';
import { freshDatabase } from '@rowlock/servers';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { postgres } from '../src/index.js';
import { transactionPooler } from './transaction-pooler.js';

let database: Awaited<ReturnType<typeof freshDatabase>>;

beforeAll(async () => {
  database = await freshDatabase(inject('postgresUrl'));
  const driver = postgres({ connectionString: database.url });
  await driver.schema.migrate();
  await driver.close();
});

afterAll(() => database.drop());

/** Starts as a worker does: how many connections that takes, what was said on them, and the proof that it is alive. */
async function start(url: string) {
  let said = '';
  let connections = 0;
  const stream = (): RecordedSocket => {
    connections += 1;
    return new RecordedSocket({
      sent(piece) {
        said += piece.toString('latin1');
      },
    });
  };
  const driver = postgres({ connectionString: url, stream });
  await driver.schema.verify(false);
  const anchor = await driver.workers.anchor({ name: 'w', host: 'h', pid: 1, queues: ['q'] });
  const opened = connections;
  await anchor.release();
  await driver.close();
  return { connections: opened, comparisons: said.match(/BEGIN/g)?.length ?? 0, proof: anchor.proof };
}

test('a start has one connection beside the pool, and compares no sessions where the server sees the ports of its clients', async () => {
  const started = await start(database.url);
  expect(started.proof).toBe('session');
  // The pool may open two, as what is forgotten is so beside the look at the sessions.
  expect(started.connections).toBeLessThanOrEqual(3);
  // The row lock is tried in a transaction.
  expect(started.comparisons).toBe(1);
});

test('behind a pooler the sessions are compared', async () => {
  const pooler = await transactionPooler(database.url);
  const url = new URL(database.url);
  url.hostname = pooler.host;
  url.port = String(pooler.port);
  const started = await start(url.href);
  expect(started.proof).toBe('heartbeat');
  expect(started.comparisons).toBeGreaterThan(1);
  await pooler.close();
});
