import { expect, test } from 'vitest';
import { z } from 'zod';
import type { ClaimCriteria, Job, Survey } from '../src/driver.js';
import { createRowlock, defineHandler, type Worker } from '../src/index.js';
import { emptyDatabase, job, NOTHING } from './empty-database.js';
import { handClock } from './hand-clock.js';
import { settled } from './resting-worker.js';

const Work = defineHandler({ kind: 'work', payload: z.unknown(), run: () => {} });

/** What a claim brings in a database that has nothing else. */
type Claim = (criteria: ClaimCriteria, clock: ReturnType<typeof handClock>) => Job | undefined;

/** A worker by the hand's clock, on a database in which nothing can be claimed, unless `claim` says so. */
async function startedWorker(survey: Survey, claim: Claim = () => undefined) {
  const clock = handClock();
  const database = emptyDatabase({ claim: (criteria) => claim(criteria, clock), survey: () => survey });
  const silent = { debug() {}, info() {}, warn() {}, error() {} };
  const rowlock = createRowlock({ driver: database.driver, handlers: [Work], clock, log: silent });
  const worker = rowlock.worker();
  const idle = () => new Promise<void>((resolve) => worker.on('idle', resolve));
  const rests = idle();
  await worker.start();
  return { clock, worker, idle, rests, looks: () => database.looks };
}

/** The same when it has come to rest. */
async function idleWorker(survey: Survey, claim?: Claim) {
  const { rests, ...started } = await startedWorker(survey, claim);
  await rests;
  return started;
}

test('while somebody holds what is due a worker looks again every 250 ms, because one that dies tells nobody', async () => {
  const { clock, worker, idle, looks } = await idleWorker({ ...NOTHING, waiting: true });
  for (const expected of [1, 2, 3]) {
    expect(looks()).toBe(expected);
    clock.advance(249);
    expect(looks()).toBe(expected);
    const rests = idle();
    clock.advance(1);
    await rests;
  }
  await worker.stop();
});

test('a worker looks when the next job becomes due, if that is before its next look anyway', async () => {
  const { clock, worker, idle, looks } = await idleWorker({ ...NOTHING, nextDueMs: 1_234 });
  clock.advance(1_233);
  expect(looks()).toBe(1);
  const rests = idle();
  clock.advance(1);
  await rests;
  expect(looks()).toBe(2);
  await worker.stop();
});

test('when there is nothing to wait for a worker waits for a wake-up', async () => {
  const { clock, worker, looks } = await idleWorker(NOTHING);
  clock.advance(3_600_000);
  expect(looks()).toBe(1);
  await worker.stop();
});

test('while what is due is held, and looks take long, the next one is as much later', async () => {
  const slow: Claim = (_, clock) => {
    clock.advance(102);
    return undefined;
  };
  const { clock, worker, idle, looks } = await idleWorker({ ...NOTHING, waiting: true }, slow);
  const second = idle();
  clock.advance(250);
  await second;
  expect(looks()).toBe(2);
  clock.advance(899);
  // What an alarm brings about comes after this.
  await new Promise((resolve) => setImmediate(resolve));
  expect(looks()).toBe(2);
  const third = idle();
  clock.advance(1);
  await third;
  expect(looks()).toBe(3);
  await worker.stop();
});

test('after a look that took long a worker goes on where it has got to, and looks back once more before it rests', async () => {
  const jobs = [5, 6, 7].map((id) => job(BigInt(id)));
  const lines: bigint[] = [];
  const claim: Claim = ({ line }, clock) => {
    lines.push(line.id);
    if (line.id === 0n) clock.advance(102);
    const place = jobs.findIndex(({ id }) => id > line.id);
    return place === -1 ? undefined : jobs.splice(place, 1)[0];
  };
  const { clock, worker, rests } = await startedWorker(NOTHING, claim);
  await settled();
  expect(jobs).toEqual([]);
  expect(lines[0]).toBe(0n);
  // Of what lies behind it nothing was looked at while it worked.
  expect(lines.slice(1)).not.toContain(0n);

  // A job that comes back behind the line is found when the look is due, and no wake-up tells of it.
  jobs.push(job(1n));
  lines.length = 0;
  clock.advance(100);
  await settled();
  expect(lines[0]).toBe(0n);
  expect(jobs).toEqual([]);
  clock.advance(900);
  await rests;
  await worker.stop();
});

/** A worker by the hand's clock whose only handler runs until its signal is aborted. */
async function busyWorker() {
  const clock = handClock();
  const jobs = [job(1n)];
  const { driver } = emptyDatabase({ claim: () => jobs.shift(), survey: () => NOTHING });
  let given: AbortSignal | undefined;
  const handler = defineHandler({
    kind: 'work',
    payload: z.unknown(),
    timeout: '2h',
    run: ({ signal }) =>
      new Promise<void>((_, reject) => {
        given = signal;
        signal.addEventListener('abort', () => reject(signal.reason));
      }),
  });
  const silent = { debug() {}, info() {}, warn() {}, error() {} };
  const worker = createRowlock({ driver, handlers: [handler], clock, log: silent }).worker();
  const runs = new Promise<void>((resolve) => worker.on('run', () => resolve()));
  await worker.start();
  await runs;
  await turns();
  return { clock, worker, aborted: () => given?.aborted };
}

