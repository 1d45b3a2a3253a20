import { expect, test, vi } from 'vitest';
import { Mail, Report, stages } from './stage.js';

const stage = stages();

test('a schedule is previewed, run, paused, resumed and removed, and its ticks are there', async () => {
  const { rowlock, get, post } = await stage({ access: () => ({ can: 'operator', name: 'ada' }) });
  const name = 'reports / nightly';
  await rowlock.schedules.set(name, { handler: Report, payload: { of: 'yesterday' }, cron: '0 3 * * *' });
  expect(await (await get('/api/schedules')).json()).toMatchObject([
    { name, cron: '0 3 * * *', kind: 'report' },
  ]);
  const preview = await (await get(`/api/schedules/preview?${new URLSearchParams({ name })}`)).json();
  expect(preview).toHaveLength(5);
  expect(await (await post('/api/schedules/run', { name })).json()).toMatchObject({ outcome: 'enqueued' });
  await post('/api/schedules/pause', { name });
  expect(await rowlock.schedules.list()).toMatchObject([{ pausedBy: 'ada' }]);
  await post('/api/schedules/resume', { name });
  expect(await rowlock.schedules.list()).toMatchObject([{ pausedBy: null }]);
  expect((await post('/api/schedules/run', { name: 'none' })).status).toBe(404);
  const ticks = (of: string) => get(`/api/schedules/ticks?${new URLSearchParams({ name: of })}`);
  await rowlock.enqueue(Report, { payload: { of: 'no tick' } });
  expect(await (await ticks(name)).json()).toMatchObject([{ status: 'new', lateMs: 0 }]);
  expect((await ticks('none')).status).toBe(404);
  const events = await (await get('/api/events')).json();
  expect(events).toMatchObject([{ text: expect.stringContaining(`The schedule ${name} was set by `) }]);
  await post('/api/schedules/remove', { name });
  expect(await rowlock.schedules.list()).toEqual([]);
});

const MAKER = { access: () => ({ can: ['operator', 'enqueue'], name: 'Ada' }) as const };

test('a schedule is made, and changed in what is filled in, and the rest of it stays', async () => {
  const { rowlock, post, read } = await stage(MAKER);
  const set = (body: object) => post('/api/schedules/set', { priority: 0, ...body });
  const made = { name: 'hourly', kind: 'report', payload: { of: 'x' } };
  const rules = { missed: 3, overlap: 'queue', jitter: '5s', key: 'k' };
  expect((await set({ ...made, every: '1h', ...rules })).status).toBe(200);
  const [first] = await rowlock.schedules.list();
  expect(first).toMatchObject({
    ...{
      kind: 'report',
      queue: 'default',
      payload: { of: 'x' },
      everyMs: 3_600_000,
      jitterMs: 5_000,
      key: 'k',
    },
    ...{ missed: { all: { max: 3 } }, overlap: 'queue', source: 'dynamic', updatedBy: 'Ada' },
  });
  expect(await (await set({ ...made, every: '2h' })).json()).toMatchObject({ status: 409 });

  await rowlock.schedules.set('hourly', {
    ...{ handler: { ...Mail, queue: 'slow' }, payload: { to: 'ada' }, every: '1h', anchor: new Date(60_000) },
    ...{ attempts: 9, metadata: { tenant: 7 } },
  });
  const [before] = await rowlock.schedules.list();
  const change = { name: 'hourly', payload: { to: 'bob' }, priority: 4, every: '30m' };
  const outdated = await set({ ...change, updatedAt: first?.updatedAt });
  expect(await outdated.json()).toMatchObject({ status: 409, detail: expect.stringContaining('meanwhile') });
  expect((await set({ ...change, updatedAt: before?.updatedAt })).status).toBe(200);
  expect(await rowlock.schedules.list()).toMatchObject([
    {
      ...{ kind: 'mail.send', queue: 'slow', payload: { to: 'bob' }, priority: 4, maxAttempts: 9 },
      ...{ metadata: { tenant: 7 }, everyMs: 1_800_000, anchor: new Date(60_000), missed: 'once' },
    },
  ]);
  const zoned = new URLSearchParams({ cron: '0 3 * * *', timeZone: 'Asia/Tokyo', every: '', jitter: '' });
  const times = await read<readonly string[]>(`schedules/preview?${zoned}`);
  expect(times).toHaveLength(5);
  expect(times[0]).toMatch(/T18:00:00/);
});

