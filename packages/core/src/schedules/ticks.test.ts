import { expect, test } from 'vitest';
import { handClock } from '../../test/hand-clock.js';
import { scheduleRow } from '../../test/schedule-row.js';
import { DriverError } from '../driver/driver-error.js';
import type { Firing, ScheduleRow, Timing } from '../driver/schedule-store.js';
import { Ticks } from './ticks.js';

const SECOND = 1_000;

const silent = { debug() {}, info() {}, warn() {}, error() {} };

const EVERY_MINUTE: Timing = { everyMs: 60_000, anchorMs: 0, jitterMs: 0 };

function row(name: string, timing = EVERY_MINUTE): ScheduleRow {
  const job = {
    queue: 'q',
    kind: 'k',
    key: null,
    payload: {},
    priority: 0,
    maxAttempts: 5,
    metadata: {},
    limits: '',
  };
  const plan = { job, timing, missed: 'once', overlap: 'skip' } as const;
  return scheduleRow({ name, plan, fingerprint: 'f', source: 'dynamic', nextAt: 60_000, read: null });
}

/** A database whose clock is the worker's, and a worker's ticks. */
function ticking(rows: readonly ScheduleRow[]) {
  const clock = handClock();
  const table = new Map(rows.map((each) => [each.name, each]));
  const world = { looks: 0, fails: false, isTaken: false, refuses: '', except: [] as readonly string[] };
  const fired: [name: string, at: number][] = [];
  const broken: string[] = [];
  const notes: [name: string, why: string][] = [];
  const faults: unknown[] = [];
  const warnings: string[] = [];
  const stopping = new AbortController();
  const ticks = new Ticks({
    clock,
    watchMs: 250,
    isDeclared: true,
    worker: 'mill',
    stopping: stopping.signal,
    log: {
      ...silent,
      error: (fields: object) => broken.push(Object(fields).schedule),
      warn: (_, message) => void warnings.push(message),
    },
    events: { emit: (_, ...given) => void faults.push(...given) },
    driver: {
      schedules: {
        async due(except, limit) {
          world.looks += 1;
          world.except = except;
          if (world.fails) throw new Error('The server is gone.');
          const now = clock.now();
          const next = Math.min(
            ...[...table.values()].map(({ nextAt }) => nextAt ?? Number.POSITIVE_INFINITY),
          );
          const due = [...table.values()].filter(
            ({ name, nextAt }) => nextAt !== null && nextAt <= now && !except.includes(name),
          );
          return { now, schedules: due.slice(0, limit), nextMs: Number.isFinite(next) ? next - now : null };
        },
        async fire(firings: readonly Firing[]) {
          if (world.isTaken) return [];
          if (firings.some(({ name }) => name === world.refuses))
            throw new DriverError('Unknown', 'This job is not welcome.');
          for (const { name, at, nextAt } of firings) {
            fired.push([name, at / SECOND]);
            const known = table.get(name);
            if (known !== undefined) table.set(name, { ...known, nextAt });
          }
          return firings.map(({ name }) => name);
        },
        async noteBroken({ name }, why) {
          notes.push([name, why]);
        },
      },
    },
  });
  const pass = async (ms: number): Promise<void> => {
    clock.advance(ms);
    await settled();
  };
  const stop = (): Promise<void> => {
    stopping.abort();
    return ticks.stop();
  };
  return { clock, ticks, world, fired, broken, notes, faults, warnings, pass, stop };
}

/** Until what has been begun is over. */
const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test('fires at the time that a look has found, and looks no more often', async () => {
  const { ticks, world, fired, pass } = ticking([row('a'), row('b')]);
  ticks.start();
  await settled();
  await pass(59_999);
  expect({ looks: world.looks, fired }).toEqual({ looks: 1, fired: [] });
  await pass(1);
  expect(fired).toEqual([
    ['a', 60],
    ['b', 60],
  ]);
  await pass(60_000);
  expect(fired).toHaveLength(4);
  expect(world.looks).toBe(5);
});

test('a survey that finds nothing costs nothing, and one that finds a time sets the alarm', async () => {
  const { ticks, world, fired, pass } = ticking([row('a')]);
  ticks.surveyed({ nextTickMs: null });
  await pass(60_000);
  expect(world.looks).toBe(0);
  ticks.surveyed({ nextTickMs: -1 });
  await settled();
  expect(fired).toEqual([['a', 60]]);
  ticks.surveyed({ nextTickMs: 5 });
  const { looks } = world;
  await pass(5);
  expect(world.looks).toBe(looks + 1);
});

test('without a schedule there is no next look', async () => {
  const { ticks, world, pass } = ticking([]);
  ticks.start();
  await pass(3_600_000);
  expect(world.looks).toBe(1);
});

