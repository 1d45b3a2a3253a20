import { expect, test } from 'vitest';
import { LowWater, START } from './low-water.js';

const at = (id: number, priority = 0) => ({ priority, id: BigInt(id) });

/** A look from the start that has come to a job that can be run. */
function look(low: LowWater, place: ReturnType<typeof at> | undefined, tookMs: number, now: number): void {
  expect(low.begin(now)).toBe(START);
  low.looked(place, tookMs, now);
}

test('sweeps begin at the first job as long as looking there costs nothing', () => {
  const low = new LowWater(5_000);
  for (let now = 0; now < 10; now++) look(low, at(now + 1), 1, now);
  look(low, undefined, 2, 10);
  expect(low.restMs(10)).toBe(0);
});

test('after a look that took long they begin where the worker has got to, for nine times as long', () => {
  const low = new LowWater(5_000);
  look(low, at(100), 1, 0);
  low.reach(at(200));
  look(low, at(201), 102, 1_000);
  expect(low.begin(1_899)).toEqual(at(201));
  expect(low.restMs(1_899)).toBe(1);
  expect(low.begin(1_900)).toBe(START);
});

test('a look that found nothing rests as well, and what was reached stays', () => {
  const low = new LowWater(5_000);
  look(low, at(100), 1, 0);
  look(low, undefined, 102, 1_000);
  expect(low.begin(1_899)).toEqual(at(100));
});

test('one sweep at a time looks back', () => {
  const low = new LowWater(5_000);
  look(low, at(100), 1, 0);
  expect(low.begin(0)).toBe(START);
  expect(low.begin(0)).toEqual(at(100));
  expect(low.restMs(0)).toBeGreaterThan(0);
  low.leave();
  expect(low.restMs(0)).toBe(0);
  expect(low.begin(0)).toBe(START);
});

test('sweeps that look at what comes next take the place along', () => {
  const low = new LowWater(5_000);
  look(low, at(100), 1, 0);
  low.reach(at(5_000));
  low.reach(at(300));
  expect(low.begin(0)).toBe(START);
  expect(low.begin(0)).toEqual(at(5_000));
});

test('a job that was found soon behind what was reached leaves that where it is: what comes after it may take long', () => {
  const low = new LowWater(5_000);
  look(low, at(5_000), 1, 0);
  look(low, at(7, -1), 1, 0);
  expect(low.begin(0)).toBe(START);
  expect(low.begin(0)).toEqual(at(5_000));
});

test('a job that was found late behind what was reached brings all sweeps back to it', () => {
  const low = new LowWater(5_000);
  look(low, at(5_000), 1, 0);
  look(low, at(4_000), 102, 0);
  expect(low.begin(0)).toEqual(at(4_000));
});

test('whatever else looks at what lies behind counts too', () => {
  const low = new LowWater(5_000);
  low.rest(12, 0);
  expect(low.restMs(0)).toBe(90);
  low.rest(3, 10);
  expect(low.restMs(10)).toBe(80);
});

test('one look that took very long does not keep sweeps from the start for longer than the worker is told to', () => {
  const low = new LowWater(5_000);
  look(low, at(100), 20_000, 20_000);
  expect(low.restMs(20_000)).toBe(5_000);
});

test('while one looks, others are to come again when it has looked for twice as long', () => {
  const low = new LowWater(5_000);
  expect(low.begin(0)).toBe(START);
  expect([0, 3, 100, 60_000].map((now) => low.restMs(now))).toEqual([2, 3, 100, 5_000]);
});
