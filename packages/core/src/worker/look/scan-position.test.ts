import { expect, test } from 'vitest';
import { type LookBack, ScanPosition, START } from './scan-position.js';

const at = (id: number, priority = 0) => ({ priority, id: BigInt(id) });

/** A look back, which may begin. */
function begun(position: ScanPosition, now: number): LookBack {
  const look = position.lookBack(now);
  if (look === null) throw new Error('No look back may begin now.');
  return look;
}

/** A look back from the first job that has found a job to run. */
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

/** A position whose look back has taken long already. */
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

test('after slow looks back, sweeps begin at the scan position for nine times as long', () => {
  const position = slow();
  position.advance(at(200));
  look(position, at(201), 102, 1_000);
  expect(position.lookBack(1_899)).toBeNull();
  expect(position.line).toEqual(at(201));
  expect(position.pauseMs(1_899)).toBe(1);
  expect(begun(position, 1_900).line).toBe(START);
});

test('a look back that takes longer than the last one is followed by a pause as long as it took', () => {
  const position = new ScanPosition(5_000);
  look(position, at(100), 2, 0);
  look(position, at(201), 102, 1_000);
  expect(position.pauseMs(1_000)).toBe(100);
  look(position, at(301), 2, 1_100);
  expect(position.pauseMs(1_100)).toBe(0);
});

test('a look back that finds no job is followed by a pause too, and the position stays', () => {
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

test('a look back that has failed is followed by a pause too', () => {
  const position = slow();
  position.fail(begun(position, 0), 102);
  expect(position.pauseMs(102)).toBe(900);
});

test('a look back that hangs puts the next one off for two seconds, and its end is not that of the next', () => {
  const position = new ScanPosition(5_000);
  const hanging = begun(position, 0);
  expect(position.lookBack(1_999)).toBeNull();
  begun(position, 2_000);
  position.fail(hanging, 2_001);
  expect(position.lookBack(7_001)).not.toBeNull();
  position.found(hanging, undefined, 7_002);
  expect(position.lookBack(7_003)).toBeNull();
});

test('where two looks back hang, no third begins before one has ended', () => {
  const position = new ScanPosition(5_000);
  const [first] = [begun(position, 0), begun(position, 2_000)];
  expect([4_000, 6_000, 60_000].map((now) => position.lookBack(now))).toEqual([null, null, null]);
  expect([4_000, 60_000].map((now) => position.pauseMs(now))).toEqual([2_000, 5_000]);
  position.found(first, at(9), 60_000);
  begun(position, 60_000);
});

test('sweeps that begin at the position advance it', () => {
  const position = new ScanPosition(5_000);
  look(position, at(100), 1, 0);
  position.advance(at(5_000));
  position.advance(at(300));
  expect(position.line).toEqual(at(5_000));
});

test('a job that was soon found behind the position leaves the position where it is', () => {
  const position = new ScanPosition(5_000);
  look(position, at(5_000), 1, 0);
  look(position, at(7, -1), 1, 0);
  expect(position.line).toEqual(at(5_000));
});

test('a job that was slowly found behind the position brings all sweeps back to it', () => {
  const position = new ScanPosition(5_000);
  look(position, at(5_000), 1, 0);
  look(position, at(4_000), 102, 0);
  expect(position.line).toEqual(at(4_000));
});

test('a look back that is interrupted continues after a pause as long as its last part, until it is over', () => {
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

test('a look back does not repeat what sweeps pass that begin where it was interrupted', () => {
  const position = new ScanPosition(5_000);
  position.interrupt(begun(position, 0), at(100), 500);
  expect(position.line).toEqual(at(100));
  position.advance(at(300));
  expect(begun(position, 1_000).line).toEqual(at(300));
});

test('surveys and claims behind the position count too', () => {
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

test('no look back is put off for longer than the longest pause', () => {
  const position = new ScanPosition(5_000);
  look(position, at(100), 20_000, 20_000);
  expect(position.pauseMs(20_000)).toBe(5_000);
});

test('while a look back goes on, the others are put off for as long as it has taken', () => {
  const position = new ScanPosition(5_000);
  begun(position, 0);
  expect([0, 3, 100, 1_990, 60_000].map((now) => position.pauseMs(now))).toEqual([2, 3, 100, 10, 0]);
});
