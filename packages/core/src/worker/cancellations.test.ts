import { expect, test } from 'vitest';
import { handClock } from '../../test/hand-clock.js';
import type { Driver, Moved } from '../driver/driver.js';
import type { JobView } from '../job/job.js';
import { Cancellations } from './cancellations.js';
import { LiveRun } from './live-run.js';

const EVERY_MS = 250;
const HOUR_MS = 3_600_000;
const IDS = Array.from(
  { length: 45 },
  (_, place) => `00000000-0000-7000-8000-${`${place}`.padStart(12, '0')}`,
);
const [ID = '', OTHER = ''] = IDS;

const LOCKED: Pick<JobView, 'status' | 'attempt' | 'availableAt'> = {
  status: 'new',
  attempt: 0,
  availableAt: new Date(5),
};

/** What a worker has heard, in a database that has these jobs, each of them locked. */
function hearing(...ids: readonly string[]) {
  const clock = handClock();
  const jobs = new Map(ids.map((id) => [id, LOCKED]));
  const moves: string[] = [];
  const times: (number | undefined)[] = [];
  const world = { answer: 'running' as Moved['outcome'], fails: false };
  const driver: Pick<Driver, 'list' | 'move'> = {
    async list({ publicId = '' }) {
      if (world.fails) throw new Error('The server is gone.');
      const job = jobs.get(publicId);
      return { jobs: job === undefined ? [] : [view(publicId, job)], next: null };
    },
    async move(_, publicId, availableAt) {
      if (world.fails) throw new Error('The server is gone.');
      moves.push(publicId);
      times.push(availableAt);
      if (world.answer === 'illegal') return { outcome: 'illegal', status: 'complete' };
      return world.answer === 'running' ? { outcome: 'running', availableAt: 5 } : { outcome: world.answer };
    },
  };
  const live = new Set<LiveRun>();
  const own = new Cancellations({ driver, clock, everyMs: EVERY_MS, live });
  const ask = () => {
    clock.advance(EVERY_MS);
    return own.ask();
  };
  return { own, clock, jobs, moves, times, world, live, ask };
}

function view(publicId: string, job: typeof LOCKED): JobView {
  const none = { uniqueKey: null, output: null, error: null, processId: null, worker: null, progress: null };
  const ends = { createdBy: '', startedAt: null, startedBy: null, finishedAt: null, finishedBy: null };
  const { id: _, ...rest } = row(publicId);
  return { ...rest, ...none, ...ends, ...job };
}

function row(publicId: string) {
  const queue = { queue: 'q', kind: 'work', key: null, payload: {}, priority: 0, status: 'new' } as const;
  const counts = { attempt: 0, maxAttempts: 5, crashes: 0, metadata: {}, createdAt: new Date(0) };
  return { id: 1n, publicId, ...queue, ...counts };
}

function run(...ids: readonly string[]): LiveRun {
  return new LiveRun('run', ids.map(row), false);
}

test('a run that has the job is told at once, and one that begins later before it does', async () => {
  const { own, live } = hearing(ID);
  const running = run(ID);
  live.add(running);
  own.hear({ cancel: ID.toUpperCase(), availableAt: 5 });
  expect(running.stopped).toMatchObject({ code: 'ROWLOCK_CANCELLED' });
  const [later, other] = [run(ID, OTHER), run(OTHER)];
  await own.reach([later, other]);
  expect([...later.cancelled]).toEqual([ID]);
  expect([later.stopped, other.stopped]).toEqual([null, null]);
});

test.each(['moved', 'illegal', 'missing'] as const)(
  'asks about a locked job until the answer is %s',
  async (answer) => {
    const { own, moves, world, ask } = hearing(ID);
    own.hear({ cancel: ID, availableAt: 5 });
    expect(await ask()).toBe(true);
    expect(await ask()).toBe(true);
    world.answer = answer;
    expect(await ask()).toBe(false);
    expect(await ask()).toBe(false);
    expect(moves).toEqual([ID, ID, ID]);
  },
);

test('asks no more often than it is to', async () => {
  const { own, clock, moves } = hearing(ID);
  own.hear({ cancel: ID, availableAt: 5 });
  for (const ms of [0, EVERY_MS - 1, 0]) {
    clock.advance(ms);
    expect(await own.ask()).toBe(true);
  }
  expect(moves).toEqual([ID]);
});

test.each([
  ['has been redriven', { availableAt: new Date(6) }, false],
  ['was put off by an attempt', { availableAt: new Date(6), attempt: 1 }, true],
  ['has ended', { status: 'cancelled' }, false],
] as const)('a run of a job that %s since', async (_, change, isMeant) => {
  const { own, jobs } = hearing(ID);
  own.hear({ cancel: ID, availableAt: 5 });
  jobs.set(ID, { ...LOCKED, ...change });
  const begins = run(ID);
  await own.reach([begins]);
  expect(begins.cancelled.has(ID)).toBe(isMeant);
});

test('says which time it has heard of, as the job may have been redriven since', async () => {
  const { own, times, ask } = hearing(ID);
  own.hear({ cancel: ID, availableAt: 5 });
  await ask();
  own.hear({ cancel: ID });
  await ask();
  expect(times).toEqual([5, undefined]);
});

test('what is no public id is forgotten', async () => {
  const { own, moves, ask } = hearing();
  own.hear({ cancel: 'nonsense' });
  expect(await ask()).toBe(false);
  expect(moves).toEqual([]);
});

test('an hour later it is forgotten', async () => {
  const { own, clock, ask } = hearing(ID);
  own.hear({ cancel: ID, availableAt: 5 });
  clock.advance(HOUR_MS - 2 * EVERY_MS);
  expect(await ask()).toBe(true);
  expect(await ask()).toBe(false);
});

test('asks about some at once, and in turn', async () => {
  const { own, moves, ask } = hearing(...IDS);
  for (const cancel of IDS) own.hear({ cancel, availableAt: 5 });
  await ask();
  expect(moves).toHaveLength(20);
  await ask();
  await ask();
  expect(new Set(moves)).toEqual(new Set(IDS));
});

test('at last it asks about all', async () => {
  const { own, moves } = hearing(...IDS);
  for (const cancel of IDS) own.hear({ cancel, availableAt: 5 });
  await own.ask();
  moves.length = 0;
  await own.askAtLast();
  expect(new Set(moves)).toEqual(new Set(IDS));
});

test('when the database does not answer it asks again, and a run that begins is told', async () => {
  const { own, world, moves, ask } = hearing(ID);
  own.hear({ cancel: ID, availableAt: 5 });
  world.fails = true;
  await expect(ask()).rejects.toThrow('The server is gone.');
  const begins = run(ID);
  await own.reach([begins]);
  expect(begins.stopped).toMatchObject({ code: 'ROWLOCK_CANCELLED' });
  world.fails = false;
  expect(await ask()).toBe(true);
  expect(moves).toEqual([ID]);
});
