import { once } from 'node:events';
import { createServer } from 'node:http';
import { connect } from 'node:net';
import pg from 'pg';
import { describe, expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { call, objects } from './call.js';
import { SERVERS, stages } from './servers.js';

const stage = stages();

/** A dashboard that listens. `end` is Ctrl-C, and resolves with what was printed. */
async function dashboard(url: string, ...args: string[]) {
  const ended = new AbortController();
  const printed = Promise.withResolvers<string>();
  const called = call(['dashboard', '--json', ...args], {
    url,
    signal: ended.signal,
    onWrite: printed.resolve,
  });
  const end = () => {
    ended.abort();
    return called;
  };
  onTestFinished(async () => {
    await end();
  });
  const [line] = objects(await Promise.race([printed.promise, called.then(({ stdout }) => stdout)]));
  return { address: new URL(String(line?.url)), end };
}

/** Follows the printed address as a browser does. Returns the cookie that it keeps. */
async function enter(address: URL): Promise<string> {
  const response = await fetch(address, { redirect: 'manual' });
  expect([response.status, response.headers.get('location')]).toEqual([303, './']);
  const cookie = response.headers.get('set-cookie') ?? '';
  expect(cookie).toMatch(/^rowlock-\d+=[\w-]{32}; HttpOnly; SameSite=Lax; Path=\/$/);
  return cookie.split(';')[0] ?? '';
}

describe.each(SERVERS)('on $name', (server) => {
  test('the printed address opens the dashboard, and a cookie keeps it open', async () => {
    const { url, rowlock } = await stage(server);
    const { publicId } = await rowlock.enqueue({ kind: 'mail', payload: z.object({}) }, { payload: {} });
    const { address, end } = await dashboard(url);
    const headers = { cookie: await enter(address) };
    expect(await (await fetch(new URL('/', address), { headers })).text()).toContain('<title>');
    const jobs = await fetch(new URL('/api/jobs', address), { headers });
    expect(await jobs.json()).toMatchObject({ jobs: [{ publicId }] });
    const cancelled = await fetch(new URL('/api/job/cancel', address), {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify({ id: publicId }),
    });
    expect(cancelled.status).toBe(200);
    expect(await rowlock.find(publicId)).toMatchObject({ status: 'cancelled' });
    expect(await end()).toMatchObject({ code: 0, stderr: '' });
    await expect(fetch(address)).rejects.toThrow();
  });
});

test('without the token, or with another one, nothing is shown', async () => {
  const { url } = await stage(SERVERS[0]);
  const { address } = await dashboard(url);
  const other = new URL('/?token=wrong', address);
  for (const [path, headers] of [
    ['/', {}],
    ['/api/jobs', {}],
    [other.pathname + other.search, {}],
    ['/', { cookie: `rowlock-${address.port}=wrong` }],
  ] as const) {
    const response = await fetch(new URL(path, address), { headers });
    expect(response.status).toBe(403);
    expect(await response.text()).toContain('Open the address that `rowlock dashboard` has printed.');
  }
});

test('with --read-only nothing can be changed', async () => {
  const { url } = await stage(SERVERS[0]);
  const { address } = await dashboard(url, '--read-only');
  const headers = { cookie: await enter(address) };
  const session = await fetch(new URL('/api/session', address), { headers });
  expect(await session.json()).toMatchObject({ can: ['read'] });
  const pause = await fetch(new URL('/api/pause', address), {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify({ scope: 'all' }),
  });
  expect(pause.status).toBe(403);
});

test('people get the address in a sentence, and an open connection does not keep the command', async () => {
  const { url } = await stage(SERVERS[0]);
  const ended = new AbortController();
  const printed = Promise.withResolvers<string>();
  const called = call(['dashboard'], { url, signal: ended.signal, onWrite: printed.resolve });
  const address = /^The dashboard is at (http:\/\/127\.0\.0\.1:(\d+)\/\?token=\S+)\n/.exec(
    await printed.promise,
  );
  const socket = connect(Number(address?.[2]), '127.0.0.1');
  await once(socket, 'connect');
  const closed = once(socket, 'close');
  ended.abort();
  expect(await called).toMatchObject({ code: 0, stderr: '' });
  await closed;
});

test('a port that is taken is one sentence', async () => {
  const { url } = await stage(SERVERS[0]);
  const other = createServer().listen(0, '127.0.0.1');
  onTestFinished(() => void other.close());
  await once(other, 'listening');
  const address = other.address();
  const port = typeof address === 'object' ? address?.port : 0;
  expect(await call(['dashboard', '--port', String(port)], { url })).toEqual({
    code: 1,
    stdout: '',
    stderr: `Another program has the port ${port}. Pass another one, or no --port.\n`,
  });
});

test('a database that is not there, or that this account may not read, is one sentence', async () => {
  const gone = await call(['dashboard'], { url: 'postgres://ada@127.0.0.1:1/jobs' });
  expect(gone).toMatchObject({ code: 1, stdout: '', stderr: expect.stringMatching(/ECONNREFUSED[^\n]*\n$/) });
  const { url } = await stage(SERVERS[0]);
  const role = `stranger_${process.pid}`;
  const owner = new pg.Client({ connectionString: url });
  await owner.connect();
  onTestFinished(async () => {
    await owner.query(`DROP ROLE ${role}`);
    await owner.end();
  });
  await owner.query(`CREATE ROLE ${role} LOGIN PASSWORD 'secret'`);
  const strange = Object.assign(new URL(url), { username: role, password: 'secret' });
  const refused = await call(['dashboard'], { url: String(strange) });
  expect(refused).toMatchObject({ code: 1, stdout: '' });
  expect(refused.stderr).toMatch(/permission denied[^\n]*\n$/);
});

test.each([['x'], ['65536'], ['-1']])('%s is no port', async (port) => {
  expect(await call(['dashboard', `--port=${port}`], { url: 'postgres://localhost/x' })).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/whole number/),
  });
});
