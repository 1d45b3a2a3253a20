import { expect, test } from 'vitest';
import { describeYear } from '../../test/describe-year.js';
import { lastTimes, nextTime } from './next-time.js';

/** The next instants of an expression after a time. */
function next(cron: string, timeZone: string, after: string, count: number): readonly string[] {
  const times: string[] = [];
  for (let at: number | null = Date.parse(after); times.length < count && at !== null; ) {
    at = nextTime({ cron, timeZone, jitterMs: 0 }, at);
    if (at !== null) times.push(new Date(at).toISOString().slice(0, 16));
  }
  return times;
}

test.each([
  [
    '02:30 in the gap of Berlin comes at its end, once',
    '30 2 * * *',
    'Europe/Berlin',
    '2026-03-28T12:00Z',
    ['2026-03-29T01:00', '2026-03-30T00:30'],
  ],
  [
    '02:15 in the gap of 30 minutes of Lord Howe comes at its end, the same day',
    '15 2 * * *',
    'Australia/Lord_Howe',
    '2026-10-03T12:00Z',
    ['2026-10-03T15:30', '2026-10-04T15:15'],
  ],
  [
    '01:30 in the overlap of New York comes once, the first time',
    '30 1 * * *',
    'America/New_York',
    '2026-11-01T00:00Z',
    ['2026-11-01T05:30', '2026-11-02T06:30'],
  ],
  [
    'each half hour comes in both hours of the overlap',
    '*/30 * * * *',
    'America/New_York',
    '2026-11-01T04:45Z',
    ['2026-11-01T05:00', '2026-11-01T05:30', '2026-11-01T06:00', '2026-11-01T06:30', '2026-11-01T07:00'],
  ],
  [
    'each half hour goes on through the gap',
    '*/30 * * * *',
    'Europe/Berlin',
    '2026-03-29T00:15Z',
    ['2026-03-29T00:30', '2026-03-29T01:00', '2026-03-29T01:30'],
  ],
  [
    'midnight in the gap of Beirut comes at its end',
    '0 0 * * *',
    'Asia/Beirut',
    '2026-03-28T12:00Z',
    ['2026-03-28T22:00', '2026-03-29T21:00'],
  ],
  [
    '03:00 stays 03:00 over both changes',
    '0 3 * * *',
    'Europe/Berlin',
    '2026-03-28T00:00Z',
    ['2026-03-28T02:00', '2026-03-29T01:00', '2026-03-30T01:00'],
  ],
  [
    '29 February comes in leap years',
    '0 0 29 2 *',
    'UTC',
    '2026-01-01T00:00Z',
    ['2028-02-29T00:00', '2032-02-29T00:00'],
  ],
])('%s', (_, cron, timeZone, after, expected) => {
  expect(next(cron, timeZone, after, expected.length)).toEqual(expected);
});

// The hour of most, half an hour, two changes around a month, and midnights that are not there. Others are proofs.
describeYear(['Europe/Berlin', 'Australia/Lord_Howe', 'Africa/Casablanca', 'America/Santiago']);

test('each second at the end of the summer comes once', () => {
  const timing = { cron: '* * * * * *', timeZone: 'Europe/Berlin', jitterMs: 0 };
  let at: number | null = Date.parse('2026-10-25T00:59:50Z');
  for (let second = 1; second <= 30; second++) {
    at = at === null ? null : nextTime(timing, at);
    expect(at).toBe(Date.parse('2026-10-25T00:59:50Z') + second * 1_000);
  }
});

test('a fixed grid begins at its anchor, before and after it', () => {
  const timing = { everyMs: 900_000, anchorMs: 60_000, jitterMs: 0 };
  expect(nextTime(timing, 60_000)).toBe(960_000);
  expect(nextTime(timing, 959_999)).toBe(960_000);
  expect(nextTime(timing, -900_000)).toBe(-840_000);
  expect(lastTimes(timing, 960_000, 2)).toEqual([60_000, 960_000]);
  expect(lastTimes(timing, 959_999, 1)).toEqual([60_000]);
});
