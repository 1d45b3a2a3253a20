import type { Socket } from 'node:net';
import { createRowlock } from '@rowlock/core';
import { AnyJson, Flights, leastFlights } from '@rowlock/driver-conformance/internal';
import { freshMysqlDatabase } from '@rowlock/servers';
import { expect, test } from 'vitest';
import { defineHandler, mysql } from '../src/index.js';
import { serverUrl } from './server.js';

test('the first claim of a process comes after at most 28 round trips in a row, nine of which make connections', async () => {
  expect(await leastFlights(28, firstClaim)).toBeLessThanOrEqual(28);
});

async function firstClaim(): Promise<number> {
  const fresh = await freshMysqlDatabase(serverUrl);
  const { hostname, port } = new URL(fresh.url);
  const flights = new Flights(
    (said) => /rowlock_job[\s\S]+SKIP LOCKED/.test(said),
    (said) => said.includes('SELECT SLEEP'),
  );
  const stream = (): Socket => flights.socket().connect(Number(port), hostname);
  const ran = Promise.withResolvers<void>();
  const Work = defineHandler({ kind: 'work', payload: AnyJson, run: () => ran.resolve() });
  const before = createRowlock({ driver: mysql({ uri: fresh.url }), handlers: [Work] });
  await before.migrate();
  await before.enqueue(Work, { payload: 1 });
  await before.close();
  const rowlock = createRowlock({ driver: mysql({ uri: fresh.url, stream }), handlers: [Work] });
  const worker = rowlock.worker();
  await worker.start();
  await ran.promise;
  await worker.stop();
  await rowlock.close();
  await fresh.drop();
  return flights.count;
}
