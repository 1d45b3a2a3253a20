import { expect, test, vi } from 'vitest';
import { Report, stages } from './stage.js';

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
