import { expect, test } from 'vitest';
import type { SchedulePlan } from '../driver/schedule-store.js';
import { tickIn } from '../job/tick.js';
import { firingOf } from './firing.js';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const START = Date.parse('2026-05-01T00:00Z');

const JOB = {
  queue: 'reports',
  kind: 'report',
  key: null,
  payload: {},
  priority: 0,
  maxAttempts: 5,
  metadata: { by: 'test' },
  limits: '',
};

const HOURLY: SchedulePlan = {
  job: JOB,
  timing: { everyMs: HOUR, anchorMs: 0, jitterMs: 0 },
  missed: 'once',
  overlap: 'skip',
};

/** What is fired `lateMs` after a time that was due at the start. */
function fired(change: Partial<SchedulePlan>, lateMs: number, name = 'hourly') {
  const plan = { ...HOURLY, ...change };
  const firing = firingOf({ name, plan, fingerprint: 'f', nextAt: START }, START + lateMs);
  const ticks = firing.jobs.map(({ metadata }) => tickIn(metadata));
  return {
    firing,
    at: ticks.map((tick) => ((tick?.scheduledFor.getTime() ?? 0) - START) / HOUR),
    late: ticks.map((tick) => tick?.lateMs),
    next: ((firing.nextAt ?? 0) - START) / HOUR,
  };
}

test('a tick in time is one job, and the next time is the next instant', () => {
  const { firing, at, late, next } = fired({}, 5);
  expect({ at, late, next }).toEqual({ at: [0], late: [5], next: 1 });
  expect(firing.jobs).toMatchObject([
    {
      ...JOB,
      metadata: { by: 'test', rowlock: { tick: { schedule: 'hourly' } } },
      available: { at: new Date(START) },
      unique: { key: 'schedule hourly', scope: 'outstanding' },
    },
  ]);
  expect(firing).toMatchObject({
    name: 'hourly',
    at: START,
    fingerprint: 'f',
    wakeUps: [{ queue: 'reports' }],
  });
});

test('after an outage the newest tick is fired, and no other', () => {
  expect(fired({}, 5.5 * HOUR)).toMatchObject({ at: [5], late: [HOUR / 2], next: 6 });
});

test('after an outage none is fired with skip, unless the newest is in time', () => {
  const missed = 'skip';
  expect(fired({ missed }, 5.5 * HOUR)).toMatchObject({ at: [], next: 6, firing: { jobs: [], wakeUps: [] } });
  expect(fired({ missed }, 5 * HOUR + MINUTE)).toMatchObject({ at: [5], next: 6 });
  expect(fired({ missed }, 5 * HOUR + MINUTE + 1)).toMatchObject({ at: [], next: 6 });
});

test('with skip, a tick of a short period is in time for half of it', () => {
  const short = { missed: 'skip', timing: { everyMs: 10_000, anchorMs: 0, jitterMs: 0 } } as const;
  expect(fired(short, 3_000).at).toEqual([0]);
  expect(fired(short, 5_001).at).toEqual([]);
});

test('after an outage the newest of all are fired, up to their number, in order', () => {
  const all = (max: number) => ({ missed: { all: { max } }, overlap: 'queue' }) as const;
  expect(fired(all(24), 5.5 * HOUR)).toMatchObject({ at: [0, 1, 2, 3, 4, 5], next: 6 });
  expect(fired(all(3), 5.5 * HOUR)).toMatchObject({ at: [3, 4, 5], next: 6 });
  expect(fired(all(6), 5.5 * HOUR)).toMatchObject({ at: [0, 1, 2, 3, 4, 5] });
});

test('an outage of years over all changes of the clocks costs no more than a short one', () => {
  const timing = { cron: '* * * * * *', timeZone: 'Europe/Berlin', jitterMs: 0 };
  const { firing } = fired({ timing, missed: { all: { max: 2 } }, overlap: 'allow' }, 30 * 365 * 24 * HOUR);
  expect(firing.jobs).toHaveLength(2);
});

test('a time that an operator has set by hand is fired too', () => {
  const plan = { ...HOURLY };
  const { jobs, nextAt } = firingOf({ name: 'n', plan, fingerprint: 'f', nextAt: START + 7 }, START + 8);
  expect(jobs.map(({ metadata }) => tickIn(metadata)?.scheduledFor)).toEqual([new Date(START + 7)]);
  expect(nextAt).toBe(START + HOUR);
});

test('overlap: queue gives the jobs a key, unless they have one; allow gives none', () => {
  expect(fired({ overlap: 'queue' }, 0).firing.jobs).toMatchObject([
    { key: 'schedule hourly', unique: null },
  ]);
  expect(fired({ overlap: 'queue', job: { ...JOB, key: 'k' } }, 0).firing.jobs).toMatchObject([{ key: 'k' }]);
  expect(fired({ overlap: 'allow' }, 0).firing.jobs).toMatchObject([{ key: null, unique: null }]);
});

test('the jitter is the same each time, and differs from name to name', () => {
  const timing = { everyMs: HOUR, anchorMs: 0, jitterMs: 30_000 };
  const offsets = ['a', 'b', 'c', 'd'].map((name) => {
    const first = fired({ timing }, 5 * MINUTE, name).firing.nextAt ?? 0;
    const later = fired({ timing }, HOUR + 5 * MINUTE, name).firing.nextAt ?? 0;
    expect(later - first).toBe(HOUR);
    return first - START - HOUR;
  });
  expect(new Set(offsets).size).toBe(4);
  for (const offset of offsets) expect(offset >= 0 && offset <= 30_000).toBe(true);
});

test('the job of a tick with jitter says the instant without it', () => {
  const timing = { everyMs: HOUR, anchorMs: 0, jitterMs: 30_000 };
  const offset = (fired({ timing }, 5 * MINUTE).firing.nextAt ?? 0) - START - HOUR;
  const plan = { ...HOURLY, timing };
  const { jobs } = firingOf(
    { name: 'hourly', plan, fingerprint: 'f', nextAt: START + offset },
    START + offset + 3,
  );
  expect(tickIn(jobs[0]?.metadata ?? {})).toEqual({
    schedule: 'hourly',
    scheduledFor: new Date(START),
    lateMs: 3,
  });
  expect(jobs[0]?.available).toEqual({ at: new Date(START + offset) });
});

test('a schedule that never comes again has no next time', () => {
  const timing = { cron: '0 0 0 1 1 * 2027', timeZone: 'UTC', jitterMs: 0 };
  const nextAt = Date.parse('2027-01-01T00:00Z');
  const plan = { ...HOURLY, timing };
  expect(firingOf({ name: 'n', plan, fingerprint: 'f', nextAt }, nextAt)).toMatchObject({
    nextAt: null,
    jobs: [{}],
  });
});
