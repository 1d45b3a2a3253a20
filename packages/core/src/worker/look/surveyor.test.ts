import { expect, test } from 'vitest';
import { type HandClock, handClock } from '../../../test/hand-clock.js';
import type { Survey } from '../../driver/survey.js';
import { Alarm } from '../time/alarm.js';
import { ScanPosition } from './scan-position.js';
import { Surveyor } from './surveyor.js';

const NOTHING: Survey = {
  promoted: 0,
  nextDueMs: null,
  waiting: false,
  unlimited: false,
  leased: false,
  limited: false,
  followers: false,
  nextExpiryMs: null,
  nextTickMs: null,
  refused: [],
};

interface Options {
  readonly isBeside?: boolean;
  readonly found?: Survey;
  readonly waitForStarts?: boolean;
  /** Called when the worker is to look again. */
  readonly rung?: () => void;
}

/** A surveyor whose surveys take this long by its clock: while its test waits, unless they are beside it. */
function surveying(
  tookMs: number,
  { isBeside = false, found = NOTHING, waitForStarts = false, rung = () => {} }: Options = {},
): { clock: HandClock; surveyor: Surveyor; begun: number[] } {
  const clock = handClock();
  const begun: number[] = [];
  const source = { isExpected: true, isWaiting: waitForStarts, round: async () => {} };
  const surveyor = new Surveyor({
    driver: {
      claims: {
        survey: async () => {
          begun.push(clock.now());
          if (isBeside) await new Promise<void>((resolve) => clock.after(tookMs, resolve));
          else clock.advance(tookMs);
          return found;
        },
        reclaim: async () => ({ reclaimed: 0, missing: [], own: [], refused: [] }),
      },
    },
    lanes: { queues: ['q'], kinds: ['k'] },
    worker: 'mill',
    log: { debug() {}, info() {}, warn() {}, error() {} },
    workerId: '1',
    live: new Set(),
    clock,
    parts: { surveyed: () => {}, watch: async () => false, sources: [source] },
    positions: new Map([['q', new ScanPosition(5_000)]]),
    alarm: new Alarm(clock, rung),
    pollMs: 5_000,
    watchMs: 250,
    busy: () => false,
    wake: () => {},
    done: () => {},
    onFault: (error) => {
      throw error;
    },
  });
  return { clock, surveyor, begun };
}

/** Until what has been begun is over. */
const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test('a survey that is put off is made in a moment, once', async () => {
  const { clock, surveyor, begun } = surveying(1);
  surveyor.soon();
  surveyor.soon();
  clock.advance(25);
  await settled();
  clock.advance(1_000);
  await settled();
  expect(begun).toEqual([25]);
  expect(surveyor.isSlow).toBe(false);
});

test('surveys that take long are followed by a pause nine times as long, up to the poll interval', async () => {
  for (const [tookMs, nextAt] of [
    [200, 2_200],
    [1_000, 7_000],
  ] as const) {
    const { clock, surveyor, begun } = surveying(tookMs);
    await surveyor.now();
    expect(surveyor.isSlow).toBe(false);
    await surveyor.now();
    expect(surveyor.isRecent).toBe(true);
    expect(surveyor.isSlow).toBe(true);
    surveyor.soon(true);
    clock.advance(nextAt - 2 * tookMs - 1);
    await settled();
    expect(begun).toEqual([0, tookMs]);
    expect(surveyor.isRecent).toBe(true);
    clock.advance(1);
    expect(surveyor.isRecent).toBe(false);
    await settled();
    expect(begun).toEqual([0, tookMs, nextAt]);
  }
});

test('surveys that are called for while one goes on are one, after a pause', async () => {
  const { clock, surveyor, begun } = surveying(200, { isBeside: true });
  for (let ms = 0; ms < 10_000; ms += 10) {
    surveyor.soon();
    clock.advance(10);
    await settled();
  }
  // Each takes 200 ms, and its pause nine times as long. The first pause is as long as a survey.
  expect(begun).toHaveLength(6);
});

test('callers share a survey that waits for its turn, and stop cancels it', async () => {
  const { clock, surveyor, begun } = surveying(200, { isBeside: true });
  const first = surveyor.now();
  await settled();
  const later = [surveyor.now(), surveyor.now()];
  expect(later[0]).toBe(later[1]);
  const stopping = surveyor.stop();
  clock.advance(200);
  await Promise.all([first, ...later, stopping]);
  expect(begun).toEqual([0]);
});

test('while a survey goes on that may be a reason to look again, the worker may look again', async () => {
  const { clock, surveyor } = surveying(50, { isBeside: true });
  surveyor.soon(true);
  expect(surveyor.mayLookAgain).toBe(true);
  clock.advance(25);
  await settled();
  expect(surveyor.mayLookAgain).toBe(true);
  clock.advance(50);
  await settled();
  expect(surveyor.mayLookAgain).toBe(false);
});

test.each([
  ['a job without limits', { waiting: true, unlimited: true, limited: true }, true, true],
  ['jobs that all wait for starts of rates', { waiting: true, limited: true }, true, false],
  ['jobs with limits', { waiting: true, limited: true }, false, true],
])('after a survey that has found %s the watch goes on: %#', async (_, found, waitForStarts, watches) => {
  let rings = 0;
  const rung = (): void => {
    rings += 1;
  };
  const options = { found: { ...NOTHING, ...found }, waitForStarts, rung };
  const { clock, surveyor } = surveying(1, options);
  expect(await surveyor.now()).toBe(watches);
  clock.advance(250);
  expect(rings).toBe(watches ? 1 : 0);
});
