import '@rowlock/servers/vitest';
import { createRowlock } from '@rowlock/core';
import { AnyJson, Flights, leastFlights, RecordedSocket } from '@rowlock/driver-conformance/internal';
import { freshDatabase } from '@rowlock/servers';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { defineHandler, postgres } from '../src/index.js';
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
  // The pool opens two, of which the first claim needs both, and a third one where these are slow.
  expect(started.connections).toBeLessThanOrEqual(4);
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

test('the first claim of a process comes after at most 14 round trips in a row, six of which make connections', async () => {
  expect(await leastFlights(14, firstClaim)).toBeLessThanOrEqual(14);
});

async function firstClaim(): Promise<number> {
  const flights = new Flights((said) => /\bjob\b[\s\S]+SKIP LOCKED/.test(said));
  const ran = Promise.withResolvers<void>();
  const Work = defineHandler({ kind: 'work', payload: AnyJson, run: () => ran.resolve() });
  const before = createRowlock({ driver: postgres({ connectionString: database.url }), handlers: [Work] });
  await before.enqueue(Work, { payload: 1 });
  await before.close();
  const driver = postgres({ connectionString: database.url, stream: () => flights.socket() });
  const rowlock = createRowlock({ driver, handlers: [Work] });
  const worker = rowlock.worker();
  await worker.start();
  await ran.promise;
  await worker.stop();
  await rowlock.close();
  return flights.count;
}
