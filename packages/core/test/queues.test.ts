import { expect, test } from 'vitest';
import { z } from 'zod';
import { createRowlock, DriverError, defineHandler } from '../src/index.js';
import { emptyDatabase, job, NOTHING } from './empty-database.js';
import { handClock } from './hand-clock.js';
import { gate, settled } from './resting-worker.js';

test('a queue in which each look fails does not keep a worker from the others', async () => {
  const ran = gate();
  const work = (queue: string) =>
    defineHandler({ kind: queue, queue, payload: z.unknown(), run: () => ran.open() });
  const jobs = [{ ...job(1n), queue: 'two', kind: 'two' }];
  const { driver } = emptyDatabase({
    claim({ queue }) {
      if (queue !== 'two') throw new DriverError('Unknown', `Nobody can look at ${queue}.`);
      return jobs.shift();
    },
    survey: () => NOTHING,
  });
  const silent = { debug() {}, info() {}, warn() {}, error() {} };
  const handlers = [work('one'), work('two'), work('three')];
  const worker = createRowlock({ driver, handlers, clock: handClock(), log: silent }).worker();
  const faults: string[] = [];
  worker.on('fault', (error) => faults.push(String(error)));
  await worker.start();
  await ran.opened;
  await settled();
  expect(faults.join()).toMatch(/one.*three|three.*one/);
  await worker.stop();
});

test('behind keys that are blocked a worker finds what is free, however long it takes to pass them', async () => {
  const clock = handClock();
  const blocked = Array.from({ length: 60 }, (_, place) => job(BigInt(place + 1), `key ${place}`));
  const all = [...blocked, job(61n)];
  const ran = gate();
  const { driver } = emptyDatabase({
    claim({ line, busy }) {
      clock.advance(13);
      return all.find(({ id, key }) => id > line.id && !busy.includes(key ?? ''));
    },
    lockSiblings: async ({ keys }) => {
      clock.advance(13);
      return all
        .filter(({ key }) => keys.includes(key ?? ''))
        .map((each) => ({ ...each, status: 'in-progress' as const }));
    },
    survey: () => ({ ...NOTHING, waiting: true }),
  });
  const handler = defineHandler({ kind: 'work', payload: z.unknown(), run: () => ran.open() });
  const silent = { debug() {}, info() {}, warn() {}, error() {} };
  const worker = createRowlock({ driver, handlers: [handler], clock, log: silent }).worker({
    concurrency: 2,
  });
  await worker.start();
  let hasRun = false;
  void ran.opened.then(() => {
    hasRun = true;
    all.pop();
  });
  for (let turns = 0; turns < 40 && !hasRun; turns++) {
    await settled();
    clock.advance(100);
  }
  expect(hasRun).toBe(true);
  await worker.stop();
});

test('delayed jobs become due in the other queues while one cannot be looked at', async () => {
  const clock = handClock();
  const work = (queue: string) => defineHandler({ kind: queue, queue, payload: z.unknown(), run: () => {} });
  const database = emptyDatabase({
    claim({ queue }) {
      if (queue === 'one') throw new DriverError('Unknown', 'Nobody can look at it.');
      return undefined;
    },
    survey: () => NOTHING,
  });
  const silent = { debug() {}, info() {}, warn() {}, error() {} };
  const handlers = [work('one'), work('two')];
  const worker = createRowlock({ driver: database.driver, handlers, clock, log: silent }).worker();
  await worker.start();
  for (let turns = 0; turns < 4; turns++) {
    await settled();
    clock.advance(50);
  }
  expect(database.surveys).toBeGreaterThan(0);
  await worker.stop();
});
