import { createRowlock, DriverError } from '@rowlock/core';
import { postgres } from '@rowlock/driver-postgres';
import { expect, onTestFinished, test, vi } from 'vitest';
import { problemOf } from '../src/http/problem.js';
import { createDashboard } from '../src/index.js';
import { stages } from './stage.js';

const stage = stages();

test('a path outside of the base path is not answered', async () => {
  const { dashboard } = await stage();
  for (const path of ['/', '/ops', '/ops/rowlocks', '/ops/rowlocks/'])
    expect((await dashboard.fetch(new Request(`http://host.example${path}`))).status).toBe(404);
});

test('the base path without its slash leads to the page by a relative address, as a proxy may have a path in front', async () => {
  const { get } = await stage();
  const response = await get('?screen=jobs');
  expect(response.status).toBe(308);
  expect(response.headers.get('location')).toBe('rowlock/?screen=jobs');
});

test.each([
  ['/ops:rowlock', '/ops:rowlock', './ops:rowlock/'],
  ['/ops/böse', '/ops/b%C3%B6se', 'b%C3%B6se/'],
])('the base path %s without its slash leads to the page', async (basePath, path, location) => {
  const { dashboard } = await stage({ basePath });
  const response = await dashboard.fetch(new Request(`http://host.example${path}`));
  expect(response.headers.get('location')).toBe(location);
  expect((await dashboard.fetch(new Request(new URL(location, `http://host.example${path}`)))).status).toBe(
    200,
  );
});

test.each([
  ['/team', '/team/ops/rowlock/'],
  ['/team/', '/team/ops/rowlock/'],
  ['/a, /b', '/a/b/ops/rowlock/'],
  ['//evil.example', 'rowlock/'],
  ['https://evil.example', 'rowlock/'],
  ['/"><script>', 'rowlock/'],
  ['/\\evil.example', 'rowlock/'],
  ['', 'rowlock/'],
])('behind a proxy that takes off a prefix, %j, a program is led to %s', async (prefix, location) => {
  const { dashboard } = await stage();
  const request = new Request('http://host.example/ops/rowlock', {
    headers: { 'x-forwarded-prefix': prefix },
  });
  expect((await dashboard.fetch(request)).headers.get('location')).toBe(location);
});

test('the page has the address that it has for the browser, as far as the proxy says it', async () => {
  const { dashboard } = await stage({ basePath: '/' });
  const page = async (prefix: string) => {
    const headers = { 'x-forwarded-prefix': prefix, 'accept-encoding': 'gzip' };
    return (await dashboard.fetch(new Request('http://host.example/', { headers }))).text();
  };
  expect(await page('/team')).toContain('<head><base href="/team/">');
  for (const odd of ['/"><script>', '//evil.example', "/' onload='x", '/&quot;'])
    expect(await page(odd)).not.toContain('<base');
});

test('the dashboard may be at the root', async () => {
  const { dashboard } = await stage({ basePath: '/' });
  expect((await dashboard.fetch(new Request('http://host.example/'))).status).toBe(200);
  expect((await dashboard.fetch(new Request('http://host.example/api/session'))).status).toBe(200);
});

test('a base path without a slash in front is refused', async () => {
  const { rowlock } = await stage();
  expect(() => createDashboard({ rowlock, basePath: 'rowlock' })).toThrow(/begin with a slash/);
});

test('every answer has a strict content policy, and is not kept', async () => {
  const { get } = await stage();
  for (const path of ['/', '/api/session', '/api/none', '/none.txt']) {
    const { headers } = await get(path);
    expect(headers.get('content-security-policy')).toMatch(/^default-src 'none'; script-src 'self';/);
    expect(headers.get('content-security-policy')).not.toContain('unsafe');
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('cache-control')).toBe('no-store');
  }
});

test('the files of the page are kept by the browser under their hashed names', async () => {
  const { get } = await stage();
  const page = await (await get('/')).text();
  const files = [...page.matchAll(/"\.\/(assets\/[^"]+)"/g)].map(([, name]) => name);
  expect(files.length).toBeGreaterThanOrEqual(2);
  for (const file of files) {
    const response = await get(`/${file}`);
    expect(response.status).toBe(200);
    expect(response.headers.get('cache-control')).toBe('private, max-age=31536000, immutable');
  }
  expect(page).not.toMatch(/<style|style=|<script(?![^>]*src=)/);
});

test('a path that leads out of the folder finds nothing', async () => {
  const { get } = await stage();
  for (const path of ['/..%2f..%2fpackage.json', '/assets/..%2f..%2fpackage.json', '/%2e%2e/package.json'])
    expect((await get(path)).status).toBe(404);
});

