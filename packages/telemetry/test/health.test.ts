import { createRowlock } from '@rowlock/core';
import { defineHandler, memory } from '@rowlock/driver-memory';
import { expect, onTestFinished, test, vi } from 'vitest';
import { z } from 'zod';
import { health } from '../src/index.js';
import { stage } from './stage.js';

const Work = defineHandler({ kind: 'work', payload: z.object({}), run: () => {} });

test('a worker that runs is live and ready', async () => {
  const { rowlock, worker } = await stage([], [Work]);
  const checks = health(rowlock, worker);
  await worker.start();
  expect(await checks.check()).toEqual({ live: true, ready: true, reasons: [] });
});

test('a program that only enqueues is ready by its database alone', async () => {
  const { rowlock } = await stage([], [Work]);
  expect(await health(rowlock).check()).toEqual({ live: true, ready: true, reasons: [] });
});

test('a database that is not migrated is a reason, until it is', async () => {
  const driver = memory();
  const rowlock = createRowlock({ driver, handlers: [Work] });
  const checks = health(rowlock);
  const before = await checks.check();
  expect(before).toMatchObject({ live: true, ready: false });
  expect(before.reasons).toEqual([expect.stringMatching(/migrate/)]);
  await rowlock.migrate();
  expect(await checks.check()).toMatchObject({ ready: true });
  await rowlock.close();
});

test('a database that does not answer is a reason', async () => {
  const { driver, rowlock, worker } = await stage([], [Work]);
  const checks = health(rowlock, worker);
  await worker.start();
  driver.workers.list = () => Promise.reject(new Error('away'));
  expect(await checks.check()).toEqual({
    live: true,
    ready: false,
    reasons: ['The database does not answer: away'],
  });
});

test('a database that never answers is a reason after 2 s', async () => {
  const { driver, rowlock } = await stage([], [Work]);
  const checks = health(rowlock);
  await checks.check();
  driver.workers.list = () => new Promise(() => {});
  vi.useFakeTimers();
  try {
    const found = checks.check();
    await vi.advanceTimersByTimeAsync(2_000);
    expect((await found).reasons).toEqual([
      'The database does not answer: There was no answer within 2000 ms.',
    ]);
  } finally {
    vi.useRealTimers();
  }
});

test('a slow database gets one look of all probes, and another one when that has been lost', async () => {
  const { driver, rowlock } = await stage([], [Work]);
  const checks = health(rowlock);
  await checks.check();
  const { list } = driver.workers;
  const answer = Promise.withResolvers<Awaited<ReturnType<typeof list>>>();
  let looks = 0;
  driver.workers.list = () => {
    looks++;
    return answer.promise;
  };
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const probe = async () => {
    const found = checks.check();
    await vi.advanceTimersByTimeAsync(2_000);
    return (await found).ready;
  };
  for (let probes = 0; probes < 15; probes++) expect(await probe()).toBe(false);
  expect(looks).toBe(1);
  expect(await probe()).toBe(false);
  expect(looks).toBe(2);
  answer.resolve([]);
  driver.workers.list = list;
  expect(await probe()).toBe(true);
});

test('a worker that has not started is not ready, and live', async () => {
  const { rowlock, worker } = await stage([], [Work]);
  expect(await health(rowlock, worker).check()).toEqual({
    live: true,
    ready: false,
    reasons: [`The worker ${worker.name} has not started.`],
  });
});

test('a worker that is not alive for the others is not ready', async () => {
  const { driver, rowlock, worker } = await stage([], [Work]);
  const checks = health(rowlock, worker);
  await worker.start();
  const { list } = driver.workers;
  driver.workers.list = async () => (await list()).map((each) => ({ ...each, alive: false }));
  expect(await checks.check()).toEqual({
    live: true,
    ready: false,
    reasons: [`The worker ${worker.name} has lost its session with the database.`],
  });
});

test('a worker that has stopped is neither', async () => {
  const { rowlock, worker } = await stage([], [Work]);
  const checks = health(rowlock, worker);
  await worker.start();
  await worker.stop();
  expect(await checks.check()).toEqual({
    live: false,
    ready: false,
    reasons: ['The worker has stopped, and does not start again.'],
  });
});

test('/live and /ready answer with the reasons, and /live does not look at the database', async () => {
  const { driver, rowlock, worker } = await stage([], [Work]);
  const checks = health(rowlock, worker);
  await worker.start();
  const at = (path: string, method = 'GET') =>
    checks.fetch(new Request(`http://localhost${path}`, { method }));
  expect((await at('/health/ready')).status).toBe(200);
  driver.workers.list = () => Promise.reject(new Error('away'));
  const ready = await at('/ready');
  expect(ready.status).toBe(503);
  expect(await ready.json()).toMatchObject({ reasons: ['The database does not answer: away'] });
  const live = await at('/live');
  expect(live.status).toBe(200);
  expect(await live.json()).toEqual({ live: true, reasons: [] });
  expect((await at('/other')).status).toBe(404);
  expect((await at('/live', 'POST')).status).toBe(405);
  await worker.stop();
  expect((await at('/live')).status).toBe(503);
});
