import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { z } from 'zod';
import { call, objects } from './call.js';
import { SERVERS, stages } from './servers.js';

const stage = stages();

const CLI = fileURLToPath(new URL('../dist/cli.js', import.meta.url));
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

/** A module in a folder whose name has a blank and an umlaut. */
async function moduleOf(files: Readonly<Record<string, string>>): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'für rowlock '));
  onTestFinished(() => rm(folder, { recursive: true }));
  for (const [name, code] of Object.entries(files)) await writeFile(join(folder, name), code);
  return join(folder, 'program.mjs');
}

test.each([
  [
    'that throws',
    "\nthrow new Error('no settings');",
    /: no settings \(.*für rowlock [^/]*\/part\.mjs:2\)\n$/,
  ],
  [
    'with a mistake',
    'export const work = ;',
    /: Unexpected token ';' \(to see where, run: node .*\/program\.mjs\)\n$/,
  ],
  ['that throws no error', 'throw null;', /: null\n$/],
])('the place is said of a part of a program %s', async (_, part, text) => {
  const module = await moduleOf({ 'program.mjs': "export * from './part.mjs';", 'part.mjs': part });
  // By Node itself, which names places in another way than the tests' import.
  const called = promisify(execFile)(process.execPath, [CLI, 'run', module]);
  await expect(called).rejects.toMatchObject({ code: 1, stderr: expect.stringMatching(text) });
});

test('a program that is long in its import is said to be', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const module = await moduleOf({
    'program.mjs': 'await new Promise((go) => { globalThis.awaited(go) });',
  });
  const go = new Promise<() => void>((awaited) => vi.stubGlobal('awaited', awaited));
  onTestFinished(() => void vi.unstubAllGlobals());
  const called = call(['run', module], { url: 'postgres://localhost:1/x' });
  const end = await go;
  vi.advanceTimersByTime(10_000);
  end();
  expect(await called).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(
      /program\.mjs is still being imported: .*\n.* exports no handler and no plugin/,
    ),
  });
});
