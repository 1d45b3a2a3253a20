import { expect, onTestFinished, test, vi } from 'vitest';
import { createDashboard } from '../src/index.js';
import { PERMISSIONS } from '../src/permission.js';
import { ROUTES } from '../src/routes/routes.js';
import { stages } from './stage.js';

const stage = stages();

const detail = async (response: Response): Promise<string> => JSON.parse(await response.text()).detail;

test('without `access` the dashboard is closed: the page, its files and its calls', async () => {
  const { rowlock } = await stage();
  const closed = createDashboard({ rowlock });
  for (const path of ['/', '/api/session', '/api/overview', '/assets/none.js']) {
    const response = await closed.fetch(new Request(`http://host.example${path}`));
    expect(response.status).toBe(403);
    expect(await detail(response)).toMatch(/closed/);
  }
});

test('null is 403, and so is a list without `read`', async () => {
  expect((await (await stage({ access: () => null })).get('/')).status).toBe(403);
  expect((await (await stage({ access: () => ['cancel'] })).get('/')).status).toBe(403);
});

test('a Response of `access` is the answer, e.g. a redirect to a sign-in', async () => {
  const challenge = { 'www-authenticate': 'Basic' };
  const { get } = await stage({ access: () => new Response('who?', { status: 401, headers: challenge }) });
  const response = await get('/api/session');
  expect(response.status).toBe(401);
  expect(response.headers.get('www-authenticate')).toBe('Basic');
});

test('a Response that `access` throws is the answer, as frameworks throw their redirects', async () => {
  const { get, faults } = await stage({
    access() {
      throw Response.redirect('https://host.example/sign-in', 302);
    },
  });
  for (const path of ['/', '/api/session']) {
    const response = await get(path);
    expect(response.status).toBe(302);
    expect(response.headers.get('location')).toBe('https://host.example/sign-in');
  }
  expect(faults).toEqual([]);
});

test('an error that `access` throws is a fault, also one with a status and headers, as clients of HTTP throw', async () => {
  const thrown = Object.assign(new Error('no user service'), { status: 200, headers: new Headers() });
  const { get, faults } = await stage({ access: () => Promise.reject(thrown) });
  expect((await get('/')).status).toBe(500);
  expect(faults).toMatchObject([{ err: { message: 'no user service' } }]);
});

test('a Response of another make is the answer, too', async () => {
  const { status, headers, body } = new Response('who?', { status: 401, headers: { 'x-why': 'sign in' } });
  // biome-ignore lint/suspicious/noExplicitAny: as that of another copy of undici, which is no instance of this one's class.
  const other: any = { status, headers, body };
  const { get } = await stage({ access: () => other });
  const response = await get('/api/session');
  expect({ status: response.status, why: response.headers.get('x-why') }).toEqual({
    status: 401,
    why: 'sign in',
  });
});

test.each([
  [false],
  [null],
  [undefined],
  [0],
  [''],
  [[]],
  [{ can: null }],
  [{ can: [] }],
  [[null]],
  [{ can: 'operator', queues: [] }],
  [{ can: 'operator', queues: ['mail'], kinds: [] }],
])('`access` that returns %j opens nothing', async (returned) => {
  // biome-ignore lint/suspicious/noExplicitAny: as of JavaScript.
  const grant: any = returned;
  const { get, faults } = await stage({ access: () => grant });
  for (const path of ['/', '/api/session', '/api/jobs']) expect((await get(path)).status).toBe(403);
  expect(faults).toEqual([]);
});

test.each([
  [true],
  [1],
  ['admin'],
  ['constructor'],
  ['toString'],
  [Symbol.iterator],
  [{}],
  [{ can: true }],
  [{ can: 'x' }],
  [{ can: {} }],
  [{ can: 'operator', queues: undefined }],
  [{ can: 'operator', queues: null }],
  [{ can: 'operator', queues: 'mail' }],
  [{ can: 'operator', kinds: ['mail.send', 7] }],
  [{ can: 'operator', kinds: [''] }],
  [{ can: 'operator', queues: Array.from({ length: 101 }, (_, n) => `q${n}`) }],
  [{ can: 'operator', queue: ['mail'] }],
])('`access` that returns %s opens nothing, and the log says why', async (returned) => {
  // biome-ignore lint/suspicious/noExplicitAny: as of JavaScript.
  const grant: any = returned;
  const { get, faults } = await stage({ access: () => grant });
  for (const path of ['/', '/api/session']) expect((await get(path)).status).toBe(403);
  expect(faults).toMatchObject([{ status: 403 }, { status: 403 }]);
});

