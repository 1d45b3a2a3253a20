import { once } from 'node:events';
import { createServer, type RequestListener, request } from 'node:http';
import { addressOf } from '@rowlock/app-shared/testing';
import { afterEach, expect, test } from 'vitest';
import { node } from '../src/index.js';
import { Report, stages } from './stage.js';

const stage = stages();

const servers: ReturnType<typeof createServer>[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close().closeAllConnections();
});

async function listen(listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, '127.0.0.1');
  servers.push(server);
  await once(server, 'listening');
  return addressOf(server);
}

const JSON_TYPE = { 'content-type': 'application/json' };

test("Node's own server serves the page, its files and its calls", async () => {
  const { rowlock, dashboard } = await stage();
  const address = `${await listen(node(dashboard))}/ops/rowlock`;
  const page = await (await fetch(address)).text();
  const [, file] = /src="\.\/(assets\/[^"]+)"/.exec(page) ?? [];
  expect(await (await fetch(`${address}/${file}`)).text()).not.toBe('');
  expect((await fetch(`${address}/`, { method: 'HEAD' })).headers.get('content-type')).toMatch(/html/);

  const { publicId: id } = await rowlock.enqueue(Report, { payload: { of: 'x' } });
  const cancelled = await fetch(`${address}/api/job/cancel`, {
    method: 'POST',
    headers: JSON_TYPE,
    body: JSON.stringify({ id }),
  });
  expect(await cancelled.json()).toEqual({ outcome: 'cancelled' });
});

test('each header of an answer is sent, also one that is there several times', async () => {
  const cookies = [
    'session=1; HttpOnly; Path=/',
    'state=2; Expires=Thu, 01 Jan 2099 00:00:00 GMT',
    'theme=dark',
  ];
  const headers = new Headers({ location: '/sign-in', vary: 'cookie' });
  for (const cookie of cookies) headers.append('set-cookie', cookie);
  headers.append('vary', 'accept');
  const { dashboard } = await stage({ access: () => new Response(null, { status: 303, headers }) });
  // What stood in front has a cookie of its own.
  const address = await listen((req, res) => {
    res.setHeader('set-cookie', ['before=0']);
    node(dashboard)(req, res);
  });
  const response = await fetch(`${address}/ops/rowlock/`, { redirect: 'manual' });
  expect(response.status).toBe(303);
  expect(response.headers.getSetCookie()).toEqual(['before=0', ...cookies]);
  expect(response.headers.get('vary')).toBe('cookie, accept');
});

test('a request that cannot be answered gets an answer all the same', async () => {
  const { dashboard } = await stage();
  const { port } = new URL(await listen(node(dashboard)));
  const traced = request({ host: '127.0.0.1', port, method: 'TRACE', path: '/ops/rowlock/' }).end();
  expect((await once(traced, 'response'))[0].statusCode).toBe(400);
  const locked = new Response('who?');
  locked.body?.getReader();
  const address = await listen(node({ fetch: async () => locked }));
  expect((await fetch(address)).status).toBe(500);
});

test('a router in front may shorten the path, and read the body', async () => {
  const { rowlock, dashboard } = await stage();
  const handler = node(dashboard);
  const address = await listen(async (req, res) => {
    const chunks = await req.toArray();
    const { url: originalUrl = '' } = req;
    const url = originalUrl.replace('/ops/rowlock', '');
    const body: unknown = chunks.length > 0 ? JSON.parse(Buffer.concat(chunks).toString()) : undefined;
    handler(Object.assign(req, { originalUrl, url, body }), res);
  });
  const response = await fetch(`${address}/ops/rowlock/api/pause`, {
    method: 'POST',
    headers: JSON_TYPE,
    body: JSON.stringify({ scope: 'kind', name: 'report' }),
  });
  expect(response.status).toBe(200);
  expect(await rowlock.jobs.pauses()).toMatchObject([{ scope: 'kind', name: 'report' }]);
});
