import { expect, test } from 'vitest';
import { type HandClock, handClock } from '../../test/hand-clock.js';
import type { Survey } from '../driver/driver.js';
import { Alarm } from './alarm.js';
import { LowWater } from './low-water.js';
import { Surveyor } from './surveyor.js';

const NOTHING: Survey = { promoted: 0, nextDueMs: null, waiting: false, leased: false };

/** A surveyor whose surveys take so long by its clock. */
function surveying(tookMs: number): { clock: HandClock; surveyor: Surveyor; begun: number[] } {
  const clock = handClock();
  const begun: number[] = [];
  const surveyor = new Surveyor({
    driver: {
      survey: async () => {
        begun.push(clock.now());
        clock.advance(tookMs);
        return NOTHING;
      },
      reclaim: async () => ({ reclaimed: 0, lapsed: [] }),
    },
    lanes: { queues: ['q'], kinds: ['k'] },
    clock,
    cancellations: { ask: async () => false },
    low: new Map([['q', new LowWater(5_000)]]),
    alarm: new Alarm(clock, () => {}),
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

test('a survey that is asked for is made in a moment, once', async () => {
  const { clock, surveyor, begun } = surveying(1);
  surveyor.soon();
  surveyor.soon();
  clock.advance(25);
  await settled();
  clock.advance(1_000);
  await settled();
  expect(begun).toEqual([25]);
  expect(surveyor.rests).toBe(false);
});

test('a survey that took long is followed by nine times as long without one, up to the poll', async () => {
  for (const [tookMs, nextAt] of [
    [200, 2_000],
    [1_000, 6_000],
  ] as const) {
    const { clock, surveyor, begun } = surveying(tookMs);
    await surveyor.now();
    expect(surveyor.isRecent).toBe(true);
    expect(surveyor.rests).toBe(true);
    surveyor.soon(true);
    clock.advance(nextAt - tookMs - 1);
    await settled();
    expect(begun).toEqual([0]);
    expect(surveyor.isRecent).toBe(true);
    clock.advance(1);
    expect(surveyor.isRecent).toBe(false);
    expect(surveyor.rests).toBe(false);
    await settled();
    expect(begun).toEqual([0, nextAt]);
  }
});
