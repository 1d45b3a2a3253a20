import { expect, test } from 'vitest';
import { lastTimes, nextTime } from '../src/schedules/next-time.js';

const DAY_MS = 86_400_000;

/** All instants from a time to another. */
function all(cron: string, timeZone: string, from: number, end: number): readonly number[] {
  const timing = { cron, timeZone, jitterMs: 0 };
  const times: number[] = [];
  for (let at = nextTime(timing, from); at !== null && at < end; at = nextTime(timing, at)) times.push(at);
  expect(times).toEqual([...new Set(times)].toSorted((one, other) => one - other));
  const usual = 2 * ((times[1] ?? 0) - (times[0] ?? 0));
  for (const [place, at] of times.entries()) {
    if (place < 2) continue;
    // Where no change of the clocks is near, every tenth is looked at.
    if (at - (times[place - 2] ?? 0) === usual && place % 10 > 0) continue;
    expect(lastTimes(timing, at, 3)).toEqual(times.slice(place - 2, place + 1));
    expect(lastTimes(timing, at + 1_500, 1)).toEqual([at]);
    expect(lastTimes(timing, at - 1, 1)).toEqual([times[place - 1]]);
  }
  return times;
}

/** Looks at the instants of a year, around each change of the clocks all of them. */
export function describeYear(timeZones: readonly string[]): void {
  test.each(timeZones)(
    'in %s the instants of a year come once, in order, none missing, and the same from either side',
    (timeZone) => {
      const [from, end] = [Date.parse('2026-01-01T12:00Z'), Date.parse('2027-01-01T12:00Z')];
      expect(all('30 2 * * *', timeZone, from, end)).toHaveLength(365);
      const midnights = all('0 0 * * *', timeZone, from, end);
      expect(midnights).toHaveLength(365);
      const changes = midnights.filter(
        (at, place) => place > 0 && at - (midnights[place - 1] ?? 0) !== DAY_MS,
      );
      for (const at of changes) {
        const halves = all('*/30 * * * *', timeZone, at - 1.5 * DAY_MS, at + DAY_MS / 2);
        for (const [place, half] of halves.entries())
          if (place > 0) expect(half - (halves[place - 1] ?? 0)).toBe(DAY_MS / 48);
      }
    },
  );
}