/** What needs no time has happened. */
async function turns(): Promise<void> {
  for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
}

/** Stops it, and has it wait for what runs. */
async function stop(worker: Worker<unknown>, options?: Parameters<Worker<unknown>['stop']>[0]) {
  const stopped = worker.stop(options);
  await turns();
  return { stopped };
}

test('a handler has 20 s to end when its worker stops, so that with 5 s more all is over before a platform kills', async () => {
  const { clock, worker, aborted } = await busyWorker();
  const { stopped } = await stop(worker);
  clock.advance(19_999);
  expect(aborted()).toBe(false);
  clock.advance(1);
  expect(aborted()).toBe(true);
  await stopped;
});

test('a stop is hurried by a second one that is sooner, and not by one that does not say', async () => {
  const { clock, worker, aborted } = await busyWorker();
  const { stopped } = await stop(worker, { drain: '1h' });
  clock.advance(60_000);
  await stop(worker, { drain: '59m' });
  await stop(worker);
  clock.advance(60_000);
  expect(aborted()).toBe(false);
  const second = await stop(worker, { drain: '1s' });
  expect(second.stopped).toBe(stopped);
  clock.advance(999);
  expect(aborted()).toBe(false);
  clock.advance(1);
  expect(aborted()).toBe(true);
  await stopped;
  await worker.stop({ drain: 0 });
});

test('a stop that is hurried while the worker still starts waits no longer than the second says', async () => {
  const { driver } = emptyDatabase({ claim: () => undefined, survey: () => NOTHING });
  const clock = handClock();
  const worker = createRowlock({ driver, handlers: [Work], clock }).worker();
  const started = worker.start();
  const stopped = worker.stop();
  await expect(worker.stop({ drain: -1 })).rejects.toMatchObject({ code: 'ROWLOCK_INVALID_INPUT' });
  expect(worker.stop({ drain: 0 })).toBe(stopped);
  await started;
  await stopped;
});

test('a worker that was stopped does not start again, and says what to do', async () => {
  const { worker } = await idleWorker(NOTHING);
  await worker.stop();
  await expect(worker.start()).rejects.toMatchObject({
    code: 'ROWLOCK_WORKER_STOPPED',
    message: expect.stringContaining('make a new one'),
  });
});

test('a stop that is told nonsense rejects, and stops nothing', async () => {
  const { worker } = await idleWorker(NOTHING);
  let stops = 0;
  worker.on('stop', () => {
    stops += 1;
  });
  await expect(worker.stop({ drain: -1 })).rejects.toMatchObject({ code: 'ROWLOCK_INVALID_INPUT' });
  expect(stops).toBe(0);
  await worker.stop();
  expect(stops).toBe(1);
});

test('a job that nobody here serves, and that others of its key wait behind, is told of once for its kind', async () => {
  const strange = { ...job(1n, 'a'), kind: 'strange' };
  const { driver } = emptyDatabase({
    claim: ({ line }) => (line.id === 0n ? job(2n, 'a') : undefined),
    survey: () => NOTHING,
    session: { lockSiblings: async () => [strange, job(2n, 'a')] },
  });
  const warnings: unknown[] = [];
  const log = { debug() {}, info() {}, warn: (...line: unknown[]) => void warnings.push(line), error() {} };
  const clock = handClock();
  const worker = createRowlock({ driver, handlers: [Work], clock, log }).worker({ concurrency: 1 });
  let blocked = 0;
  worker.on('blocked', () => {
    blocked += 1;
  });
  await worker.start();
  while (blocked < 3) {
    await turns();
    clock.advance(1_000);
  }
  await worker.stop();
  const facts = { queue: 'default', kind: 'strange', key: 'a', publicId: 'job 1' };
  expect(warnings).toEqual([
    [facts, expect.stringMatching(/this worker does not serve holds up the later ones of its key/)],
  ]);
});

test.each(['pollInterval', 'watchInterval'])('%s is at least 10 ms: less would be a loop', (option) => {
  const { driver } = emptyDatabase({ claim: () => undefined, survey: () => NOTHING });
  const rowlock = createRowlock({ driver, handlers: [Work] });
  for (const interval of [0, 9, '0s'] as const) {
    expect(() => rowlock.worker({ [option]: interval })).toThrow(
      expect.objectContaining({ code: 'ROWLOCK_INVALID_INPUT', message: expect.stringContaining(option) }),
    );
  }
  rowlock.worker({ [option]: 10 });
});

test('close stops a worker that runs before it closes the driver', async () => {
  const happened: string[] = [];
  const { driver } = emptyDatabase({ claim: () => undefined, survey: () => NOTHING });
  const close = async (): Promise<void> => void happened.push('close');
  const rowlock = createRowlock({ driver: { ...driver, close }, handlers: [Work] });
  const worker = rowlock.worker().on('stop', () => happened.push('stop'));
  await worker.start();
  const late = rowlock.worker();
  await rowlock.close();
  expect(happened).toEqual(['stop', 'close']);
  await expect(late.start()).rejects.toMatchObject({ code: 'ROWLOCK_WORKER_STOPPED' });
});
