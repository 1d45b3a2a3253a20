import { expect, test, vi } from 'vitest';
import { handClock } from '../../../test/hand-clock.js';
import { DueFlush } from './due-flush.js';

const turns = () => new Promise((resolve) => setImmediate(resolve));

/** One for so many runs, and what it has decided. */
function dueFlush(runs: number) {
  const clock = handClock();
  const flush = new DueFlush(clock);
  for (let run = 0; run < runs; run++) flush.add();
  const decided: boolean[] = [];
  void flush.due.then((isDue) => decided.push(isDue));
  return { clock, flush, decided };
}

test('of a run that goes on it is due after a while, from when the record is seen', async () => {
  const { clock, flush, decided } = dueFlush(1);
  clock.advance(60);
  flush.begin();
  clock.advance(19);
  await turns();
  expect(decided).toEqual([]);
  clock.advance(1);
  await turns();
  expect(decided).toEqual([true]);
});

test('it is due when one of the runs needs it', async () => {
  const { flush, decided } = dueFlush(2);
  flush.begin();
  flush.runEnds();
  flush.now();
  await turns();
  expect(decided).toEqual([true]);
  flush.runEnds();
  await turns();
  expect(decided).toEqual([true]);
});

test('it is not due any more when all runs are over, and not before', async () => {
  const { clock, flush, decided } = dueFlush(2);
  flush.begin();
  flush.runEnds();
  await turns();
  expect(decided).toEqual([]);
  flush.runEnds();
  clock.advance(60);
  await turns();
  expect(decided).toEqual([false]);
});

test('of runs that are over before the record is seen nothing is waited for', async () => {
  const { clock, flush, decided } = dueFlush(1);
  const after = vi.spyOn(clock, 'after');
  flush.runEnds();
  flush.begin();
  expect(after).not.toHaveBeenCalled();
  await turns();
  expect(decided).toEqual([false]);
});
