import { expect, test } from 'vitest';
import { z } from 'zod';
import type { ClaimCriteria, Job } from '../src/driver.js';
import { createRowlock, defineHandler } from '../src/index.js';
import { emptyDatabase, job, NOTHING } from './empty-database.js';
import { handClock } from './hand-clock.js';
import { settled } from './resting-worker.js';

const silent = { debug() {}, info() {}, warn() {}, error() {} };

test('while jobs go in batches, one claim that hangs keeps no other slot from its work, in no queue', async () => {
  const clock = handClock();
  const after = (ms: number) => new Promise<void>((resolve) => void clock.after(ms, resolve));
  const jobs = new Map<string, Job[]>();
  let hung = 0;
  async function claim({ queue, limit }: ClaimCriteria): Promise<readonly Job[]> {
    const hangs = hung === 0 && limit > 1 && queue === 'one' && clock.now() > 500;
    if (hangs) hung = clock.now();
    await after(hangs ? 20_000 : 1);
    return hangs ? [] : (jobs.get(queue) ?? []).splice(0, limit);
  }
  const { driver } = emptyDatabase({ claim: () => undefined, session: { claim }, survey: () => NOTHING });
  const handlers = ['one', 'two'].map((queue) =>
    defineHandler({ kind: queue, queue, batch: 100, payload: z.unknown(), run: () => {} }),
  );
  const rowlock = createRowlock({ driver, handlers, clock, log: silent });
  const worker = rowlock.worker({ concurrency: 3 });
  const runs = new Map<string, number[]>([
    ['one', [0]],
    ['two', [0]],
  ]);
  worker.on('run', ({ queue }) => runs.get(queue)?.push(clock.now()));
  await worker.start();
  let id = 0n;
  let isStopped = false;
  for (let ms = 0; !isStopped; ms += 2) {
    if (ms % 20 === 0 && ms < 4_000) {
      for (const queue of runs.keys()) {
        const some = Array.from({ length: 8 }, () => ({ ...job(++id), queue, kind: queue }));
        jobs.set(queue, [...(jobs.get(queue) ?? []), ...some]);
      }
      worker.wake();
    }
    if (ms === 4_000) void worker.stop().then(() => (isStopped = true));
    await settled();
    clock.advance(2);
  }
  expect(hung).toBeGreaterThan(0);
  for (const times of runs.values()) {
    const gaps = times.slice(1).map((at, place) => at - (times[place] ?? 0));
    expect(Math.max(...gaps)).toBeLessThan(500);
    expect(times.length).toBeGreaterThan(1_500);
  }
});
