import { createRowlock, defineHandler, retry } from '@rowlock/core';
import { afterEach, expect, test, vi } from 'vitest';
import { z } from 'zod';
import { memory, memoryDatabase } from '../src/index.js';

const HOUR_MS = 3_600_000;

afterEach(() => {
  vi.useRealTimers();
});

test('shows real time until it is moved, and only forward', () => {
  const { clock } = memoryDatabase();
  const before = Date.now();
  expect(Math.abs(clock.now() - before)).toBeLessThan(60_000);
  clock.advance('1h');
  expect(clock.now()).toBeGreaterThanOrEqual(before + HOUR_MS - 60_000);
  expect(Number.isInteger(clock.now())).toBe(true);
});

test('frozen, only advance moves it', async () => {
  const { clock } = memoryDatabase();
  clock.freeze();
  const from = clock.now();
  await new Promise((resolve) => setTimeout(resolve, 5));
  expect(clock.now()).toBe(from);
  clock.freeze();
  clock.advance(1_500);
  expect(clock.now()).toBe(from + 1_500);
});

test('a retry waits for its pause by this clock', async () => {
  const attempts: number[] = [];
  const Flaky = defineHandler({
    kind: 'flaky',
    payload: z.null(),
    run: ({ job }) => {
      attempts.push(job.attempt);
      return job.attempt < 3 ? retry('not yet', { delay: '1h' }) : undefined;
    },
  });
  const driver = memory();
  driver.database.clock.freeze();
  const rowlock = createRowlock({ driver, handlers: [Flaky] });
  await rowlock.migrate();
  const worker = rowlock.worker();
  const runs: (() => void)[] = [];
  worker.on('settled', () => runs.shift()?.());
  await worker.start();

  const run = (): Promise<void> => new Promise((resolve) => runs.push(resolve));
  const first = run();
  const { publicId } = await rowlock.enqueue(Flaky, { payload: null });
  await first;
  const second = run();
  driver.database.clock.advance('1h');
  await second;
  driver.database.clock.advance('1h');
  expect(await driver.database.settled(publicId)).toMatchObject({ status: 'complete', attempt: 3 });
  expect(attempts).toEqual([1, 2, 3]);
  await worker.stop();
  await rowlock.close();
});

test('a worker that sleeps is woken when the clock is put forward', async () => {
  const driver = memory();
  const Later = defineHandler({ kind: 'later', payload: z.null(), run: () => {} });
  const rowlock = createRowlock({ driver, handlers: [Later] });
  await rowlock.migrate();
  const { publicId } = await rowlock.enqueue(Later, { payload: null, delay: '2h' });
  await rowlock.jobs.flush();
  // Nothing but a call brings it to look again.
  const worker = rowlock.worker({ pollInterval: '1h' });
  const idle = new Promise<void>((resolve) => worker.on('idle', resolve));
  await worker.start();
  await idle;
  driver.database.clock.advance('2h');
  expect((await driver.database.settled(publicId)).status).toBe('complete');
  await worker.stop();
  await rowlock.close();
});

test('fake timers stop neither the database nor its clock', async () => {
  vi.useFakeTimers();
  const driver = memory();
  const Plain = defineHandler({ kind: 'plain', payload: z.null(), run: () => {} });
  const rowlock = createRowlock({ driver, handlers: [Plain] });
  await rowlock.migrate();
  const worker = rowlock.worker();
  await worker.start();
  const { publicId } = await rowlock.enqueue(Plain, { payload: null, delay: '2h' });
  vi.setSystemTime(new Date('2001-01-01T00:00:00Z'));
  expect(driver.database.clock.now()).toBeGreaterThan(new Date('2020-01-01T00:00:00Z').getTime());
  driver.database.clock.advance('2h');
  expect((await driver.database.settled(publicId)).status).toBe('complete');
  await worker.stop();
  await rowlock.close();
});
