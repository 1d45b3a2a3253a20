import { expect, test } from 'vitest';
import type { Job, Reclaimed, ReclaimScope } from '../src/driver.js';
import { DriverError } from '../src/index.js';
import { type Answers, job, NOTHING } from './empty-database.js';
import { handClock } from './hand-clock.js';
import { gate, restingWorker, settled } from './resting-worker.js';

/** A worker both of whose slots run until `end` is opened, and what it asked to put back since. */
async function busyWorker(reclaim: (scope: ReclaimScope) => Promise<Reclaimed>) {
  const end = gate();
  const asked: (readonly string[])[] = [];
  const answers: Partial<Answers> = {
    reclaim(scope) {
      asked.push(scope.dead);
      return reclaim(scope);
    },
  };
  const hand = await restingWorker({ answers, concurrency: 2, runs: () => end.opened });
  hand.jobs.push(job(1n), job(2n));
  hand.worker.wake();
  await settled();
  expect(hand.seen().running).toBe(2);
  const pass = async (ms: number) => {
    hand.clock.advance(ms);
    await settled();
  };
  return { ...hand, end, asked, pass };
}

test('while all slots run, what a dead worker has leased is put back when it was seen without a session for a second', async () => {
  const { worker, end, asked, pass } = await busyWorker(async ({ dead }) => ({
    reclaimed: dead.length,
    missing: ['w4'],
    own: [],
    refused: [],
  }));
  await pass(249);
  expect(asked).toEqual([]);
  await pass(1);
  for (let looks = 1; looks <= 4; looks++) await pass(250);
  expect(asked).toEqual([[], [], [], [], ['w4']]);
  end.open();
  await worker.stop();
});

test('while all slots run, there is one look for dead workers at a time, one in 250 ms, and none once the worker stops', async () => {
  const answer = gate();
  const { worker, end, asked, pass } = await busyWorker(async () => {
    if (asked.length === 3) await answer.opened;
    return { reclaimed: 0, missing: [], own: [], refused: [] };
  });
  for (let ms = 0; ms < 749; ms += 7) await pass(7);
  expect(asked).toHaveLength(2);
  for (const ms of [1_000, 1_000, 1_000]) await pass(ms);
  expect(asked).toHaveLength(3);
  answer.open();
  await settled();
  await pass(250);
  expect(asked).toHaveLength(4);
  const stopped = worker.stop();
  await settled();
  await pass(1_000);
  end.open();
  await stopped;
  await pass(1_000);
  expect(asked).toHaveLength(4);
});

test('while all slots run, a look for dead workers that fails is told of, and made again', async () => {
  const { worker, end, asked, pass } = await busyWorker(async () => {
    if (asked.length === 1) throw new DriverError('ConnectionLost', 'The cable was pulled.');
    return { reclaimed: 0, missing: [], own: [], refused: [] };
  });
  const faults: unknown[] = [];
  worker.on('fault', (error) => faults.push(error));
  // The look, the longest pause after a fault, and the look after that.
  for (const ms of [250, 1_000, 250]) await pass(ms);
  expect(faults).toHaveLength(1);
  expect(asked).toHaveLength(2);
  end.open();
  await worker.stop();
});

test('where no slot works, nobody looks for dead workers when nothing is leased', async () => {
  const asked: unknown[] = [];
  const reclaim = async (scope: ReclaimScope): Promise<Reclaimed> => {
    asked.push(scope);
    return { reclaimed: 0, missing: [], own: [], refused: [] };
  };
  const {
    clock,
    worker,
    jobs,
    idle,
    asked: queried,
  } = await restingWorker({ answers: { reclaim }, concurrency: 1 });
  jobs.push(job(1n));
  const rests = idle();
  worker.wake();
  await rests;
  const { looks } = queried();
  for (let quarter = 0; quarter < 40; quarter++) {
    clock.advance(250);
    await settled();
  }
  expect({ asked, looks: queried().looks }).toEqual({ asked: [], looks });
  await worker.stop();
});

test('where each answer takes long, what a dead worker has leased is put back as well', async () => {
  let leased = true;
  const slow = <Answer>(answer: Answer): Answer => {
    clock.advance(150);
    return answer;
  };
  const answers: Partial<Answers> = {
    claim: () => slow(jobs.shift()),
    survey: () => slow({ ...NOTHING, leased }),
    reclaim: async ({ dead }) => {
      leased &&= !dead.includes('w4');
      return slow({ reclaimed: dead.length, missing: leased ? ['w4'] : [], own: [], refused: [] });
    },
  };
  let clock = handClock();
  const jobs: Job[] = [];
  const hand = await restingWorker({ answers });
  clock = hand.clock;
  jobs.push(job(1n));
  hand.worker.wake();
  for (let looks = 0; looks < 40 && leased; looks++) {
    await settled();
    clock.advance(100);
  }
  expect(leased).toBe(false);
  await hand.worker.stop();
});
