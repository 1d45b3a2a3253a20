import { createRowlock, defineHandler, defineSchedule, type Enqueueable } from '@rowlock/core';
import { describe, expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { call, objects } from './call.js';
import { SERVERS, stages } from './servers.js';

const stage = stages();

const Mail = { kind: 'mail.send', queue: 'mail', payload: z.object({}) } satisfies Enqueueable;

describe.each(SERVERS)('on $name', (server) => {
  test('work is paused with a reason and an end, and resumed', async () => {
    const { url, rowlock } = await stage(server);
    const said = await call(['pause', 'queue', 'mail', '--until', '10m', '--reason', 'down'], { url });
    expect(said.stdout).toMatch(/^Paused until .*Z\.\n$/);
    await call(['pause', 'all'], { url });
    expect(await rowlock.jobs.pauses()).toMatchObject([
      { scope: 'all', until: null, by: expect.stringContaining('@') },
      { scope: 'queue', name: 'mail', reason: 'down', until: expect.any(Date) },
    ]);
    expect(objects((await call(['pauses', '--json'], { url })).stdout)).toMatchObject([
      { scope: 'all' },
      { scope: 'queue', name: 'mail' },
    ]);
    await call(['resume', 'queue', 'mail'], { url });
    await call(['resume', 'all'], { url });
    expect((await call(['pauses'], { url })).stdout).toBe('Nothing is paused.\n');
  });

  test('what a command changes is on record with the name of who uses it', async () => {
    const { url, rowlock } = await stage(server);
    const { publicId } = await rowlock.enqueue(Mail, { payload: {} });
    await call(['pause', 'queue', 'mail'], { url });
    await call(['jobs', 'cancel', publicId, '--as', 'Ada'], { url });
    await call(['jobs', 'redrive', '--queue', 'mail', '--status', 'cancelled', '--yes', '--as', 'Ada'], {
      url,
    });
    await call(['limits', 'set', 'maps', '--max', '2', '--as', 'Ada'], { url });
    const shown = async (...words: string[]) =>
      objects((await call(['audit', '--json', ...words], { url })).stdout);
    expect(await shown('--by', 'Ada')).toMatchObject([
      { action: 'set', scope: 'limit', name: 'maps', details: { max: 2 } },
      { action: 'redrive', scope: 'jobs', details: { changed: 1, filter: { queue: 'mail' } } },
      { action: 'cancel', scope: 'job', name: publicId },
    ]);
    expect(await shown('--scope', 'queue', '--name', 'mail')).toMatchObject([
      { action: 'pause', by: expect.stringContaining('@') },
    ]);
    const table = (await call(['audit', '--limit', '1'], { url })).stdout;
    expect(table).toMatch(/limit maps/);
    expect(table).toMatch(/--cursor \d+/);
    expect((await call(['audit', '--by', 'nobody'], { url })).stdout).toBe(
      'No operator has done anything like this.\n',
    );
    expect(await call(['audit', '--action', 'destroy'], { url })).toMatchObject({ code: 2 });
  });

  test.each(['2020-01-01', '0s', '2026-01-01T00:00Z'])('a pause until %s is no pause', async (until) => {
    const { url, rowlock } = await stage(server);
    expect(await call(['pause', 'all', '--until', until], { url })).toEqual({
      code: 2,
      stdout: '',
      stderr: expect.stringContaining('a time that is still to come'),
    });
    expect(await rowlock.jobs.pauses()).toEqual([]);
  });

  test('Ctrl-C before anything was changed says so', async () => {
    const { url, rowlock } = await stage(server);
    const { publicId } = await rowlock.enqueue(Mail, { payload: {} });
    const interrupted = new AbortController();
    interrupted.abort();
    for (const args of [
      ['jobs', 'cancel', '--queue', 'mail', '--yes'],
      ['jobs', 'cancel', '--queue', 'mail', '--dry-run'],
      ['jobs', 'redrive', '--queue', 'mail', '--yes'],
      ['jobs', 'delete', '--queue', 'mail', '--yes'],
      ['jobs', 'enqueue', 'mail.send', '-'],
      ['prune', '--complete', '1d', '--yes'],
    ])
      expect([args, await call(args, { url, signal: interrupted.signal })]).toEqual([
        args,
        { code: 1, stdout: '', stderr: 'Stopped. Nothing was changed.\n' },
      ]);
    expect(await call(['jobs', 'cancel', publicId], { url, signal: interrupted.signal })).toEqual({
      code: 1,
      stdout: '',
      stderr: 'Stopped. The last 1 job stayed as they were.\n',
    });
    expect(await rowlock.find(publicId)).toMatchObject({ status: 'new' });
  });

  test('limits are set, listed and reset', async () => {
    const { url, rowlock } = await stage(server);
    const set = ['limits', 'set', 'google'];
    expect((await call([...set, '--max', '3'], { url })).stdout).toBe('The limit google allows 3 at once.\n');
    expect(await rowlock.limits.list()).toMatchObject([{ name: 'google', max: 3, starts: null }]);
    const all = [...set, '--max', '3', '--starts', '60', '--per', '1m', '--burst', '5'];
    expect((await call(all, { url })).stdout).toBe(
      'The limit google allows 3 at once, and 60 starts in 1 min, 5 of them at once.\n',
    );
    expect(await rowlock.limits.list()).toMatchObject([
      { name: 'google', max: 3, starts: 60, perMs: 60_000, burst: 5 },
    ]);
    expect((await call(['limits', 'list'], { url })).stdout).toMatch(/google +3 +0 +60 +1 min +5 /);
    await call(['limits', 'reset', 'google'], { url });
    expect((await call(['limits', 'list', '--json'], { url })).stdout).toBe('');
    expect((await call(['limits', 'list'], { url })).stdout).toMatch(/^No limit is in use/);
    expect(await call([...set, '--starts', '60'], { url })).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('has starts without per'),
    });
  });

  test('schedules are listed, previewed, run, paused, resumed and removed', async () => {
    const { url, rowlock } = await stage(server);
    const Nightly = defineSchedule({
      handler: Mail,
      payload: {},
      cron: '0 3 * * *',
      timeZone: 'Europe/Berlin',
    });
    await rowlock.schedules.set('nightly', Nightly);
    expect((await call(['schedules', 'list'], { url })).stdout).toMatch(
      /nightly +mail\.send +0 3 \* \* \* +Europe/,
    );
    const previewed = objects(
      (await call(['schedules', 'preview', 'nightly', '--count', '2', '--json'], { url })).stdout,
    );
    expect(previewed).toMatchObject([{ name: 'nightly' }, { name: 'nightly' }]);
    expect((await call(['schedules', 'run', 'nightly'], { url })).stdout).toMatch(/^Job .* is enqueued\.\n$/);
    expect((await rowlock.jobs.count({ kind: 'mail.send' })).count).toBe(1);
    await call(['schedules', 'pause', 'nightly'], { url });
    expect((await call(['schedules', 'list'], { url })).stdout).toMatch(/paused by .*@/);
    await call(['schedules', 'resume', 'nightly'], { url });
    expect(await rowlock.schedules.list()).toMatchObject([{ name: 'nightly', pausedAt: null }]);
    expect(await call(['schedules', 'remove', 'nightly'], { url })).toMatchObject({ code: 0 });
    expect(await call(['schedules', 'remove', 'nightly'], { url })).toMatchObject({ code: 1 });
    expect(await call(['schedules', 'pause', 'nightly'], { url })).toMatchObject({
      code: 1,
      stderr: 'There is no schedule "nightly".\n',
    });
  });

  test('queues and workers are shown', async () => {
    const { url, rowlock } = await stage(server);
    const handler = defineHandler({ ...Mail, run: () => null });
    const other = createRowlock({ driver: server.driver(url), handlers: [handler] });
    onTestFinished(() => other.close());
    await other.worker({ name: 'one', version: '4f2a' }).start();
    await rowlock.jobs.pause({ queue: 'lost' });
    await rowlock.enqueueMany({ ...Mail, queue: 'lost' }, [{ payload: {} }, { payload: {}, delay: '1h' }]);
    expect(objects((await call(['queues', '--json'], { url })).stdout)).toMatchObject([
      { queue: 'lost', due: { count: 1 }, delayed: { count: 1 }, workers: 0, paused: true },
      { queue: 'mail', due: { count: 0 }, workers: 1, paused: false },
    ]);
    expect((await call(['queues'], { url })).stdout).toMatch(/^lost +1 .* 0 +yes$/m);
    expect((await call(['workers'], { url })).stdout).toMatch(/^one .* 4f2a +yes .* 0\/5 .* MB +mail$/m);
    expect(objects((await call(['workers', '--json'], { url })).stdout)).toMatchObject([
      { name: 'one', alive: true, version: '4f2a', concurrency: 5, memory: expect.any(Number) },
    ]);
  });

  test('the history is pruned once somebody has agreed to the number', async () => {
    const { url, rowlock } = await stage(server);
    await rowlock.enqueueMany(
      Mail,
      Array.from({ length: 5 }, () => ({ payload: {} })),
    );
    await rowlock.jobs.cancelMany({ queue: 'mail' });
    await rowlock.enqueue(Mail, { payload: {} });
    const left = async () => (await rowlock.jobs.count()).count;
    const prune = ['prune', '--keep', '3', '--cancelled', '1h'];
    expect((await call([...prune, '--dry-run'], { url })).stdout).toBe('This would delete 2 jobs.\n');
    expect(await call(prune, { url })).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('delete 2 jobs'),
    });
    expect(await left()).toBe(6);
    expect((await call([...prune, '--yes'], { url })).stdout).toBe('2 jobs are deleted.\n');
    expect(await left()).toBe(4);
    // Each job counts once, though both rules mean it.
    const both = ['prune', '--keep', '0', '--cancelled', '0s', '--queue', 'mail'];
    expect(objects((await call([...both, '--dry-run', '--json'], { url })).stdout)).toEqual([{ found: 3 }]);
    expect((await call([...both, '--yes', '--json'], { url })).stdout).toBe('{"pruned":3}\n');
    expect(await left()).toBe(1);
  });
});

test.each([
  [['pause', 'queue'], /Which queue\?/],
  [['pause', 'all', 'mail'], /takes no name/],
  [['pause', 'worker', 'one'], /Allowed choices are queue, kind, limit, all/],
  [['pause', 'queue', 'mail', '--until', 'soon'], /It takes a time like/],
  [['limits', 'set', 'google', '--max', 'many'], /whole number/],
  [['limits', 'set', 'google', '--starts', '5', '--per', 'minute'], /a duration like/],
  [['prune', '--complete', 'old'], /a duration like/],
])('%j is misuse', async (args, text) => {
  expect(await call(args, { url: 'postgres://localhost:1/x' })).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(text),
  });
});

test('without a rule nothing is pruned', async () => {
  const { url } = await stage(SERVERS[0]);
  expect(await call(['prune', '--yes'], { url })).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('There is no rule to prune by'),
  });
});
