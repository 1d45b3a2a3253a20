import { createRowlock, defineHandler } from '@rowlock/core';
import { describe, expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { call, objects } from './call.js';
import { SERVERS, stages } from './servers.js';
import { silenced } from './silenced.js';

const stage = stages();

const anything = z.object({});

describe.each(SERVERS)('status on $name', (server) => {
  test('shows what waits, who works, what is paused, and what nobody serves', async () => {
    const { url, rowlock } = await stage(server);
    const empty = await call(['status'], { url });
    expect(empty.stdout).toBe('No job waits, and none came within the last hour.\n\nNo worker is alive.\n');

    const Mail = defineHandler({ kind: 'mail.send', queue: 'mail', payload: anything, run: () => null });
    const other = createRowlock({ driver: server.driver(url), handlers: [Mail] });
    onTestFinished(() => other.close());
    await other.worker({ name: 'one' }).start();
    await rowlock.enqueue({ kind: 'lost', payload: anything }, { payload: {} });
    await rowlock.as('Ada').jobs.pause({ queue: 'mail' }, { reason: 'the provider\u001b[2J is down' });
    await rowlock.enqueue(Mail, { payload: {}, delay: '1h' });

    const { code, stdout } = await call(['status'], { url });
    expect(code).toBe(0);
    expect(stdout).toMatch(/^QUEUE +KIND +DUE +OLDEST/);
    expect(stdout).toMatch(/^default +lost +1 /m);
    expect(stdout).toMatch(/^1 worker is alive\.$/m);
    expect(stdout).toMatch(/^The queue mail is paused by Ada since .*: the provider \[2J is down\.$/m);
    expect(stdout).toMatch(/^Nobody serves the kind lost in the queue default: 1 due/m);

    const [state] = objects((await call(['status', '--json'], { url })).stdout);
    expect(state).toMatchObject({
      lanes: [
        { queue: 'default', kind: 'lost', served: false },
        { queue: 'mail', kind: 'mail.send', served: true },
      ],
      workers: [{ name: 'one', alive: true }],
      pauses: [{ scope: 'queue', name: 'mail', by: 'Ada' }],
    });
  });
});

test('status goes on until Ctrl-C, and ends well', async () => {
  const { url } = await stage(SERVERS[0]);
  const ended = new AbortController();
  const watched = call(['status', '--watch', '--every', '100ms', '--json'], { url, signal: ended.signal });
  setImmediate(() => ended.abort());
  const { code, stdout } = await watched;
  expect(code).toBe(0);
  expect(objects(stdout)).toMatchObject([{ lanes: [] }]);
});

test.each(SERVERS)('Ctrl-C waits for no answer of a silent server, on $name', async (server) => {
  const { url } = await stage(server);
  const { url: way, silence } = await silenced(url);
  const ended = new AbortController();
  const watched = call(['status', '--watch', '--every', '100ms', '--json'], {
    url: way,
    signal: ended.signal,
    onWrite: () => void silence().then(() => ended.abort()),
  });
  // Not what it says when the server has not answered for long.
  expect(await watched).toMatchObject({ code: 0, stderr: '' });
});
