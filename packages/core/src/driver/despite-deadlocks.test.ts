import { expect, test } from 'vitest';
import { despiteDeadlocks } from './despite-deadlocks.js';
import { DriverError } from './driver-error.js';

/** Work that fails this many times, and how often it was called. */
function failing(times: number, error: unknown) {
  const world = { calls: 0 };
  const work = async () => {
    world.calls += 1;
    if (world.calls <= times) throw error;
    return 'done';
  };
  return { world, work };
}

const deadlock = new DriverError('Deadlock', 'Two transactions wait for each other.');

test('what a deadlock has ended is done again, after a pause that grows', async () => {
  const { world, work } = failing(9, deadlock);
  const pauses: number[] = [];
  const wait = async (ms: number) => void pauses.push(ms);
  expect(await despiteDeadlocks(work, wait)).toBe('done');
  expect(world.calls).toBe(10);
  expect(pauses).toHaveLength(9);
  expect(Math.max(...pauses.slice(0, 2))).toBeLessThan(100);
  expect(pauses[8]).toBeGreaterThan(500);
});

test('but not for ever', async () => {
  const { world, work } = failing(10, deadlock);
  await expect(despiteDeadlocks(work, async () => {})).rejects.toBe(deadlock);
  expect(world.calls).toBe(10);
});

test('what fails otherwise is not', async () => {
  const lost = new DriverError('ConnectionLost', 'The server is gone.');
  const { world, work } = failing(1, lost);
  await expect(despiteDeadlocks(work)).rejects.toBe(lost);
  expect(world.calls).toBe(1);
});