test('a Response whose body was sent before, and one that cannot be sent, are faults with a sentence', async () => {
  const constant = new Response('who?', { status: 401 });
  const { get, faults } = await stage({ access: () => constant });
  expect(await (await get('/')).text()).toBe('who?');
  expect((await get('/')).status).toBe(500);
  expect(faults).toMatchObject([{ err: { message: expect.stringContaining('a new one for each request') } }]);
  const broken = await stage({ access: () => Response.error() });
  expect((await broken.get('/')).status).toBe(500);
  expect(broken.faults).toHaveLength(1);
  const again = Response.redirect('https://host.example/sign-in', 302);
  const redirected = await stage({ access: () => again });
  for (const path of ['/', '/api/session']) expect((await redirected.get(path)).status).toBe(302);
});

test('`access` that never answers is a 503 after a time, and is logged', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const { get, faults } = await stage({ access: () => new Promise(() => {}) });
  const answered = get('/');
  await vi.advanceTimersByTimeAsync(10_000);
  const response = await answered;
  expect(response.status).toBe(503);
  expect(await detail(response)).toBe('`access` gave no answer within 10 s.');
  expect(faults).toMatchObject([{ status: 503 }]);
});

test('a log that throws changes no answer', async () => {
  const refuse = (): never => {
    throw new Error('no');
  };
  const { get } = await stage({ access: refuse, log: { error: refuse } });
  expect((await get('/')).status).toBe(500);
  const { get: ofOddGrant } = await stage({ access: () => Object(true), log: { error: refuse } });
  expect((await ofOddGrant('/')).status).toBe(403);
});

test.each([
  ['', 'dashboard'],
  ['ada\0', 'ada'],
  ['x'.repeat(500), 'x'.repeat(128)],
  ['ada \ud83d', 'ada \ufffd'],
  [7, 'dashboard'],
])('whoever has the name %j may pause, by a name that the database keeps', async (name, kept) => {
  const { post, rowlock } = await stage({ access: () => ({ can: 'operator', ...Object({ name }) }) });
  expect((await post('/api/pause', { scope: 'all' })).status).toBe(200);
  expect(await rowlock.jobs.pauses()).toMatchObject([{ by: kept }]);
});

test('`access` gets the headers of the request', async () => {
  const { get } = await stage({
    access: ({ headers }) => (headers.get('cookie') === 'session=1' ? 'read-only' : null),
  });
  expect((await get('/api/session')).status).toBe(403);
  const response = await get('/api/session', { headers: { cookie: 'session=1' } });
  expect(await response.json()).toEqual({
    ...{ name: 'dashboard', can: ['read'], redacted: false },
    ...{ queues: null, kinds: null },
  });
});

test('a fault of `access` opens nothing, and is logged', async () => {
  const broken = new Error('the session store is away');
  const { get, faults } = await stage({
    access: () => {
      throw broken;
    },
  });
  const response = await get('/');
  expect(response.status).toBe(500);
  expect(await response.text()).not.toContain('session store');
  expect(faults).toEqual([{ err: broken, status: 500 }]);
});

const changes = Object.entries(ROUTES).filter(([name]) => name.startsWith('POST '));

test.each(changes)('%s needs its permission at the call', async (name, { permission }) => {
  const others = PERMISSIONS.filter((each) => each !== permission);
  const { post } = await stage({ access: () => others });
  const response = await post(`/api/${name.slice('POST '.length)}`, {});
  expect(response.status).toBe(403);
  expect(await detail(response)).toBe(`You need the permission "${permission}" for this.`);
});

test('every call that changes something needs more than `read`, and every other one `read`', () => {
  for (const [name, { permission }] of Object.entries(ROUTES))
    expect(permission === 'read').toBe(name.startsWith('GET '));
});