test.each([
  ['a page of another site', { 'sec-fetch-site': 'cross-site' }],
  ['a page of another subdomain', { 'sec-fetch-site': 'same-site' }],
  ['another origin, where the browser says no more', { origin: 'http://evil.example' }],
  ['an origin that is null', { origin: 'null' }],
  ['another port of its host', { origin: 'http://host.example:8080' }],
  ['a host that ends like its own', { origin: 'http://evil-host.example' }],
  ['a host of which its own is a part', { origin: 'http://host.example.evil.example' }],
  [
    'another host than the proxies know',
    { origin: 'https://evil.example', 'x-forwarded-host': 'a.example, b.example' },
  ],
  [
    'another host than Forwarded says',
    { origin: 'https://evil.example', forwarded: 'host=public.example;for=evil.example' },
  ],
  [
    'an address that Forwarded has for something else',
    { origin: 'https://1.2.3.4', forwarded: 'for=1.2.3.4;host=public.example' },
  ],
  [
    'an address within a text of Forwarded',
    { origin: 'https://evil.example', forwarded: 'for="x;host=evil.example";host=public.example' },
  ],
  ['a file', { origin: 'file://' }],
  ['a file, behind a proxy', { origin: 'file://', 'x-forwarded-host': 'public.example,' }],
  ['an extension of the browser', { origin: 'chrome-extension://host.example' }],
  ['another host that Forwarded has unquoted', { origin: 'http://[::1]', forwarded: 'host=[::1' }],
  ['another port than the proxy says', { origin: 'http://host.example:8080', 'x-forwarded-port': '8081' }],
])('a change from %s is refused', async (_, headers) => {
  const { get } = await stage();
  const response = await get('/api/resume', {
    method: 'POST',
    body: JSON.stringify({ scope: 'all' }),
    headers: { 'content-type': 'application/json', ...headers },
  });
  expect(response.status).toBe(403);
  expect(await response.text()).toContain('This request came from another site.');
});

test.each([
  ['its own page', { 'sec-fetch-site': 'same-origin' }],
  ['its own origin', { origin: 'http://host.example' }],
  [
    'its own origin behind a proxy',
    { origin: 'https://public.example', 'x-forwarded-host': 'public.example' },
  ],
  ['its own origin in capitals', { origin: 'http://HOST.example' }],
  [
    'its own origin, with the port of https in the host',
    { origin: 'https://host.example', host: 'host.example:443' },
  ],
  [
    'its own origin, with the port of http in the host',
    { origin: 'http://host.example', host: 'Host.Example:80' },
  ],
  ['its own origin on a port', { origin: 'http://host.example:3000', host: 'host.example:3000' }],
  ['its own origin by its IPv6 address', { origin: 'http://[::1]:3000', host: '[::1]:3000' }],
  [
    'its own origin behind two proxies',
    { origin: 'https://public.example', 'x-forwarded-host': 'public.example, inner.example' },
  ],
  [
    'its own origin behind two proxies, the outer one last',
    { origin: 'https://public.example', 'x-forwarded-host': 'inner.example,Public.Example:443' },
  ],
  [
    'its own origin behind a proxy that names the port',
    { origin: 'https://public.example', 'x-forwarded-host': 'public.example:443' },
  ],
  [
    'its own origin behind a proxy with a port of its own',
    { origin: 'https://public.example:8443', 'x-forwarded-host': 'public.example:8443' },
  ],
  [
    'its own origin behind a proxy that leaves the port out',
    { origin: 'http://host.example:8080', 'x-forwarded-port': '8080' },
  ],
  [
    'its own origin behind a proxy that leaves out the port of its host',
    {
      origin: 'https://public.example:8443',
      'x-forwarded-host': 'public.example',
      'x-forwarded-port': '8443',
    },
  ],
  [
    'its own origin by Forwarded',
    {
      origin: 'https://public.example',
      forwarded: 'for=192.0.2.60;proto=https;by=203.0.113.43;host=public.example',
    },
  ],
  [
    'its own origin by Forwarded, quoted, with a port',
    { origin: 'https://public.example', forwarded: 'for="[2001:db8::1]:4711"; Host="Public.Example:443"' },
  ],
  [
    'its own origin by Forwarded of two proxies',
    {
      origin: 'https://public.example',
      forwarded: 'for=192.0.2.43;host=public.example, for="[2001:db8::17]";host=inner.example',
    },
  ],
  [
    'its own origin by Forwarded, with quoted characters',
    { origin: 'https://public.example', forwarded: 'host="public\\.example"' },
  ],
  [
    'its own origin by Forwarded, behind a text with a comma',
    { origin: 'https://public.example', forwarded: 'for="a,b;c";host=public.example' },
  ],
  [
    'its own origin behind a proxy that names the port beside another one',
    {
      origin: 'https://public.example',
      'x-forwarded-host': 'public.example:8080',
      'x-forwarded-port': '443',
    },
  ],
  [
    'its own origin by an IPv6 address behind a proxy',
    {
      origin: 'https://[2001:db8::1]:8443',
      'x-forwarded-host': '[2001:db8::1]',
      'x-forwarded-port': '8443',
    },
  ],
  [
    'its own origin by Forwarded with an IPv6 address',
    { origin: 'http://[::1]', forwarded: 'Host="[::1]:80"' },
  ],
  [
    'its own origin in punycode',
    { origin: 'https://xn--bcher-kva.example', 'x-forwarded-host': 'xn--bcher-kva.example' },
  ],
  ['its own page, whose origin is hidden', { origin: 'null', 'sec-fetch-site': 'same-origin' }],
  ['a program', {}],
])('a change from %s is made', async (_, headers) => {
  const { get } = await stage();
  const response = await get('/api/resume', {
    method: 'POST',
    body: JSON.stringify({ scope: 'all' }),
    headers: { 'content-type': 'application/json', ...headers },
  });
  expect(response.status).toBe(200);
});

