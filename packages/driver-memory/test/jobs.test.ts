import { randomUUID } from 'node:crypto';
import { setImmediate as turn } from 'node:timers/promises';
import type { NewJob } from '@rowlock/core/driver';
import { beforeEach, describe, expect, test } from 'vitest';
import { type MemoryDriver, memory, memoryDatabase } from '../src/index.js';

let driver: MemoryDriver;

beforeEach(async () => {
  driver = memory();
  await driver.schema.migrate();
});

const session = () => driver.claims.session({ idleLimitMs: 1e6 });

const PAGE = { limit: 10, before: null };
const START = { priority: -32_768, id: 0n };
const criteria = { queue: 'q', kinds: ['k'], line: START, busy: [], limit: 1 };

function newJob(change: Partial<NewJob> = {}): NewJob {
  return {
    queue: 'q',
    kind: 'k',
    key: null,
    payload: null,
    priority: 0,
    available: { inMs: 0 },
    maxAttempts: 5,
    unique: null,
    metadata: {},
    limits: '',
    createdBy: 'test',
    ...change,
  };
}

test('ids are given at the insert and seen at the commit: a lower one may come later', async () => {
  const early = driver.database.begin();
  await driver.join(early).jobs.enqueue([newJob({ payload: 'early' })]);
  await driver.jobs.enqueue([newJob({ payload: 'late' })]);
  expect((await driver.jobs.list({}, PAGE)).jobs.map(({ payload }) => payload)).toEqual(['late']);
  await early.commit();
  expect((await driver.jobs.list({}, PAGE)).jobs.map(({ payload }) => payload)).toEqual(['late', 'early']);
});

test('an enqueue that fails leaves none of its jobs in a transaction that goes on', async () => {
  const tx = driver.database.begin();
  const store = driver.join(tx);
  const refused = store.jobs.enqueue([newJob({ payload: 'a' }), newJob({ payload: 'a NUL: \0' })]);
  await expect(refused).rejects.toMatchObject({ code: 'InvalidInput' });
  await store.jobs.enqueue([newJob({ payload: 'b' })]);
  await tx.commit();
  expect((await driver.jobs.list({}, PAGE)).jobs.map(({ payload }) => payload)).toEqual(['b']);
});

test('a refused transaction can only be rolled back', async () => {
  await driver.jobs.enqueue([newJob({ key: 'a' }), newJob({ key: 'a' })]);
  const [first, second] = [session(), session()];
  await first.claim(criteria);
  const [job] = await second.claim(criteria);
  await expect(second.lockSiblings({ queue: 'q', keys: ['a'] }, 9)).rejects.toMatchObject({
    code: 'LockNotAvailable',
    cause: expect.objectContaining({
      message: expect.stringMatching(/^job 1 is locked by transaction \d+ of process \d+\.$/),
    }),
  });
  const over = { code: 'TransactionOver' };
  await expect(second.claim(criteria)).rejects.toMatchObject(over);
  await expect(second.undo()).rejects.toMatchObject(over);
  await expect(second.commit()).rejects.toMatchObject(over);
  await second.rollback();
  expect((await first.lockSiblings({ queue: 'q', keys: ['a'] }, 9)).map(({ id }) => id)).toContain(job?.id);
  await first.rollback();
});

test('undo gives back the locks that were taken after the handler began to write', async () => {
  await driver.jobs.enqueue([newJob(), newJob()]);
  const held = session();
  const [first] = await held.claim(criteria);
  await held.handle.set('orders', '1', 'written');
  const [second] = await held.claim({ ...criteria, line: { priority: 0, id: first?.id ?? 0n } });
  await held.undo();
  const other = session();
  expect((await other.claim(criteria)).map(({ id }) => id)).toEqual([second?.id]);
  await Promise.all([held.rollback(), other.rollback()]);
});

describe('a duplicate of a job', () => {
  const unique = { key: 'once', scope: 'outstanding' } as const;

  /** An enqueue, and whether it has come to its end. */
  async function enqueue() {
    const enqueued = driver.jobs.enqueue([newJob({ unique })]);
    let isDone = false;
    const done = enqueued.then(() => {
      isDone = true;
    });
    for (let turns = 0; turns < 20; turns++) await turn();
    return { enqueued, done, waits: !isDone };
  }

  for (const [end, outcome] of [
    ['commit', 'duplicate'],
    ['rollback', 'enqueued'],
  ] as const) {
    test(`that is not committed waits for its ${end}, and is ${outcome}`, async () => {
      const tx = driver.database.begin();
      await driver.join(tx).jobs.enqueue([newJob({ unique })]);
      const second = await enqueue();
      expect(second.waits).toBe(true);
      await tx[end]();
      expect(await second.enqueued).toMatchObject([{ outcome }]);
    });
  }

  test('whose settlement is not committed waits for that', async () => {
    await driver.jobs.enqueue([newJob({ unique })]);
    const held = session();
    const [job] = await held.claim(criteria);
    expect((await enqueue()).waits, 'while the handler runs').toBe(false);
    const ending = { event: 'complete', attempt: 1, crashes: 0, delayMs: 0, tookMs: 0, error: null } as const;
    await held.settle([{ ...ending, runId: randomUUID(), id: job?.id ?? 0n, output: null, by: 'test' }]);
    const second = await enqueue();
    expect(second.waits).toBe(true);
    await held.commit();
    expect(await second.enqueued).toMatchObject([{ outcome: 'enqueued' }]);
  });
});

test("a transaction of another database is refused, and so is what is no memory's", async () => {
  const stranger = memoryDatabase().begin();
  expect(() => driver.join(stranger)).toThrow("a transaction of this driver's database");
  expect(() => driver.join({ ...stranger })).toThrow("a transaction of this driver's database");
  await stranger.rollback();
});
