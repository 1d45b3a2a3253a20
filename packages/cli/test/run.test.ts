import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { call, objects } from './call.js';
import { SERVERS, stages } from './servers.js';

const stage = stages();

const HANDLERS = fileURLToPath(new URL('handlers.ts', import.meta.url));
const Mail = { kind: 'mail', payload: z.object({ to: z.string() }) };
const Refused = { ...Mail, kind: 'refused', queue: 'mail', attempts: 1 };

describe.each(SERVERS)('on $name', (server) => {
  test('the handlers and plugins of a module work until no job is due', async () => {
    const { url, rowlock } = await stage(server);
    const enqueued = await rowlock.enqueueMany(Mail, [
      { payload: { to: 'ada' } },
      { payload: { to: 'bob' } },
    ]);
    await rowlock.enqueue(Mail, { payload: { to: 'eve' }, delay: '1h' });
    const { code, stdout } = await call(['run', HANDLERS, '--until-idle'], { url });
    expect({ code, stdout }).toEqual({ code: 0, stdout: '2 jobs completed, 0 failed.\n' });
    expect(await rowlock.find(enqueued[0]?.publicId ?? '')).toMatchObject({
      status: 'complete',
      output: 'sent to ada',
    });
    expect((await rowlock.jobs.count({ status: 'new' })).count).toBe(1);
  });

  test('a job that failed is exit code 1, and other queues are left alone', async () => {
    const { url, rowlock } = await stage(server);
    await rowlock.enqueue(Refused, { payload: { to: 'ada' } });
    const alone = ['run', HANDLERS, '--until-idle', '--queue', 'default', '--json'];
    expect(objects((await call(alone, { url })).stdout)).toEqual([{ completed: 0, failed: 0 }]);
    const { code, stdout } = await call(['run', HANDLERS, '--until-idle', '--json'], { url });
    expect({ code, sums: objects(stdout) }).toEqual({ code: 1, sums: [{ completed: 0, failed: 1 }] });
  });
});

test('Ctrl-C stops the worker', async () => {
  const { url, rowlock } = await stage(SERVERS[0]);
  const ended = new AbortController();
  const running = call(['run', HANDLERS, '--program-version', '4f2c9d1'], { url, signal: ended.signal });
  const { publicId } = await rowlock.enqueue(Mail, { payload: { to: 'ada' } });
  await rowlock.settled(publicId, { timeout: '60s' });
  ended.abort();
  expect(await running).toMatchObject({ code: 0, stdout: '1 job completed, 0 failed.\n' });
  expect(await rowlock.insight.workers()).toMatchObject([{ alive: false, version: '4f2c9d1' }]);
});

test.each([
  ['nowhere.ts', 1, /nowhere\.ts cannot be imported/],
  [fileURLToPath(new URL('call.ts', import.meta.url)), 2, /exports no handler and no plugin/],
])('%s is no program', async (module, code, text) => {
  const called = await call(['run', module], { url: 'postgres://localhost:1/x' });
  expect(called).toEqual({ code, stdout: '', stderr: expect.stringMatching(text) });
});