test.each([
  [415, 'scope=all', 'application/x-www-form-urlencoded'],
  [415, '{"scope":"all"}', 'text/plain'],
  [400, '{"scope":', 'application/json'],
  [400, '[]', 'application/json'],
  [400, 'null', 'application/json'],
  [400, '{"scope":7}', 'application/json'],
  [400, '{"scope":"everything"}', 'application/json'],
  [400, '{"scope":"queue"}', 'application/json'],
  [400, '{"scope":"queue","name":""}', 'application/json'],
  [400, '{"scope":"all","until":"2020-01-01T00:00:00Z"}', 'application/json'],
  [413, `{"scope":"${'a'.repeat(4 * 1024 * 1024)}"}`, 'application/json'],
])('%i for a body that is wrong', async (status, body, type) => {
  const { get } = await stage();
  const response = await get('/api/pause', { method: 'POST', body, headers: { 'content-type': type } });
  expect(response.status).toBe(status);
  expect(response.headers.get('content-type')).toBe('application/problem+json');
  expect(await response.json()).toMatchObject({ status, detail: expect.any(String) });
});

test.each([
  ['GET', '/api/none', 404],
  ['GET', '/api/constructor', 404],
  ['GET', '/api/pause', 405],
  ['POST', '/api/overview', 405],
  ['POST', '/', 405],
])('%s %s is answered by %i', async (method, path, status) => {
  const { get } = await stage();
  expect((await get(path, { method })).status).toBe(status);
});

test('a job that another transaction has is a conflict, with the sentence that says to try again', () => {
  const locked = new DriverError('LockTimeout', 'Another transaction has locked it. Try again.');
  expect(problemOf(locked)).toMatchObject({ status: 409, detail: locked.message });
});

test('a person who follows a link reads a sentence', async () => {
  const { get } = await stage({ access: () => null });
  const response = await get('/', { headers: { accept: 'text/html,*/*' } });
  expect(await response.text()).toBe('You have no access to this dashboard.\n');
});

test('a closed dashboard answers nothing more', async () => {
  const { dashboard, get, faults } = await stage();
  dashboard.close();
  for (const path of ['/api/session', '/api/jobs']) expect((await get(path)).status).toBe(503);
  expect(faults).toHaveLength(1);
});

test('a database that is away is logged once a minute, however many pages are open', async () => {
  const driver = postgres({ connectionString: 'postgres://nobody@127.0.0.1:1/none' });
  const rowlock = createRowlock({ driver, handlers: [] });
  onTestFinished(() => rowlock.close());
  const faults: object[] = [];
  const log = { error: (fields: object) => faults.push(fields) };
  const dashboard = createDashboard({ rowlock, access: () => 'operator', log });
  const look = async (): Promise<void> => {
    for (const path of ['jobs', 'schedules', 'jobs?kind=mail']) {
      const response = await dashboard.fetch(new Request(`http://host.example/api/${path}`));
      expect(response.status).toBe(503);
    }
  };
  await look();
  expect(faults).toEqual([{ err: expect.objectContaining({ code: 'ConnectionLost' }), status: 503 }]);
  const real = performance.now.bind(performance);
  vi.spyOn(performance, 'now').mockImplementation(() => real() + 60_000);
  onTestFinished(() => void vi.restoreAllMocks());
  await look();
  expect(faults).toHaveLength(2);
});
