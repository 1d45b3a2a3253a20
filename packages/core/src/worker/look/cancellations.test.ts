import { expect, test } from 'vitest';
import { handClock } from '../../../test/hand-clock.js';
import type { Driver } from '../../driver/driver.js';
import type { Moved } from '../../driver/store.js';
import { LiveRun } from '../run/live-run.js';
import { Cancellations } from './cancellations.js';

const EVERY_MS = 250;
const HOUR_MS = 3_600_000;
const IDS = Array.from(
  { length: 45 },
  (_, place) => `00000000-0000-7000-8000-${`${place}`.padStart(12, '0')}`,
);
const [ID = '', OTHER = ''] = IDS;

/** What a worker has heard, where all jobs are locked. */
function hearing() {
  const clock = handClock();
  const moves: string[] = [];
  const meant: (number | undefined)[] = [];
  const world = { answer: 'running' as Moved['outcome'], fails: false };
  const driver: Pick<Driver, 'move'> = {
    async move(_, publicId, redrives) {
      if (world.fails) throw new Error('The server is gone.');
      moves.push(publicId);
      meant.push(redrives);
      if (world.answer === 'illegal') return { outcome: 'illegal', status: 'complete' };
      return world.answer === 'running' ? { outcome: 'running', redrives: 1 } : { outcome: world.answer };
    },
  };
  const live = new Set<LiveRun>();
  const own = new Cancellations({ driver, clock, everyMs: EVERY_MS, live });
  const ask = () => {
    clock.advance(EVERY_MS);
    return own.ask();
  };
  return { own, clock, moves, meant, world, live, ask };
}

function row(publicId: string) {
  const queue = { queue: 'q', kind: 'work', key: null, payload: {}, priority: 0, status: 'new' } as const;
  const counts = {
    attempt: 0,
    maxAttempts: 5,
    crashes: 0,
    redrives: 1,
    metadata: {},
    createdAt: new Date(0),
  };
  return { id: 1n, publicId, ...queue, ...counts };
}

function run(...ids: readonly string[]): LiveRun {
  return new LiveRun('run', ids.map(row), false);
}

test('a run that has the job is told at once, and one that begins later before it does', () => {
  const { own, live } = hearing();
  const running = run(ID);
  live.add(running);
  own.hear({ cancel: ID.toUpperCase(), redrives: 1 });
  expect(running.stopped).toMatchObject({ code: 'ROWLOCK_CANCELLED' });
  const [later, other] = [run(ID, OTHER), run(OTHER)];
  own.reach([later, other]);
  expect([...later.cancelled]).toEqual([ID]);
  expect([later.stopped, other.stopped]).toEqual([null, null]);
});

test.each(['moved', 'illegal', 'missing'] as const)(
  'asks about a locked job until the answer is %s',
  async (answer) => {
    const { own, moves, world, ask } = hearing();
    own.hear({ cancel: ID, redrives: 1 });
    expect(await ask()).toBe(true);
    expect(await ask()).toBe(true);
    world.answer = answer;
    expect(await ask()).toBe(false);
    expect(await ask()).toBe(false);
    expect(moves).toEqual([ID, ID, ID]);
  },
);

test('asks no more often than it is to', async () => {
  const { own, clock, moves } = hearing();
  own.hear({ cancel: ID, redrives: 1 });
  for (const ms of [0, EVERY_MS - 1, 0]) {
    clock.advance(ms);
    expect(await own.ask()).toBe(true);
  }
  expect(moves).toEqual([ID]);
});

test.each([
  ['before it was redriven', 0, false],
  ['as it is', 1, true],
  ['by somebody who did not know', undefined, true],
])('a job that was cancelled %s: by runs that go on and that begin', (_, redrives, isMeant) => {
  const { own, live } = hearing();
  const [goesOn, begins] = [run(ID), run(ID)];
  live.add(goesOn);
  own.hear({ cancel: ID, ...(redrives !== undefined && { redrives }) });
  own.reach([begins]);
  expect([goesOn, begins].map(({ cancelled }) => cancelled.has(ID))).toEqual([isMeant, isMeant]);
});

test('says which job it has heard of, as it may have been redriven since', async () => {
  const { own, meant, ask } = hearing();
  own.hear({ cancel: ID, redrives: 1 });
  await ask();
  own.hear({ cancel: ID });
  await ask();
  expect(meant).toEqual([1, undefined]);
});

test('what is no public id is forgotten', async () => {
  const { own, moves, ask } = hearing();
  own.hear({ cancel: 'nonsense' });
  expect(await ask()).toBe(false);
  expect(moves).toEqual([]);
});

test('an hour later it is forgotten', async () => {
  const { own, clock, ask } = hearing();
  own.hear({ cancel: ID, redrives: 1 });
  clock.advance(HOUR_MS - 2 * EVERY_MS);
  expect(await ask()).toBe(true);
  expect(await ask()).toBe(false);
});

test('asks about some at once, and in turn', async () => {
  const { own, moves, ask } = hearing();
  for (const cancel of IDS) own.hear({ cancel, redrives: 1 });
  await ask();
  expect(moves).toHaveLength(20);
  await ask();
  await ask();
  expect(new Set(moves)).toEqual(new Set(IDS));
});

test('at last it asks about all', async () => {
  const { own, moves } = hearing();
  for (const cancel of IDS) own.hear({ cancel, redrives: 1 });
  await own.ask();
  moves.length = 0;
  await own.askAtLast();
  expect(new Set(moves)).toEqual(new Set(IDS));
});

test('when the database does not answer it asks again', async () => {
  const { own, world, moves, ask } = hearing();
  own.hear({ cancel: ID, redrives: 1 });
  world.fails = true;
  await expect(ask()).rejects.toThrow('The server is gone.');
  world.fails = false;
  expect(await ask()).toBe(true);
  expect(moves).toEqual([ID]);
});
