import { expect, test } from 'vitest';
import { z } from 'zod';
import { createRowlock, DriverError, defineHandler } from '../src/index.js';
import { type Answers, emptyDatabase, NOTHING } from './empty-database.js';
import { handClock } from './hand-clock.js';
import { settled } from './resting-worker.js';

const Work = defineHandler({ kind: 'work', payload: z.unknown(), run: () => {} });
const SILENT = { debug() {}, info() {}, warn() {}, error() {} };

/** A Rowlock by the hand's clock, on a database in which nothing can be claimed. */
function onSurvey(survey: Answers['survey'], reclaim?: Answers['reclaim']) {
  const clock = handClock();
  const { driver } = emptyDatabase({ claim: () => undefined, survey, ...(reclaim && { reclaim }) });
  const jobs = { ...driver.jobs, count: async () => ({ count: 0, next: null }) };
  const rowlock = createRowlock({ driver: { ...driver, jobs }, handlers: [Work], clock, log: SILENT });
  return { clock, rowlock };
}

test('it ends at once where nothing is due, and says when the next job, tick or pause comes', async () => {
  const { rowlock } = onSurvey(() => ({ ...NOTHING, nextDueMs: 5_000, nextTickMs: 1_234 }));
  expect(await rowlock.runUntilIdle()).toEqual({
    ended: 'idle',
    ...{ completed: 0, failed: 0, cancelled: 0, retried: 0 },
    remaining: {
      waiting: { count: 0, more: false },
      running: { count: 0, more: false },
      due: false,
      nextMs: 1_234,
    },
  });
});

test('where jobs are due that cannot be claimed, it ends after half a second', async () => {
  const { clock, rowlock } = onSurvey(() => ({ ...NOTHING, waiting: true, unlimited: true }));
  let isOver = false;
  const report = rowlock.runUntilIdle().finally(() => {
    isOver = true;
  });
  await settled();
  for (let ms = 0; ms < 499; ms++) {
    clock.advance(1);
    await new Promise((resolve) => setImmediate(resolve));
  }
  expect(isOver).toBe(false);
  for (; !isOver; await settled()) clock.advance(1);
  expect(await report).toMatchObject({ ended: 'idle', remaining: { due: true, nextMs: null } });
});

test('where ever more jobs become due that cannot be claimed, it ends after half a second', async () => {
  let surveys = 0;
  const { clock, rowlock } = onSurvey(() => {
    surveys += 1;
    // Every second one: the worker itself would look again at once for what each of its surveys has promoted.
    return { ...NOTHING, promoted: surveys % 2 === 0 ? 1 : 0, waiting: true, unlimited: true };
  });
  let isOver = false;
  const report = rowlock.runUntilIdle().finally(() => {
    isOver = true;
  });
  for (await settled(); !isOver && clock.now() < 5_000; await settled()) clock.advance(50);
  expect(isOver).toBe(true);
  await report;
});

test('where a process stalls while the worker of a lease is missing, it waits until the lease is put back', async () => {
  let leased = true;
  const { clock, rowlock } = onSurvey(
    () => ({ ...NOTHING, leased }),
    async ({ dead }) => {
      leased &&= !dead.includes('w4');
      return { reclaimed: dead.length, missing: leased ? ['w4'] : [], own: [], refused: [] };
    },
  );
  let isOver = false;
  const report = rowlock.runUntilIdle().finally(() => {
    isOver = true;
  });
  await settled();
  for (const _ of [1, 2, 3]) {
    clock.advance(1_500);
    await settled();
  }
  expect({ isOver, leased }).toEqual({ isOver: false, leased: true });
  for (; !isOver; await settled()) clock.advance(50);
  expect(leased).toBe(false);
  expect(await report).toMatchObject({ ended: 'idle' });
});

test('a lease of a missing worker that the database refuses to put back keeps it for ten seconds', async () => {
  const { clock, rowlock } = onSurvey(
    () => ({ ...NOTHING, leased: true }),
    async () => ({ reclaimed: 0, missing: ['w4'], own: [], refused: [] }),
  );
  let isOver = false;
  const report = rowlock.runUntilIdle().finally(() => {
    isOver = true;
  });
  await settled();
  for (; clock.now() < 9_900; await settled()) clock.advance(100);
  expect(isOver).toBe(false);
  for (; !isOver; await settled()) clock.advance(100);
  expect(clock.now()).toBeLessThan(10_500);
  expect(await report).toMatchObject({ ended: 'idle' });
});

test('a database that cannot be looked at rejects, and the next call starts anew', async () => {
  let surveys = 0;
  const { rowlock } = onSurvey(() => {
    surveys += 1;
    // The first is that of the worker, and the second that of the call.
    if (surveys === 2) throw new DriverError('ConnectionLost', 'it is gone');
    return NOTHING;
  });
  await expect(rowlock.runUntilIdle()).rejects.toMatchObject({ code: 'ConnectionLost' });
  expect(await rowlock.runUntilIdle()).toMatchObject({ ended: 'idle' });
});

test('a worker that cannot start rejects as its start does, and nothing of it is left', async () => {
  const { driver } = emptyDatabase({ claim: () => undefined, survey: () => NOTHING });
  const verify = async () => {
    throw new DriverError('SchemaOutdated', 'run migrate()');
  };
  const schema = { ...driver.schema, verify };
  const rowlock = createRowlock({ driver: { ...driver, schema }, handlers: [Work], log: SILENT });
  for (const _ of [1, 2])
    await expect(rowlock.runUntilIdle()).rejects.toMatchObject({ code: 'SchemaOutdated' });
  await rowlock.close();
  await expect(rowlock.runUntilIdle()).rejects.toMatchObject({ code: 'ROWLOCK_CLOSED' });
});

test('a close meanwhile ends it', async () => {
  const { rowlock } = onSurvey(() => ({ ...NOTHING, waiting: true, unlimited: true }));
  const report = rowlock.runUntilIdle();
  await settled();
  await Promise.all([expect(report).rejects.toMatchObject({ code: 'ROWLOCK_CLOSED' }), rowlock.close()]);
});

test.each([
  [{ atmost: '1s' }, /runUntilIdle\(\) has no "atmost".* Is atMost meant/],
  [{ atMost: 'soon' }, /atMost/],
  [{ drain: -1 }, /drain/],
  [{ queues: ['other'] }, /No handler is of the queue "other"/],
])('%o is refused', async (options, message) => {
  const { rowlock } = onSurvey(() => NOTHING);
  await expect(rowlock.runUntilIdle(Object(options))).rejects.toThrow(message);
});
