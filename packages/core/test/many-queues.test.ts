import { expect, test } from 'vitest';
import { z } from 'zod';
import type { Job } from '../src/driver.js';
import { createRowlock, DriverError, defineHandler } from '../src/index.js';
import { emptyDatabase, job, NOTHING } from './empty-database.js';
import { handClock } from './hand-clock.js';
import { settled } from './resting-worker.js';

const silent = { debug() {}, info() {}, warn() {}, error() {} };
const QUEUES = Array.from({ length: 20 }, (_, place) => `q${place}`);

/** A worker of many queues that has started. What it did is in `done`. */
async function manyQueues(dueQueues: (put: readonly Job[]) => readonly string[] = dueIn) {
  const clock = handClock();
  const done: string[] = [];
  const put: Job[] = [];
  const { driver } = emptyDatabase({
    claim({ queue }) {
      done.push(`claim in ${queue}`);
      const place = put.findIndex((each) => each.queue === queue);
      return place === -1 ? undefined : put.splice(place, 1)[0];
    },
    async dueQueues() {
      done.push('look');
      return dueQueues(put);
    },
    survey() {
      done.push('survey');
      return NOTHING;
    },
  });
  const handlers = QUEUES.map((queue) =>
    defineHandler({ kind: queue, queue, payload: z.unknown(), run: () => void done.push(`run in ${queue}`) }),
  );
  const worker = createRowlock({ driver, handlers, clock, log: silent }).worker({ concurrency: 1 });
  worker.on('idle', () => done.push('idle'));
  worker.on('fault', (error) => done.push(String(error)));
  await worker.start();
  const rests = async (): Promise<readonly string[]> => {
    for (let ms = 0; ms < 100; ms++) {
      await settled();
      clock.advance(1);
    }
    return done.splice(0);
  };
  const found = await rests();
  return { worker, put, rests, found };
}

function dueIn(put: readonly Job[]): readonly string[] {
  return put.map(({ queue }) => queue);
}

const jobIn = (queue: string): Job => ({ ...job(1n), queue, kind: queue });

test('a worker of many queues goes idle after one look and a survey', async () => {
  const { worker, found } = await manyQueues();
  expect(found).toEqual(['look', 'survey', 'idle']);
  await worker.stop();
});

test('it claims in the queues that a look has found', async () => {
  const { worker, put, rests } = await manyQueues();
  put.push(jobIn('q3'), jobIn('q17'));
  worker.wake();
  const done = await rests();
  expect(done[0]).toBe('look');
  expect(new Set(done.filter((each) => each.startsWith('claim')))).toEqual(
    new Set(['claim in q3', 'claim in q17']),
  );
  expect(done.filter((each) => each.startsWith('run'))).toEqual(['run in q3', 'run in q17']);
  expect(done.at(-1)).toBe('idle');
  await worker.stop();
});

test('it claims in the queue of a wake-up first, without a look', async () => {
  const { worker, put, rests } = await manyQueues();
  put.push(jobIn('q17'));
  worker.wake('q17');
  expect((await rests()).slice(0, 2)).toEqual(['claim in q17', 'run in q17']);
  await worker.stop();
});

test('it goes through all queues when a look fails, and looks again', async () => {
  let failures = 1;
  const { worker, found, rests } = await manyQueues((put) => {
    if (failures-- > 0) throw new DriverError('Unknown', 'The disk is full.');
    return dueIn(put);
  });
  expect(found.slice(0, 20)).toEqual(['look', ...QUEUES.slice(1).map((queue) => `claim in ${queue}`)]);
  expect(found.join()).toContain('The disk is full.');
  for (let turns = 0; turns < 20; turns++) await rests();
  worker.wake();
  expect(await rests()).toEqual(['look', 'survey', 'idle']);
  await worker.stop();
});
