import { expect, test } from 'vitest';
import type { ClaimSession } from '../src/driver.js';
import { DriverError } from '../src/index.js';
import { job } from './empty-database.js';
import { oneSlot } from './one-slot.js';
import { gate, settled } from './resting-worker.js';

/** Settlements that are durable when this says so. */
const settles = (disk: (place: number) => Promise<void>): Partial<ClaimSession<unknown>> => {
  let place = 0;
  return {
    async finish(settlements) {
      await disk(place++);
      return { settled: settlements.map(({ id }) => id), next: null };
    },
  };
};

test('a settlement is reported when it is durable, and then its slot goes on', async () => {
  const durable = gate();
  const session = settles(() => durable.opened);
  const { worker, emitted } = await oneSlot({ jobs: [job(1n), job(2n)], answers: { session } });
  expect(emitted).toEqual(['run job 1']);
  durable.open();
  await settled();
  expect(emitted).toEqual(['run job 1', 'settled job 1', 'run job 2', 'settled job 2']);
  await worker.stop();
});

test('a worker that stops waits for a settlement that is on its way', async () => {
  const durable = gate();
  const session = settles(() => durable.opened);
  const { worker, emitted } = await oneSlot({ jobs: [job(1n)], answers: { session } });
  let isStopped = false;
  const stopped = worker.stop().then(() => (isStopped = true));
  await settled();
  expect({ isStopped, emitted }).toEqual({ isStopped: false, emitted: ['run job 1'] });
  durable.open();
  await stopped;
  expect(emitted).toEqual(['run job 1', 'settled job 1']);
});

test('a run whose settlement may not be durable is lost, and keeps no other from being settled', async () => {
  const session = settles(async (place) => {
    if (place === 0) throw new DriverError('ConnectionLost', 'The server has gone.');
  });
  const { worker, emitted } = await oneSlot({ jobs: [job(1n), job(2n)], answers: { session } });
  expect(emitted).toEqual(['run job 1', 'lost job 1', 'run job 2', 'settled job 2']);
  await worker.stop();
});
