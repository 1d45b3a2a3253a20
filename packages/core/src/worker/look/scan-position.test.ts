import { expect, test } from 'vitest';
import { type LookBack, ScanPosition, START } from './scan-position.js';

const at = (id: number, priority = 0) => ({ priority, id: BigInt(id) });

/** A look from the first job on, which may begin. */
function begun(position: ScanPosition, now: number): LookBack {
  const look = position.lookBack(now);
  if (look === null) throw new Error('No look may begin now.');
  return look;
}

/** A look from the start that has come to a job that can be run. */
function look(
  position: ScanPosition,
  place: ReturnType<typeof at> | undefined,
  tookMs: number,
  now: number,
): void {
  const one = begun(position, now);
  expect(one.line).toBe(START);
  one.tookMs = tookMs;
  position.found(one, place, now);
}

/** Where looks take long, and another one more is no surprise. */
function slow(): ScanPosition {
  const position = new ScanPosition(5_000);
  position.fail(begun(position, -1_202), -1_100);
  return position;
}

test('sweeps begin at the first job as long as looking there costs nothing', () => {
  const position = new ScanPosition(5_000);
  for (let now = 0; now < 10; now++) look(position, at(now + 1), 1, now);
  look(position, undefined, 2, 10);
  expect(position.pauseMs(10)).toBe(0);
});

test('where looks take long sweeps begin where the worker has got to, for nine times as long', () => {
  const position = slow();
  position.advance(at(200));
  look(position, at(201), 102, 1_000);
  expect(position.lookBack(1_899)).toBeNull();
  expect(position.line).toEqual(at(201));
  expect(position.pauseMs(1_899)).toBe(1);
  expect(begun(position, 1_900).line).toBe(START);
});

test('a look that takes longer than usual is followed by as long without one', () => {
  const position = new ScanPosition(5_000);
  look(position, at(100), 2, 0);
  look(position, at(201), 102, 1_000);
  expect(position.pauseMs(1_000)).toBe(100);
  look(position, at(301), 2, 1_100);
  expect(position.pauseMs(1_100)).toBe(0);
});

test('a look that found nothing rests as well, and what was reached stays', () => {
  const position = slow();
  position.advance(at(100));
  look(position, undefined, 102, 1_000);
  expect(position.lookBack(1_899)).toBeNull();
  expect(position.line).toEqual(at(100));
});

test('one sweep at a time looks back', () => {
  const position = new ScanPosition(5_000);
  const first = begun(position, 0);
  expect(position.lookBack(0)).toBeNull();
  expect(position.pauseMs(0)).toBeGreaterThan(0);
  position.fail(first, 0);
  expect(position.pauseMs(0)).toBe(0);
  begun(position, 0);
});

test('a look that has failed rests for what it took', () => {
  const position = slow();
  position.fail(begun(position, 0), 102);
  expect(position.pauseMs(102)).toBe(900);
});

test('a look that hangs keeps the next one from it for two seconds, and its end is not that of the next', () => {
  const position = new ScanPosition(5_000);
  const hanging = begun(position, 0);
  expect(position.lookBack(1_999)).toBeNull();
  begun(position, 2_000);
  position.fail(hanging, 2_001);
  expect(position.lookBack(7_001)).not.toBeNull();
  position.found(hanging, undefined, 7_002);
  expect(position.lookBack(7_003)).toBeNull();
});

test('where looks hang one after the other, no third begins before one has ended', () => {
  const position = new ScanPosition(5_000);
  const [first] = [begun(position, 0), begun(position, 2_000)];
  expect([4_000, 6_000, 60_000].map((now) => position.lookBack(now))).toEqual([null, null, null]);
  expect([4_000, 60_000].map((now) => position.pauseMs(now))).toEqual([2_000, 5_000]);
  position.found(first, at(9), 60_000);
  begun(position, 60_000);
});

test('sweeps that look at what comes next take the place along', () => {
  const position = new ScanPosition(5_000);
  look(position, at(100), 1, 0);
  position.advance(at(5_000));
  position.advance(at(300));
  expect(position.line).toEqual(at(5_000));
});

test('a job that was found soon behind what was reached leaves that where it is: what comes after it may take long', () => {
  const position = new ScanPosition(5_000);
  look(position, at(5_000), 1, 0);
  look(position, at(7, -1), 1, 0);
  expect(position.line).toEqual(at(5_000));
});

test('a job that was found late behind what was reached brings all sweeps back to it', () => {
  const position = new ScanPosition(5_000);
  look(position, at(5_000), 1, 0);
  look(position, at(4_000), 102, 0);
  expect(position.line).toEqual(at(4_000));
});

test('a look that is left off is gone on with, when others have had as much time, until it comes to its end', () => {
  const position = new ScanPosition(5_000);
  position.advance(at(9_000));
  const one = begun(position, 0);
  one.tookMs = 500;
  position.interrupt(one, at(100), 500);
  expect(position.line).toEqual(at(9_000));
  expect(position.pauseMs(500)).toBe(500);
  const two = begun(position, 1_000);
  expect(two).toMatchObject({ line: at(100), tookMs: 500 });
  position.interrupt(two, at(200), 1_500);
  const three = begun(position, 2_000);
  expect(three.line).toEqual(at(200));
  position.found(three, undefined, 2_001);
  expect(begun(position, 7_000).line).toBe(START);
});

test('a look back that takes longer than half a second finishes before the next one begins at the first job', () => {
  const position = new ScanPosition(100);
  position.interrupt(begun(position, 0), at(500), 500);
  const next = begun(position, 5_000);
  expect(next.line).toEqual(at(500));
  position.interrupt(next, at(700), 5_500);
  // A fault does not begin it anew.
  position.fail(begun(position, 6_000), 6_001);
  const last = begun(position, 12_000);
  expect(last.line).toEqual(at(700));
  position.found(last, at(900), 12_001);
  expect(begun(position, 12_101).line).toBe(START);
});

test('what sweeps pass that begin where a look was left off need not be looked at again', () => {
  const position = new ScanPosition(5_000);
  position.interrupt(begun(position, 0), at(100), 500);
  expect(position.line).toEqual(at(100));
  position.advance(at(300));
  expect(begun(position, 1_000).line).toEqual(at(300));
});

test('whatever else looks at what lies behind counts too', () => {
  const position = new ScanPosition(5_000);
  position.surveyed(12, 0);
  expect(position.pauseMs(0)).toBe(90);
  position.claimedBehind(22, 0);
  expect(position.pauseMs(0)).toBe(90);
  position.claimedBehind(22, 0);
  expect(position.pauseMs(0)).toBe(180);
  position.surveyed(3, 10);
  expect(position.pauseMs(10)).toBe(170);
});

test('one look that took very long does not keep sweeps from the start for longer than the worker is told to', () => {
  const position = new ScanPosition(5_000);
  look(position, at(100), 20_000, 20_000);
  expect(position.pauseMs(20_000)).toBe(5_000);
});

test('while one looks, others are to come again when it has looked for twice as long', () => {
  const position = new ScanPosition(5_000);
  begun(position, 0);
  expect([0, 3, 100, 1_990, 60_000].map((now) => position.pauseMs(now))).toEqual([2, 3, 100, 10, 0]);
});
