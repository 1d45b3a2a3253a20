import { expect, test } from 'vitest';
import { z } from 'zod';
import { type ClaimCriteria, createRowlock, defineHandler, type Job, type Survey } from '../src/index.js';
import { emptyDatabase, job, NOTHING } from './empty-database.js';
import { handClock } from './hand-clock.js';

const Work = defineHandler({ kind: 'work', payload: z.unknown(), run: () => {} });

/** What a claim brings in a database that has nothing else. */
type Claim = (criteria: ClaimCriteria, clock: ReturnType<typeof handClock>) => Job | undefined;

/** A worker by the hand's clock, on a database in which nothing can be claimed, unless `claim` says so. */
async function idleWorker(survey: Survey, claim: Claim = () => undefined) {
  const clock = handClock();
  const database = emptyDatabase({ claim: (criteria) => claim(criteria, clock), survey: () => survey });
  const silent = { debug() {}, info() {}, warn() {}, error() {} };
  const rowlock = createRowlock({ driver: database.driver, handlers: [Work], clock, log: silent });
  const worker = rowlock.worker();
  const idle = () => new Promise<void>((resolve) => worker.on('idle', resolve));
  const rests = idle();
  await worker.start();
  await rests;
  return { clock, worker, idle, looks: () => database.looks };
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

test('while what is due is held, and a look takes long, the next one is as much later', async () => {
  const slow: Claim = (_, clock) => {
    clock.advance(102);
    return undefined;
  };
  const { clock, worker, idle, looks } = await idleWorker({ ...NOTHING, waiting: true }, slow);
  clock.advance(899);
  // What an alarm brings about comes after this.
  await new Promise((resolve) => setImmediate(resolve));
  expect(looks()).toBe(1);
  const rests = idle();
  clock.advance(1);
  await rests;
  expect(looks()).toBe(2);
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
  const { clock, worker, idle } = await idleWorker(NOTHING, claim);
  expect(jobs).toEqual([]);
  expect(lines[0]).toBe(0n);
  // Of what lies behind it nothing was looked at while it worked.
  expect(lines.slice(1)).not.toContain(0n);

  // A job that comes back behind the line is found when the look is due, and no wake-up tells of it.
  jobs.push(job(1n));
  lines.length = 0;
  const rests = idle();
  clock.advance(900);
  await rests;
  expect(lines[0]).toBe(0n);
  expect(jobs).toEqual([]);
  await worker.stop();
});
