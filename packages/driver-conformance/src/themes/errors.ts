import {
  createRowlock,
  DriverError,
  type DriverErrorCode,
  defineHandler,
  isDriverError,
} from '@rowlock/core';
import { expect } from 'vitest';
import { countStates } from '../count-states.js';
import type { SampledCode } from '../driver-harness.js';
import { moveOne } from '../move-one.js';
import { theme } from '../theme.js';
import { until } from '../until.js';
import { AnyJson } from '../worker-process.js';

const RETRYABLE: ReadonlySet<DriverErrorCode> = new Set([
  'LockTimeout',
  'Deadlock',
  'SerializationFailure',
  'ConnectionLost',
  'StatementCancelled',
  'OutOfResources',
]);

const SAMPLED: readonly SampledCode[] = [
  'LockNotAvailable',
  'LockTimeout',
  'Deadlock',
  'SerializationFailure',
  'StatementCancelled',
  'OutOfResources',
  'UniqueViolation',
  'PermissionDenied',
  'Unknown',
];

/** What a rejected promise was rejected with. */
async function reasonOf(work: Promise<unknown>): Promise<unknown> {
  const [outcome] = await Promise.allSettled([work]);
  if (outcome.status === 'fulfilled') throw new Error('It was expected to reject.');
  return outcome.reason;
}

export const errors = theme('errors', (test) => {
  for (const code of SAMPLED) {
    test(`${code} is known by its code, and keeps what the server said`, async ({ database }) => {
      const sample = database.samples[code];
      if (typeof sample !== 'function') {
        expect(sample.because.length, 'a reason').toBeGreaterThan(10);
        return;
      }
      const error = await reasonOf(sample());
      if (!isDriverError(error)) throw new Error(`Not classified: ${String(error)}`);
      expect(error).toBeInstanceOf(DriverError);
      expect(error.code).toBe(code);
      expect(error.isRetryable).toBe(RETRYABLE.has(code));
      expect(error.message.length).toBeGreaterThan(5);
      expect(error.cause).toBeInstanceOf(Error);
    });
  }

  test('a driver whose server cannot be reached rejects every verb with ConnectionLost', async ({
    process,
    newJob,
    queue,
    key,
    claim,
  }) => {
    const dead = await process();
    await countStates(dead.driver, { queue });
    await dead.kill();
    const { driver } = dead;
    // A connection that idles in a pool may be handed out once more before it is seen to be gone.
    const verbs: readonly (readonly [string, () => Promise<unknown>])[] = [
      ['enqueue', () => driver.jobs.enqueue([newJob()])],
      ['list', () => driver.jobs.list({ queue }, { limit: 1, before: null })],
      ['count', () => countStates(driver, { queue })],
      ['move', () => moveOne(driver, 'cancel', '11111111-1111-4111-8111-111111111111')],
      ['notify', () => driver.workers.notify([{ queue }])],
      ['workers', () => driver.workers.list()],
      ['migrate', () => driver.schema.migrate()],
      ['verify', () => driver.schema.verify()],
      ['claim', () => claim(driver.claims.session({ idleLimitMs: 1_000 }))],
      ['survey', () => driver.claims.survey({ queues: [queue], kinds: [key] })],
      ['anchor', () => driver.workers.anchor({ name: 'w', host: 'h', pid: 1, queues: [] })],
    ];
    for (const [name, verb] of verbs) {
      const error = await reasonOf(verb());
      expect(isDriverError(error, 'ConnectionLost'), `${name}: ${String(error)}`).toBe(true);
    }
  });

  test('a driver whose connections were ended recovers by itself', async ({ process, queue, newJob }) => {
    const { driver, disconnect } = await process();
    await driver.jobs.enqueue([newJob()]);
    await disconnect();
    const counts = await until('the driver answers', () =>
      countStates(driver, { queue }).catch(() => undefined),
    );
    expect(counts.new).toBe(1);
  });

  test('every call of a closed Rowlock is refused, for good', async (stage) => {
    const { process, queue, key, caller } = stage;
    const { driver } = await process();
    const work = defineHandler({ kind: 'work', queue, payload: AnyJson, run: () => {} });
    const rowlock = createRowlock({ driver, handlers: [work] });
    const early = rowlock.worker();
    const { publicId } = await rowlock.enqueue(work, { payload: 1 });
    const { tx } = await caller();
    await rowlock.close();
    const calls: readonly (readonly [string, () => Promise<unknown>])[] = [
      ['enqueue', () => rowlock.enqueue(work, { payload: 1 })],
      ['enqueue of a unique job', () => rowlock.enqueue(work, { payload: 1, unique: key })],
      ['enqueue in a transaction', () => rowlock.enqueue(work, { payload: 1 }, { tx })],
      ['find', () => rowlock.find(publicId)],
      ['find in a transaction', () => rowlock.find(publicId, { tx })],
      ['list', () => rowlock.jobs.list()],
      ['count', () => rowlock.jobs.count()],
      ['cancel', () => rowlock.cancel(publicId)],
      ['redrive', () => rowlock.redrive(publicId)],
      ['workers', () => rowlock.insight.workers()],
      ['prune', () => rowlock.jobs.prune({ complete: '1d' })],
      ['migrate', () => rowlock.migrate()],
      ['verify', () => rowlock.insight.verify()],
      ['worker', async () => rowlock.worker()],
    ];
    for (const [name, call] of calls)
      expect(await reasonOf(call()), name).toMatchObject({ code: 'ROWLOCK_CLOSED' });
    await expect(early.start()).rejects.toMatchObject({ code: 'ROWLOCK_WORKER_STOPPED' });
    await rowlock.close();
  });

  test('close is safe to call twice', async ({ process, queue }) => {
    const { driver } = await process();
    await countStates(driver, { queue });
    await driver.close();
    await driver.close();
  });
});
