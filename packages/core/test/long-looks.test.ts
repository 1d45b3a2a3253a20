import { expect, test } from 'vitest';
import { z } from 'zod';
import type { ClaimCriteria, Job } from '../src/driver.js';
import { createRowlock, defineHandler } from '../src/index.js';
import { emptyDatabase, job, NOTHING } from './empty-database.js';
import { handClock } from './hand-clock.js';
import { settled } from './resting-worker.js';

const silent = { debug() {}, info() {}, warn() {}, error() {} };
const LOOK_MS = 600;
const FIRST = 1_000n;

/** One slot looks at all jobs of the first queue, and a wake-up brings another that does so in the second: nobody looks at all. */
test('while looking at all jobs takes long, jobs become due all the same', async () => {
  const clock = handClock();
  const surveys: number[] = [];
  const begun = new Set<string>();
  const after = (ms: number) => new Promise<void>((resolve) => void clock.after(ms, resolve));
  const { driver } = emptyDatabase({
    async claim({ queue, line }: ClaimCriteria) {
      const isLook = line.id < FIRST;
      if (isLook && queue === 'one') clock.after(10, () => worker.wake());
      await after(isLook ? LOOK_MS : 1);
      if (begun.has(queue)) return undefined;
      begun.add(queue);
      return { ...job(FIRST), queue, kind: queue };
    },
    survey() {
      surveys.push(clock.now());
      return { ...NOTHING, nextDueMs: 2_000 };
    },
  });
  const handlers = ['one', 'two'].map((queue) =>
    defineHandler({ kind: queue, queue, payload: z.unknown(), run: () => {} }),
  );
  const worker = createRowlock({ driver, handlers, clock, log: silent }).worker({ pollInterval: '5s' });
  await worker.start();
  let isStopped = false;
  for (let ms = 0; !isStopped; ms += 10) {
    if (ms === 30_000) void worker.stop().then(() => (isStopped = true));
    await settled();
    clock.advance(10);
  }
  const gaps = surveys.slice(1).map((at, place) => at - (surveys[place] ?? 0));
  expect(surveys.length).toBeGreaterThan(8);
  expect(Math.max(...gaps)).toBeLessThan(4_000);
});

test('while a look at all jobs takes very long, what comes next is run all the time', async () => {
  const clock = handClock();
  const after = (ms: number) => new Promise<void>((resolve) => void clock.after(ms, resolve));
  const jobs: Job[] = [];
  const [slowFrom, slowMs, endsAt] = [1_000, 12_000, 20_000];
  let slow = 0;
  const { driver } = emptyDatabase({
    async claim({ line }: ClaimCriteria) {
      const isSlow = line.id < FIRST && clock.now() > slowFrom;
      if (isSlow) slow += 1;
      await after(isSlow ? slowMs : 1);
      return isSlow ? undefined : jobs.shift();
    },
    survey: () => NOTHING,
  });
  const handler = defineHandler({ kind: 'work', payload: z.unknown(), run: () => after(15) });
  const worker = createRowlock({ driver, handlers: [handler], clock, log: silent }).worker({
    concurrency: 5,
    pollInterval: '5s',
  });
  const runs: number[] = [];
  worker.on('run', () => runs.push(clock.now()));
  await worker.start();
  let isStopped = false;
  for (let ms = 0; !isStopped; ms += 5) {
    if (ms % 20 === 0 && ms < endsAt) {
      jobs.push(job(FIRST + BigInt(ms)));
      worker.wake();
    }
    if (ms === endsAt) void worker.stop().then(() => (isStopped = true));
    await settled();
    clock.advance(5);
  }
  expect(slow).toBeGreaterThan(1);
  const perSecond = Array.from(
    { length: endsAt / 1_000 },
    (_, second) => runs.filter((at) => Math.floor(at / 1_000) === second).length,
  );
  expect(Math.min(...perSecond)).toBeGreaterThan(40);
});
