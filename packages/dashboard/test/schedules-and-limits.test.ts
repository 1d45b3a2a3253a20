import { expect, test } from 'vitest';
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
