import { defineHandler } from '@rowlock/core';
import { expect } from 'vitest';
import { KIND } from '../stage.js';
import { theme } from '../theme.js';
import { until, within } from '../until.js';
import { AnyJson, startWorker } from '../worker-process.js';

const HOUR_MS = 3_600_000;

export const dueQueues = theme('due queues', (test) => {
  test('are those with due jobs, each once', async ({ driver, queue, put }) => {
    const [some, empty, other] = [queue, `${queue}-empty`, `${queue}-Ω`];
    await put({ queue: some });
    await put({ queue: some });
    await put({ queue: other });
    const found = await driver.claims.dueQueues({ queues: [some, empty, other], kinds: [KIND] });
    expect([...found].sort()).toEqual([some, other].sort());
  });

  test('are none without queues, without kinds, and without jobs', async ({ driver, queue, put }) => {
    expect(await driver.claims.dueQueues({ queues: [queue], kinds: [KIND] })).toEqual([]);
    await put();
    expect(await driver.claims.dueQueues({ queues: [], kinds: [KIND] })).toEqual([]);
    expect(await driver.claims.dueQueues({ queues: [queue], kinds: [] })).toEqual([]);
  });

  test('include one whose job is held', async ({ driver, queue, put, hold }) => {
    await put();
    await hold();
    expect(await driver.claims.dueQueues({ queues: [queue], kinds: [KIND] })).toEqual([queue]);
  });

  test('include one whose job has a busy key', async ({ driver, queue, put, hold }) => {
    await put({ key: 'busy' });
    await put({ key: 'busy' });
    await hold();
    expect(await driver.claims.dueQueues({ queues: [queue], kinds: [KIND] })).toEqual([queue]);
  });

  test('include none with jobs of other kinds, later jobs, or settled jobs alone', async ({
    driver,
    queue,
    put,
    serve,
  }) => {
    const queues = ['kind', 'later', 'settled'].map((name) => `${queue}-${name}`);
    const [kind = '', later = ''] = queues;
    await put({ queue: kind, kind: 'other' });
    await put({ queue: later, available: { inMs: HOUR_MS } });
    await put();
    await serve();
    expect(await driver.claims.dueQueues({ queues: [...queues, queue], kinds: [KIND] })).toEqual([]);
    expect(await driver.claims.dueQueues({ queues, kinds: [KIND, 'other'] })).toEqual([kind]);
  });

  test('are found among a thousand', async ({ driver, queue, put }) => {
    const queues = Array.from({ length: 1_000 }, (_, place) => `${queue}-${place}`);
    const [first = ''] = queues;
    const last = `${queue}-999`;
    for (const each of [first, last]) await put({ queue: each });
    const kinds = queues.map((_, place) => (place === 7 ? KIND : `${KIND}-${place}`));
    const found = await driver.claims.dueQueues({ queues, kinds });
    expect([...found].sort()).toEqual([first, last].sort());
  });

  test('are served by a worker of many, and so is one whose job comes while it is idle', async (stage) => {
    const queues = Array.from({ length: 30 }, (_, place) => `${stage.queue}-${place}`);
    const ran = new Set<string>();
    const handlers = queues.map((queue) =>
      defineHandler({ kind: queue, queue, payload: AnyJson, run: () => void ran.add(queue) }),
    );
    const [first = '', second = '', third = ''] = queues.slice(-3);
    for (const queue of [first, second]) await stage.put({ queue, kind: queue });
    const { worker, rowlock } = await startWorker(stage, handlers);
    await until('the jobs have run', async () => ran.size === 2);
    const idle = new Promise((resolve) => worker.on('idle', () => resolve(true)));
    worker.wake();
    await within('the worker is idle', idle);
    const handler = handlers.find((each) => each.queue === third);
    if (handler === undefined) throw new Error('There is no third queue.');
    await rowlock.enqueue(handler, { payload: 0 });
    await until('the later job has run', async () => ran.size === 3);
    expect(ran).toEqual(new Set([first, second, third]));
  });
});
