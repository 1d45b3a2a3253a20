import { expect, test } from 'vitest';
import { type Look, ScanPosition, START } from './scan-position.js';

const at = (id: number, priority = 0) => ({ priority, id: BigInt(id) });

/** A look from the first job on, which may begin. */
function begun(low: ScanPosition, now: number): Look {
  const look = low.begin(now);
  if (look === null) throw new Error('No look may begin now.');
  return look;
}

/** A look from the start that has come to a job that can be run. */
function look(
  low: ScanPosition,
  place: ReturnType<typeof at> | undefined,
  tookMs: number,
  now: number,
): void {
  const one = begun(low, now);
  expect(one.line).toBe(START);
  one.tookMs = tookMs;
  low.looked(one, place, now);
}

/** Where looks take long, and another one more is no surprise. */
function slow(): ScanPosition {
  const low = new ScanPosition(5_000);
  low.leave(begun(low, -1_202), -1_100);
  return low;
}

test('sweeps begin at the first job as long as looking there costs nothing', () => {
  const low = new ScanPosition(5_000);
  for (let now = 0; now < 10; now++) look(low, at(now + 1), 1, now);
  look(low, undefined, 2, 10);
  expect(low.restMs(10)).toBe(0);
});

test('where looks take long sweeps begin where the worker has got to, for nine times as long', () => {
  const low = slow();
  low.reach(at(200));
  look(low, at(201), 102, 1_000);
  expect(low.begin(1_899)).toBeNull();
  expect(low.reached).toEqual(at(201));
  expect(low.restMs(1_899)).toBe(1);
  expect(begun(low, 1_900).line).toBe(START);
});

test('a look that takes longer than usual is followed by as long without one', () => {
  const low = new ScanPosition(5_000);
  look(low, at(100), 2, 0);
  look(low, at(201), 102, 1_000);
  expect(low.restMs(1_000)).toBe(100);
  look(low, at(301), 2, 1_100);
  expect(low.restMs(1_100)).toBe(0);
});

test('a look that found nothing rests as well, and what was reached stays', () => {
  const low = slow();
  low.reach(at(100));
  look(low, undefined, 102, 1_000);
  expect(low.begin(1_899)).toBeNull();
  expect(low.reached).toEqual(at(100));
});

test('one sweep at a time looks back', () => {
  const low = new ScanPosition(5_000);
  const first = begun(low, 0);
  expect(low.begin(0)).toBeNull();
  expect(low.restMs(0)).toBeGreaterThan(0);
  low.leave(first, 0);
  expect(low.restMs(0)).toBe(0);
  begun(low, 0);
});

test('a look that has failed rests for what it took', () => {
  const low = slow();
  low.leave(begun(low, 0), 102);
  expect(low.restMs(102)).toBe(900);
});

test('a look that hangs keeps the next one from it for two seconds, and its end is not that of the next', () => {
  const low = new ScanPosition(5_000);
  const hanging = begun(low, 0);
  expect(low.begin(1_999)).toBeNull();
  begun(low, 2_000);
  low.leave(hanging, 2_001);
  expect(low.begin(7_001)).not.toBeNull();
  low.looked(hanging, undefined, 7_002);
  expect(low.begin(7_003)).toBeNull();
});

test('where looks hang one after the other, no third begins before one has ended', () => {
  const low = new ScanPosition(5_000);
  const [first] = [begun(low, 0), begun(low, 2_000)];
  expect([4_000, 6_000, 60_000].map((now) => low.begin(now))).toEqual([null, null, null]);
  expect([4_000, 60_000].map((now) => low.restMs(now))).toEqual([2_000, 5_000]);
  low.looked(first, at(9), 60_000);
  begun(low, 60_000);
});

test('sweeps that look at what comes next take the place along', () => {
  const low = new ScanPosition(5_000);
  look(low, at(100), 1, 0);
  low.reach(at(5_000));
  low.reach(at(300));
  expect(low.reached).toEqual(at(5_000));
});

test('a job that was found soon behind what was reached leaves that where it is: what comes after it may take long', () => {
  const low = new ScanPosition(5_000);
  look(low, at(5_000), 1, 0);
  look(low, at(7, -1), 1, 0);
  expect(low.reached).toEqual(at(5_000));
});

test('a job that was found late behind what was reached brings all sweeps back to it', () => {
  const low = new ScanPosition(5_000);
  look(low, at(5_000), 1, 0);
  look(low, at(4_000), 102, 0);
  expect(low.reached).toEqual(at(4_000));
});

test('a look that is left off is gone on with, when others have had as much time, until it comes to its end', () => {
  const low = new ScanPosition(5_000);
  low.reach(at(9_000));
  const one = begun(low, 0);
  one.tookMs = 500;
  low.leaveOff(one, at(100), 500);
  expect(low.reached).toEqual(at(9_000));
  expect(low.restMs(500)).toBe(500);
  const two = begun(low, 1_000);
  expect(two).toMatchObject({ line: at(100), tookMs: 500 });
  low.leaveOff(two, at(200), 1_500);
  const three = begun(low, 2_000);
  expect(three.line).toEqual(at(200));
  low.looked(three, undefined, 2_001);
  expect(begun(low, 7_000).line).toBe(START);
});

test('a look that goes on for long begins at the first job now and then, and loses nothing by it', () => {
  const low = new ScanPosition(100);
  low.leaveOff(begun(low, 0), at(500), 500);
  const again = begun(low, 5_000);
  expect(again.line).toBe(START);
  low.leaveOff(again, at(50), 5_100);
  const next = begun(low, 5_200);
  expect(next.line).toEqual(at(500));
  // What an urgent job is found by is not the end of it.
  low.leaveOff(next, at(700), 5_300);
  low.looked(begun(low, 10_000), at(3, -1), 10_001);
  expect(begun(low, 10_101).line).toEqual(at(700));
});

test('what sweeps pass that begin where a look was left off need not be looked at again', () => {
  const low = new ScanPosition(5_000);
  low.leaveOff(begun(low, 0), at(100), 500);
  expect(low.reached).toEqual(at(100));
  low.reach(at(300));
  expect(begun(low, 1_000).line).toEqual(at(300));
});

test('whatever else looks at what lies behind counts too', () => {
  const low = new ScanPosition(5_000);
  low.surveyed(12, 0);
  expect(low.restMs(0)).toBe(90);
  low.behind(22, 0);
  expect(low.restMs(0)).toBe(90);
  low.behind(22, 0);
  expect(low.restMs(0)).toBe(180);
  low.surveyed(3, 10);
  expect(low.restMs(10)).toBe(170);
});

test('one look that took very long does not keep sweeps from the start for longer than the worker is told to', () => {
  const low = new ScanPosition(5_000);
  look(low, at(100), 20_000, 20_000);
  expect(low.restMs(20_000)).toBe(5_000);
});

test('while one looks, others are to come again when it has looked for twice as long', () => {
  const low = new ScanPosition(5_000);
  begun(low, 0);
  expect([0, 3, 100, 1_990, 60_000].map((now) => low.restMs(now))).toEqual([2, 3, 100, 10, 0]);
});
