import { once } from 'node:events';
import { get, type IncomingHttpHeaders } from 'node:http';
import { POSTGRES } from '@rowlock/app-shared/testing';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startFrontEnd } from '../src/web/front-end.js';
import { type OrderSearch, startOrderSearch } from './support/order-search.js';

let app: OrderSearch;
const stops: (() => Promise<void>)[] = [];

beforeAll(async () => {
  app = await startOrderSearch(POSTGRES, 10);
});
afterAll(async () => {
  await Promise.all(stops.map((stop) => stop()));
  await app.stop();
});

async function start(dashboard: boolean): Promise<string> {
  const web = await app.parts.both((rowlock, store) =>
    startFrontEnd(
      { host: '127.0.0.1', port: 0, dashboard, drainMs: 1_000 },
      rowlock,
      store,
      pino({ level: 'silent' }),
    ),
  );
  stops.push(() => web.stop());
  return web.address;
}

/** `fetch` lets nobody set the host. */
async function statusOf(address: string, headers: IncomingHttpHeaders = {}): Promise<number | undefined> {
  const [response] = await once(get(`${address}/rowlock/api/session`, { headers }), 'response');
  response.resume();
  return response.statusCode;
}

test('there is no dashboard unless the settings say so', async () => {
  expect(await statusOf(await start(false))).toBe(404);
});

test('the dashboard is for this machine alone, under its own name and without a proxy', async () => {
  const address = await start(true);
  expect(await statusOf(address)).toBe(200);
  expect(await statusOf(address, { host: `localhost:${new URL(address).port}` })).toBe(200);
  expect(await statusOf(address, { host: 'evil.example' })).toBe(403);
  expect(await statusOf(address, { 'x-forwarded-for': '203.0.113.7' })).toBe(403);
});
