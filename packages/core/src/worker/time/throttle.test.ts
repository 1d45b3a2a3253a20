import { expect, test } from 'vitest';
import { handClock } from '../../../test/hand-clock.js';
import { gate, settled } from '../../../test/resting-worker.js';
import { Throttle } from './throttle.js';

test('while a write is on its way none is begun, and then the newest value is written', async () => {
  const clock = handClock();
  const answer = gate();
  const written: number[] = [];
  const throttle = new Throttle<number>(clock, 100, (value) => {
    written.push(value);
    return value === 9 ? answer.opened : Promise.resolve();
  });
  for (let value = 0; value < 100; value++) {
    throttle.put(value);
    clock.advance(10);
    await settled();
  }
  expect(written).toEqual([9]);
  answer.open();
  await settled();
  clock.advance(99);
  expect(written).toEqual([9]);
  clock.advance(1);
  expect(written).toEqual([9, 99]);
  await settled();
  clock.advance(1_000);
  expect(written).toEqual([9, 99]);
});

test('what is put after the end, or before it and not yet written, is not written', async () => {
  const clock = handClock();
  const written: number[] = [];
  const throttle = new Throttle<number>(clock, 100, async (value) => void written.push(value));
  throttle.put(1);
  await throttle.stop();
  throttle.put(2);
  clock.advance(1_000);
  await settled();
  expect(written).toEqual([]);
});