test('while another worker is firing, looks again in a moment', async () => {
  const { ticks, world, fired, pass } = ticking([row('a')]);
  world.isTaken = true;
  await pass(60_000);
  ticks.start();
  await settled();
  expect(world.looks).toBe(1);
  world.isTaken = false;
  await pass(249);
  expect(fired).toEqual([]);
  await pass(1);
  expect(fired).toEqual([['a', 60]]);
});

test('a schedule whose times cannot be computed here is left to others, and holds up no other', async () => {
  const { ticks, world, fired, broken, notes, pass } = ticking([
    row('broken', { cron: '0 0 * * *', timeZone: 'Mars/Olympus', jitterMs: 0 }),
    row('a'),
  ]);
  await pass(60_000);
  ticks.start();
  await settled();
  expect({ fired, broken, except: world.except }).toEqual({
    fired: [['a', 60]],
    broken: ['broken'],
    except: ['broken'],
  });
  await pass(250);
  expect(notes).toEqual([['broken', expect.stringContaining('The schedule "broken" cannot be fired here')]]);
  for (let second = 0; second < 60; second++) await pass(SECOND);
  expect(broken).toEqual(['broken']);
  expect(notes.length).toBeGreaterThan(3);
  expect(notes.length).toBeLessThan(15);
});

test.each([
  ['everyMs of 0', { everyMs: 0, anchorMs: 0, jitterMs: 0 }],
  ['everyMs of text', { everyMs: 'often', anchorMs: 0, jitterMs: 0 }],
  ['no anchor', { everyMs: 60_000, jitterMs: 0 }],
  ['a jitter of text', { everyMs: 60_000, anchorMs: 0, jitterMs: '5' }],
  ['a form of a later version', { sunrise: 'Oslo', jitterMs: 0 }],
  ['nothing', null],
])('a row whose timing has %s holds up no other one', async (_, timing) => {
  const odd = row('odd');
  const plan = { ...Object(odd.plan), timing };
  const { ticks, fired, notes, pass } = ticking([{ ...odd, plan }, row('a')]);
  await pass(60_000);
  ticks.start();
  await settled();
  expect(fired).toEqual([['a', 60]]);
  expect(notes).toEqual([['odd', expect.stringContaining('"timing" of its row')]]);
});

test('a schedule that the database refuses is set aside, and fires when it is set anew', async () => {
  const { ticks, world, fired, broken, notes, faults, pass } = ticking([row('a'), row('bad'), row('c')]);
  world.refuses = 'bad';
  await pass(60_000);
  ticks.start();
  await settled();
  expect({ fired, broken }).toEqual({
    fired: [
      ['a', 60],
      ['c', 60],
    ],
    broken: ['bad'],
  });
  expect({ notes, faults: faults.length }).toEqual({
    notes: [['bad', 'This job is not welcome.']],
    faults: 1,
  });
  world.refuses = '';
  ticks.wakeUp({ schedule: 'bad' });
  await settled();
  expect(fired.at(-1)).toEqual(['bad', 60]);
});

test('after a fault it tries again, after pauses that grow', async () => {
  const { ticks, world, fired, faults, pass } = ticking([row('a')]);
  await pass(60_000);
  world.fails = true;
  ticks.start();
  await settled();
  for (let second = 0; second < 30; second++) await pass(SECOND);
  expect(faults.length).toBeGreaterThan(2);
  expect(faults.length).toBeLessThan(10);
  world.fails = false;
  await pass(30_000);
  expect(fired).toEqual([['a', 60]]);
});

test('an outage has one line a minute, and the next one is news', async () => {
  const { ticks, world, warnings, pass } = ticking([row('a')]);
  const minute = async (): Promise<void> => {
    for (let second = 0; second < 60; second++) await pass(SECOND);
  };
  world.fails = true;
  ticks.start();
  await settled();
  await minute();
  expect(warnings.length).toBeLessThanOrEqual(2);
  await minute();
  expect(warnings.length).toBeLessThanOrEqual(3);
  const before = warnings.length;
  world.fails = false;
  await minute();
  expect(warnings).toHaveLength(before);
  world.fails = true;
  await minute();
  expect(warnings).toHaveLength(before + 1);
});

test('a look that is called for during another one follows it', async () => {
  const { ticks, world } = ticking([]);
  ticks.start();
  ticks.start();
  ticks.start();
  await settled();
  expect(world.looks).toBe(2);
  ticks.start();
  await Promise.resolve();
  ticks.start();
  await settled();
  expect(world.looks).toBe(4);
});

test('fires nothing more once it is stopped', async () => {
  const { ticks, world, fired, pass, stop } = ticking([row('a')]);
  ticks.start();
  await stop();
  ticks.start();
  ticks.surveyed({ nextTickMs: -1 });
  await pass(120_000);
  expect({ looks: world.looks, fired }).toEqual({ looks: 1, fired: [] });
});