test('what is wrong with a schedule is said, and nothing is set', async () => {
  const { rowlock, post, get } = await stage(MAKER);
  const good = { name: 'n', kind: 'report', payload: { of: 'x' }, priority: 0, cron: '0 3 * * *' };
  for (const [wrong, status] of [
    [{ kind: 'none' }, 404],
    [{ kind: undefined }, 404],
    [{ payload: undefined }, 400],
    [{ payload: { of: 7 } }, 400],
    [{ cron: '0 3 * *' }, 400],
    [{ cron: '' }, 400],
    [{ timeZone: 'Mars/Olympus' }, 400],
    [{ every: '1h' }, 400],
    [{ jitter: 'long' }, 400],
    [{ missed: 'some' }, 400],
    [{ missed: 5 }, 400],
    [{ overlap: 'some' }, 400],
  ] as const) {
    const response = await post('/api/schedules/set', { ...good, ...wrong });
    expect({ wrong, status: response.status }).toEqual({ wrong, status });
  }
  expect((await get('/api/schedules/preview?cron=none')).status).toBe(400);
  expect(await rowlock.schedules.list()).toEqual([]);
});

test.each([['operator'], [['read', 'enqueue']]] as const)('%s may set no schedule', async (can) => {
  const { rowlock, post } = await stage({ access: () => ({ can }) });
  const body = { name: 'n', kind: 'report', payload: { of: 'x' }, priority: 0, every: '1h' };
  expect((await post('/api/schedules/set', body)).status).toBe(403);
  expect(await rowlock.schedules.list()).toEqual([]);
});

test('a schedule that code declares is changed there, and a redacted payload stays', async () => {
  const { rowlock, post } = await stage({ ...MAKER, redact: () => 'hidden' });
  await rowlock.schedules.set('daily', { handler: Report, payload: { of: 'secret' }, every: '1d' });
  const [{ updatedAt } = { updatedAt: null }] = await rowlock.schedules.list();
  const body = { name: 'daily', priority: 0, every: '2d', updatedAt };
  expect((await post('/api/schedules/set', { ...body, payload: { of: 'hidden' } })).status).toBe(409);
  expect((await post('/api/schedules/set', body)).status).toBe(200);
  const [changed] = await rowlock.schedules.list();
  expect(changed).toMatchObject({ payload: { of: 'secret' }, everyMs: 172_800_000 });
  if (changed === undefined) throw new Error('There is a schedule.');
  vi.spyOn(rowlock.schedules, 'list').mockResolvedValue([{ ...changed, source: 'code' }]);
  const refused = await post('/api/schedules/set', { ...body, updatedAt: changed.updatedAt });
  expect(await refused.json()).toMatchObject({ status: 409, detail: expect.stringContaining('in code') });
});

test('a version that comes to workers of another one is a deploy among the events', async () => {
  const { rowlock, get } = await stage();
  const at = (minute: number) => new Date(`2026-01-01T12:${minute}:30Z`);
  const worker = { id: '1', host: 'h', pid: 1, queues: [], schedules: [], kinds: {}, lines: {}, running: [] };
  const view = (name: string, version: string | null, minute: number) => ({
    ...{ ...worker, name, version, startedAt: at(minute), alive: true, concurrency: 5, memory: null },
  });
  vi.spyOn(rowlock.insight, 'workers').mockResolvedValue([
    view('e', 'two', 40),
    ...[view('d', 'two', 30), view('c', 'two', 30), view('again', 'one', 30)],
    ...[view('b', 'one', 20), view('a', null, 10)],
  ]);
  expect(await (await get('/api/events')).json()).toEqual([
    { at: at(40).toISOString(), text: 'The worker e of version two started.' },
    { at: at(30).toISOString(), text: 'Version two was deployed: d, c started.' },
    { at: at(30).toISOString(), text: 'The worker again of version one started.' },
    { at: at(20).toISOString(), text: 'Version one was deployed: b started.' },
    { at: at(10).toISOString(), text: 'The worker a started.' },
  ]);
});

test('limits are set and reset', async () => {
  const { rowlock, get, post } = await stage({ access: () => ({ can: 'operator', name: 'ada' }) });
  await post('/api/limits/set', { name: 'mail', max: 3 });
  await post('/api/limits/set', { name: 'maps', starts: 100, per: 60_000, burst: 2 });
  expect(await rowlock.limits.list()).toMatchObject([
    { name: 'mail', max: 3, starts: null, setBy: 'ada' },
    { name: 'maps', max: null, starts: 100, perMs: 60_000, burst: 2 },
  ]);
  expect(await (await get('/api/limits')).json()).toMatchObject([
    { name: 'mail', max: 3, taken: 0, holders: [], waiting: { count: 0, more: false } },
    { name: 'maps', starts: 100, nextAt: null },
  ]);
  await post('/api/pause', { scope: 'all', reason: 'a deploy' });
  expect(await (await get('/api/events')).json()).toMatchObject([
    { text: 'All work was paused by ada: a deploy' },
    { text: 'The limit maps was set by ada.' },
    { text: 'The limit mail was set by ada.' },
  ]);
  await post('/api/limits/reset', { name: 'mail' });
  await post('/api/limits/reset', { name: 'maps' });
  expect(await (await get('/api/limits')).json()).toEqual([]);
  expect((await post('/api/limits/set', { name: 'mail', max: 0 })).status).toBe(400);
  expect((await post('/api/limits/set', { name: 'mail', per: 1 })).status).toBe(400);
});
