import { expect, test } from 'vitest';
import { handClock } from '../../../test/hand-clock.js';
import type { Uses } from '../../driver/driver.js';
import { DriverError } from '../../driver/driver-error.js';
import type { Moved } from '../../driver/jobs.js';
import { LiveRun } from '../run/live-run.js';
import { Cancellations } from './cancellations.js';

const EVERY_MS = 250;
const HOUR_MS = 3_600_000;
const IDS = Array.from(
  { length: 45 },
  (_, place) => `00000000-0000-7000-8000-${`${place}`.padStart(12, '0')}`,
);
const [ID = '', OTHER = ''] = IDS;

/** The cancellations of a worker, where all jobs are locked. */
function received() {
  const log = { debug() {}, info() {}, warn() {}, error() {} };
  const clock = handClock();
  const moves: string[] = [];
  const meant: (number | undefined)[] = [];
  const world = { answer: 'running' as Moved['outcome'], fails: false, refuses: '' };
  const driver: Uses<{ jobs: 'move' }> = {
    jobs: {
      async move(_, publicIds, { redrives } = {}) {
        if (world.fails) throw new Error('The server is gone.');
        if (publicIds.includes(world.refuses))
          throw new DriverError('Unknown', 'A trigger does not like it.');
        moves.push(...publicIds);
        meant.push(redrives);
        if (world.answer === 'illegal') return [{ outcome: 'illegal', status: 'complete' }];
        return [world.answer === 'running' ? { outcome: 'running', redrives: 1 } : { outcome: world.answer }];
      },
    },
  };
  const live = new Set<LiveRun>();
  const own = new Cancellations({
    ...{ driver, clock, live, log, worker: 'mill' },
    ...{ watchMs: EVERY_MS, alarm: { within() {} } },
  });
  const retry = () => {
    clock.advance(EVERY_MS);
    return own.watch();
  };
  return { own, clock, moves, meant, world, live, retry };
}

function row(publicId: string) {
  const queue = { queue: 'q', kind: 'work', key: null, payload: {}, priority: 0, status: 'new' } as const;
  const counts = {
    attempt: 0,
    maxAttempts: 5,
    crashes: 0,
    redrives: 1,
    metadata: {},
    limits: '',
    createdAt: new Date(0),
    waitedMs: 0,
  };
  return { id: 1n, publicId, ...queue, ...counts };
}

function run(...ids: readonly string[]): LiveRun {
  return new LiveRun('run', ids.map(row), false);
}

test('a run that has the job is cancelled at once, and a later one before it begins', () => {
  const { own, live } = received();
  const running = run(ID);
  live.add(running);
  own.wakeUp({ cancel: ID.toUpperCase(), redrives: 1 });
  expect(running.stopped).toMatchObject({ code: 'ROWLOCK_CANCELLED' });
  const [later, other] = [run(ID, OTHER), run(OTHER)];
  own.began([later, other]);
  expect([...later.cancelled]).toEqual([ID]);
  expect([later.stopped, other.stopped]).toEqual([null, null]);
});

test.each(['moved', 'illegal', 'missing'] as const)(
  'retries a locked job until the answer is %s',
  async (answer) => {
    const { own, moves, world, retry } = received();
    own.wakeUp({ cancel: ID, redrives: 1 });
    expect(await retry()).toBe(true);
    expect(await retry()).toBe(true);
    world.answer = answer;
    expect(await retry()).toBe(false);
    expect(await retry()).toBe(false);
    expect(moves).toEqual([ID, ID, ID]);
  },
);

test('retries no more often than its interval', async () => {
  const { own, clock, moves } = received();
  own.wakeUp({ cancel: ID, redrives: 1 });
  for (const ms of [0, EVERY_MS - 1, 0]) {
    clock.advance(ms);
    expect(await own.watch()).toBe(true);
  }
  expect(moves).toEqual([ID]);
});

test.each([
  ['before it was redriven', 0, false],
  ['as it is', 1, true],
  ['by somebody who did not know', undefined, true],
])('a job that was cancelled %s: by runs that go on and that begin', (_, redrives, isMeant) => {
  const { own, live } = received();
  const [goesOn, begins] = [run(ID), run(ID)];
  live.add(goesOn);
  own.wakeUp({ cancel: ID, ...(redrives !== undefined && { redrives }) });
  own.began([begins]);
  expect([goesOn, begins].map(({ cancelled }) => cancelled.has(ID))).toEqual([isMeant, isMeant]);
});

test('names the number of redrives, as the job may have been redriven since', async () => {
  const { own, meant, retry } = received();
  own.wakeUp({ cancel: ID, redrives: 1 });
  await retry();
  own.wakeUp({ cancel: ID });
  await retry();
  expect(meant).toEqual([1, undefined]);
});

test('ignores what is no public id', async () => {
  const { own, moves, retry } = received();
  own.wakeUp({ cancel: 'nonsense' });
  expect(await retry()).toBe(false);
  expect(moves).toEqual([]);
});

test('a cancellation is dropped after an hour', async () => {
  const { own, clock, retry } = received();
  own.wakeUp({ cancel: ID, redrives: 1 });
  clock.advance(HOUR_MS - 2 * EVERY_MS);
  expect(await retry()).toBe(true);
  expect(await retry()).toBe(false);
});

test('retries some at once, and all in turn', async () => {
  const { own, moves, retry } = received();
  for (const cancel of IDS) own.wakeUp({ cancel, redrives: 1 });
  await retry();
  expect(moves).toHaveLength(20);
  await retry();
  await retry();
  expect(new Set(moves)).toEqual(new Set(IDS));
});

test('retries all when the worker stops', async () => {
  const { own, moves } = received();
  for (const cancel of IDS) own.wakeUp({ cancel, redrives: 1 });
  await own.watch();
  moves.length = 0;
  await own.stop();
  expect(new Set(moves)).toEqual(new Set(IDS));
});

test('retries after a fault', async () => {
  const { own, world, moves, retry } = received();
  own.wakeUp({ cancel: ID, redrives: 1 });
  world.fails = true;
  await expect(retry()).rejects.toThrow('The server is gone.');
  world.fails = false;
  expect(await retry()).toBe(true);
  expect(moves).toEqual([ID]);
});

test('one that the database refuses is no harm to the others, and is not tried for ever', async () => {
  const { own, world, moves, retry } = received();
  world.refuses = ID;
  world.answer = 'moved';
  for (const cancel of [ID, OTHER]) own.wakeUp({ cancel, redrives: 1 });
  expect(await retry()).toBe(false);
  expect(moves).toEqual([OTHER]);
});
