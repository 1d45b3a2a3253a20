import { expect, test } from 'vitest';
import { z } from 'zod';
import type { ClaimSession, Job } from '../src/driver.js';
import { createRowlock, DriverError, defineHandler } from '../src/index.js';
import { emptyDatabase, job, NOTHING } from './empty-database.js';
import { handClock } from './hand-clock.js';
import { gate, settled } from './resting-worker.js';

const silent = { debug() {}, info() {}, warn() {}, error() {} };

type Finish = ClaimSession<unknown>['finish'];

/** A worker with one slot on a database that commits at once, and is on its disk when the test says so, or never is. */
async function slotOn(disk: (flush: number) => Promise<void>, jobs: Job[]) {
  const ran: string[] = [];
  const told: string[] = [];
  let flushes = 0;
  const finish: Finish = async (settlements, committed) => {
    const flush = flushes++;
    committed?.();
    await disk(flush);
    return settlements.map(({ id }) => id);
  };
  const { driver } = emptyDatabase({ claim: () => jobs.shift(), survey: () => NOTHING, finish });
  const Work = defineHandler({
    kind: 'work',
    payload: z.unknown(),
    batch: 1,
    run: ({ job: { publicId } }) => void ran.push(publicId),
  });
  const worker = createRowlock({
    driver: { ...driver, capabilities: { ...driver.capabilities, chains: true } },
    handlers: [Work],
    clock: handClock(),
    log: silent,
  }).worker({ concurrency: 1 });
  worker.on('settled', (run) => void told.push(`settled ${run.jobs}`));
  worker.on('lost', (run) => void told.push(`lost ${run.jobs}`));
  await worker.start();
  await settled();
  return { worker, ran, told };
}

const names = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, place) => `job ${from + place}`);

test('a slot goes on when a settlement is committed, tells of it when it is on the disk, and goes on with four of them at most', async () => {
  const flushed = gate();
  const jobs = Array.from({ length: 10 }, (_, place) => job(BigInt(place + 1)));
  const { worker, ran, told } = await slotOn(() => flushed.opened, jobs);
  // The last of these waits for the first one's flush.
  expect(ran).toEqual(names(1, 5));
  expect(told).toEqual([]);
  flushed.open();
  await settled();
  expect(ran).toEqual(names(1, 10));
  expect(told).toEqual(names(1, 10).map((name) => `settled ${name}`));
  await worker.stop();
});

test('a worker that stops waits for what is on its way to the disk', async () => {
  const flushed = gate();
  const { worker, told } = await slotOn(() => flushed.opened, [job(1n)]);
  let isStopped = false;
  const stopped = worker.stop().then(() => (isStopped = true));
  await settled();
  expect([isStopped, told]).toEqual([false, []]);
  flushed.open();
  await stopped;
  expect(told).toEqual(['settled job 1']);
});

test('a run of which nobody can tell whether it is on the disk is lost, and keeps no other from being settled', async () => {
  const { worker, told } = await slotOn(
    async (flush) => {
      if (flush === 0) throw new DriverError('ConnectionLost', 'The server has gone.');
    },
    [job(1n), job(2n)],
  );
  expect(told).toEqual(['lost job 1', 'settled job 2']);
  await worker.stop();
});
