import { expect, test } from 'vitest';
import { MissingWorkers } from './missing-workers.js';

let now = 0;
const clock = { now: () => now, after: () => () => {} };

function look(lapses: MissingWorkers, atMs: number, workers: readonly string[]): readonly string[] {
  now = atMs;
  const { dead } = lapses;
  lapses.see(workers, now);
  return dead;
}

test('a worker is dead that was without a session at every look for a second', () => {
  const lapses = new MissingWorkers(clock, 250);
  for (const at of [5_000, 5_250, 5_500, 5_750]) expect(look(lapses, at, ['ann'])).toEqual([]);
  expect(look(lapses, 6_000, ['ann', 'bob'])).toEqual(['ann']);
});

test('one that was seen with a session in between lives', () => {
  const lapses = new MissingWorkers(clock, 250);
  look(lapses, 5_000, ['ann']);
  look(lapses, 5_500, []);
  look(lapses, 5_750, ['ann']);
  expect(look(lapses, 6_250, ['ann'])).toEqual([]);
  expect(look(lapses, 6_750, [])).toEqual(['ann']);
});

test('who has not looked for a while knows of nobody', () => {
  const lapses = new MissingWorkers(clock, 250);
  look(lapses, 5_000, ['ann']);
  expect(look(lapses, 9_000, ['ann'])).toEqual([]);
  expect(look(lapses, 9_500, ['ann'])).toEqual([]);
  expect(look(lapses, 10_000, ['ann'])).toEqual(['ann']);
});

test('who looks seldom needs two looks in a row', () => {
  const lapses = new MissingWorkers(clock, 10_000);
  look(lapses, 50_000, ['ann']);
  expect(look(lapses, 60_000, ['ann'])).toEqual(['ann']);
});

test('an answer that took longer than a second is a look that came too late', () => {
  const lapses = new MissingWorkers(clock, 250);
  now = 4_000;
  lapses.see(['ann'], 3_900);
  now = 8_200;
  lapses.see(['ann'], 4_250);
  now = 8_450;
  expect(lapses.dead).toEqual([]);
});

test('an answer may take most of a second', () => {
  const lapses = new MissingWorkers(clock, 250);
  const slowLook = (atMs: number): readonly string[] => {
    now = atMs;
    const { dead } = lapses;
    now += 900;
    lapses.see(['ann'], atMs);
    return dead;
  };
  expect(slowLook(5_000)).toEqual([]);
  expect(slowLook(6_150)).toEqual([]);
  expect(slowLook(7_300)).toEqual(['ann']);
});
