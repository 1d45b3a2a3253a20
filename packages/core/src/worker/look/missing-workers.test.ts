import { expect, test } from 'vitest';
import { MissingWorkers } from './missing-workers.js';

let now = 0;
const clock = { now: () => now, after: () => () => {} };

function look(missing: MissingWorkers, atMs: number, workers: readonly string[]): readonly string[] {
  now = atMs;
  const { dead } = missing;
  missing.update(workers, now);
  return dead;
}

test('a worker is dead that was without a session at every look for a second', () => {
  const missing = new MissingWorkers(clock, 250);
  for (const at of [5_000, 5_250, 5_500, 5_750]) expect(look(missing, at, ['ann'])).toEqual([]);
  expect(look(missing, 6_000, ['ann', 'bob'])).toEqual(['ann']);
});

test('a worker that was seen with a session in between lives', () => {
  const missing = new MissingWorkers(clock, 250);
  look(missing, 5_000, ['ann']);
  look(missing, 5_500, []);
  look(missing, 5_750, ['ann']);
  expect(look(missing, 6_250, ['ann'])).toEqual([]);
  expect(look(missing, 6_750, [])).toEqual(['ann']);
});

test('after a gap no worker counts as missing', () => {
  const missing = new MissingWorkers(clock, 250);
  look(missing, 5_000, ['ann']);
  expect(look(missing, 9_000, ['ann'])).toEqual([]);
  expect(look(missing, 9_500, ['ann'])).toEqual([]);
  expect(look(missing, 10_000, ['ann'])).toEqual(['ann']);
});

test('where looks are rare, two in a row are enough', () => {
  const missing = new MissingWorkers(clock, 10_000);
  look(missing, 50_000, ['ann']);
  expect(look(missing, 60_000, ['ann'])).toEqual(['ann']);
});

test('an answer that took longer than a second comes too late', () => {
  const missing = new MissingWorkers(clock, 250);
  now = 4_000;
  missing.update(['ann'], 3_900);
  now = 8_200;
  missing.update(['ann'], 4_250);
  now = 8_450;
  expect(missing.dead).toEqual([]);
});

test('an answer may take most of a second', () => {
  const missing = new MissingWorkers(clock, 250);
  const slowLook = (atMs: number): readonly string[] => {
    now = atMs;
    const { dead } = missing;
    now += 900;
    missing.update(['ann'], atMs);
    return dead;
  };
  expect(slowLook(5_000)).toEqual([]);
  expect(slowLook(6_150)).toEqual([]);
  expect(slowLook(7_300)).toEqual(['ann']);
});
