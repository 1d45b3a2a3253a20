import { expect, test, vi } from 'vitest';
import { handClock } from '../../../test/hand-clock.js';
import { settled } from '../../../test/resting-worker.js';
import { LazyFlush } from './lazy-flush.js';

/** A record that this many runs share, how often it was flushed, and whether the wait for it is over. */
function lazyFlush(runs: number, disk: () => Promise<void> = async () => {}) {
  const clock = handClock();
  const [write, isDone] = [vi.fn(disk), vi.fn()];
  const flush = new LazyFlush(clock, write);
  for (let run = 0; run < runs; run++) flush.add();
  flush.done.then(isDone, () => {});
  return { clock, flush, write, isDone };
}

test('where a run goes on, the flush begins after a while, from when the record is visible', async () => {
  const { clock, flush, write, isDone } = lazyFlush(1);
  clock.advance(60);
  flush.begin();
  clock.advance(19);
  await settled();
  expect(write).not.toHaveBeenCalled();
  clock.advance(1);
  await settled();
  expect(write).toHaveBeenCalledOnce();
  expect(isDone).toHaveBeenCalledOnce();
});

test('the flush begins when one of the runs needs it, and there is one', async () => {
  const { clock, flush, write } = lazyFlush(2);
  flush.begin();
  flush.runEnds();
  flush.now();
  await settled();
  expect(write).toHaveBeenCalledOnce();
  flush.now();
  flush.runEnds();
  clock.advance(60);
  await settled();
  expect(write).toHaveBeenCalledOnce();
});

test('there is no flush any more when all runs are over, and not before', async () => {
  const { clock, flush, write, isDone } = lazyFlush(2);
  flush.begin();
  flush.runEnds();
  await settled();
  expect(isDone).not.toHaveBeenCalled();
  flush.runEnds();
  clock.advance(60);
  await settled();
  expect(isDone).toHaveBeenCalledOnce();
  expect(write).not.toHaveBeenCalled();
});

test('while all runs are being settled the flush is put off, but not behind settlements that hang', async () => {
  const { clock, flush, write } = lazyFlush(2);
  flush.begin();
  flush.runSettles();
  flush.runSettles();
  clock.advance(20);
  clock.advance(199);
  await settled();
  expect(write).not.toHaveBeenCalled();
  clock.advance(1);
  await settled();
  expect(write).toHaveBeenCalledOnce();
});

test('the flush is not put off while one of the runs goes on', async () => {
  const { clock, flush, write } = lazyFlush(2);
  flush.begin();
  flush.runSettles();
  clock.advance(20);
  await settled();
  expect(write).toHaveBeenCalledOnce();
});

test('where the runs are over before the record is visible, nothing is waited for', async () => {
  const { clock, flush, write, isDone } = lazyFlush(1);
  const after = vi.spyOn(clock, 'after');
  flush.runEnds();
  flush.begin();
  expect(after).not.toHaveBeenCalled();
  await settled();
  expect(isDone).toHaveBeenCalledOnce();
  expect(write).not.toHaveBeenCalled();
});

test('a flush that fails fails for each run that needs it', async () => {
  const { flush } = lazyFlush(2, () => Promise.reject(new Error('the disk is full')));
  flush.begin();
  flush.now();
  for (let run = 0; run < 2; run++) await expect(flush.done).rejects.toThrow('the disk is full');
});
