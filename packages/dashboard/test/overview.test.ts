import { DriverError, type Stored } from '@rowlock/core';
import { expect, test, vi } from 'vitest';
import type { OverviewView } from '../src/views.js';
import { Mail, stages } from './stage.js';

const stage = stages();

type Overview = Stored<OverviewView>;

test('the queues and kinds, the workers and the pauses', async () => {
  const { rowlock, read } = await stage();
  await rowlock.enqueueMany(Mail, [{ payload: { to: 'ada' } }, { payload: { to: 'bob' } }]);
  await rowlock.as('ada').jobs.pause({ queue: 'mail' }, { reason: 'the provider is down' });
  const found = await read<Overview>('overview');
  expect(found.lanes).toEqual([
    expect.objectContaining({
      queue: 'mail',
      kind: 'mail.send',
      due: { count: 2, more: false },
      paused: 2,
      served: false,
      history: { due: [2], settled: [0] },
    }),
  ]);
  expect(found.pauses).toEqual([expect.objectContaining({ scope: 'queue', name: 'mail', by: 'ada' })]);
});

test('captures whose triggers are not as they should be, where the account may see triggers', async () => {
  const { rowlock, read, faults } = await stage();
  expect(await read('captures')).toEqual([]);
  const well = { name: 'items', problems: [], warnings: [] };
  const ill = {
    name: 'orders',
    problems: [{ code: 'missing', message: 'No trigger.' }],
    warnings: [],
  } as const;
  const check = vi.spyOn(rowlock.captures, 'check').mockResolvedValue([well, ill]);
  expect(await read('captures?again')).toEqual([ill]);
  check.mockRejectedValue(new DriverError('PermissionDenied', 'This account may not see the triggers.'));
  expect(await read('captures?denied')).toEqual([]);
  expect(faults).toEqual([]);
});

test('all viewers share one look, and nothing is read when nobody looks', async () => {
  const { rowlock, get } = await stage();
  const looks = vi.spyOn(rowlock.insight, 'stats');
  await Promise.all(Array.from({ length: 20 }, () => get('/api/overview')));
  await get('/api/overview');
  expect(looks).toHaveBeenCalledTimes(1);
});

test('viewers who ask for the same jobs share a look too, and so do those of one job', async () => {
  const { rowlock, get } = await stage();
  const { publicId } = await rowlock.enqueue(Mail, { payload: { to: 'ada' } });
  const [lists, explanations] = [vi.spyOn(rowlock.jobs, 'list'), vi.spyOn(rowlock.insight, 'explain')];
  for (const address of ['jobs?queue=mail', 'errors?queue=mail', `job?id=${publicId}`])
    await Promise.all(Array.from({ length: 5 }, () => get(`/api/${address}`)));
  expect([lists.mock.calls.length, explanations.mock.calls.length]).toEqual([2, 1]);
  await get('/api/jobs?queue=other');
  expect(lists).toHaveBeenCalledTimes(3);
});

test('after a change the next look is a new one', async () => {
  const { read, post } = await stage();
  expect((await read<Overview>('overview')).pauses).toEqual([]);
  await post('/api/pause', { scope: 'kind', name: 'report', reason: 'wrong figures' });
  const [pause] = (await read<Overview>('overview')).pauses;
  expect(pause).toMatchObject({ scope: 'kind', name: 'report', by: 'dashboard', reason: 'wrong figures' });
  await post('/api/resume', { scope: 'kind', name: 'report' });
  expect((await read<Overview>('overview')).pauses).toEqual([]);
});

test('a pause has the name that `access` gives, and an end', async () => {
  const { rowlock, post } = await stage({ access: () => ({ can: 'operator', name: 'ada' }) });
  const until = new Date(Date.now() + 3_600_000);
  await post('/api/pause', { scope: 'all', until });
  expect(await rowlock.jobs.pauses()).toMatchObject([{ scope: 'all', by: 'ada', until }]);
});

test('an error of the database is shown, and ends by itself', async () => {
  const { rowlock, get, faults } = await stage();
  const stats = vi.spyOn(rowlock.insight, 'stats').mockRejectedValue(new Error('away'));
  const response = await get('/api/overview');
  expect(response.status).toBe(500);
  expect(faults).toHaveLength(1);
  stats.mockRestore();
  expect((await get('/api/overview')).status).toBe(200);
});

test('a database that never answers gets one look, and each viewer a sentence', async () => {
  const { rowlock, get } = await stage();
  const never = new Promise<never>(() => {});
  const stats = vi.spyOn(rowlock.insight, 'stats').mockReturnValue(never);
  vi.spyOn(rowlock.insight, 'workers').mockReturnValue(never);
  vi.spyOn(rowlock.jobs, 'pauses').mockReturnValue(never);
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  try {
    const first = get('/api/overview');
    const second = get('/api/overview');
    await vi.advanceTimersByTimeAsync(10_000);
    expect((await first).status).toBe(503);
    expect(await (await second).text()).toContain('The database gave no answer within 10 s.');
    expect(stats).toHaveBeenCalledTimes(1);
  } finally {
    vi.useRealTimers();
  }
});

test('a count that never ends is a 503 after 10 s', async () => {
  const { rowlock, get } = await stage();
  vi.spyOn(rowlock.jobs, 'count').mockReturnValue(new Promise<never>(() => {}));
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  try {
    const counted = get('/api/jobs/count');
    await vi.advanceTimersByTimeAsync(10_000);
    expect(await (await counted).text()).toContain('The database gave no answer within 10 s.');
  } finally {
    vi.useRealTimers();
  }
});
