import { expect, test } from 'vitest';
import { checkTicks, type FoundTick } from '../src/schedules/check-ticks.js';
import type { SimulatedSchedule } from '../src/schedules/simulated-schedules.js';
import { daily, each } from '../src/schedules/wall-clock.js';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

const HOURLY: SimulatedSchedule = {
  ...{ name: 'hourly', times: { every: '1h' }, jitterMs: 0, instants: each(HOUR_MS) },
};

/** Ticks of the schedule at these hours, each with one job. */
const at = (...hours: number[]): FoundTick[] =>
  hours.map((hour) => ({ schedule: 'hourly', atMs: hour * HOUR_MS, jobs: 1 }));

test('each tick once is clean', () => {
  expect(checkTicks([HOURLY], at(1, 2, 3), 0, 3 * HOUR_MS)).toEqual([]);
});

test.each<[string, FoundTick[], string, string]>([
  ['a hole', at(1, 3), 'missing', 'the tick of hourly at 1970-01-01T02:00:00.000Z has no job'],
  ['the last one', at(1, 2), 'missing', 'the tick of hourly at 1970-01-01T03:00:00.000Z has no job'],
  ['two jobs', [...at(1, 2), { schedule: 'hourly', atMs: 3 * HOUR_MS, jobs: 2 }], 'doubled', 'has 2 jobs'],
  ['a time between', at(1, 2, 2.5, 3), 'stray', 'T02:30:00.000Z is none of its own'],
  ['one that had not come', at(1, 2, 3, 4), 'stray', 'T04:00:00.000Z is none of its own'],
  ['another name', [...at(1, 2, 3), { schedule: 'null', atMs: 0, jobs: 1 }], 'stray', 'no schedule null'],
])('%s is found', (_, found, what, text) => {
  expect(checkTicks([HOURLY], found, 0, 3 * HOUR_MS)).toEqual([
    { what, text: expect.stringContaining(text) },
  ]);
});

test('with jitter, the instants at the ends may be there or not, and none between may be missing', () => {
  const late = { ...HOURLY, jitterMs: 30 * MINUTE_MS };
  const [from, to] = [10 * MINUTE_MS, 3 * HOUR_MS + 10 * MINUTE_MS];
  expect(checkTicks([late], at(1, 2), from, to)).toEqual([]);
  expect(checkTicks([late], at(0, 1, 2, 3), from, to)).toEqual([]);
  expect(checkTicks([late], at(1, 3), from, to)).toMatchObject([{ what: 'missing' }]);
});

/** The table of `docs/use/schedules.md`, by the wall clock alone. */
test.each([
  ['Europe/Berlin', 150, '2024-03-30T12:00Z', ['2024-03-31T01:00', '2024-04-01T00:30']],
  ['Europe/Berlin', 150, '2024-10-26T12:00Z', ['2024-10-27T00:30', '2024-10-28T01:30']],
  ['Australia/Lord_Howe', 135, '2024-10-05T12:00Z', ['2024-10-05T15:30', '2024-10-06T15:15']],
  ['America/Santiago', 0, '2024-09-07T12:00Z', ['2024-09-08T04:00', '2024-09-09T03:00']],
])('the clock on the wall of %s at minute %i after %s', (timeZone, minute, after, expected) => {
  const from = Date.parse(after);
  const instants = daily(timeZone, minute)(from, from + 42 * HOUR_MS);
  expect(instants.map((instant) => new Date(instant).toISOString().slice(0, 16))).toEqual(expected);
});
