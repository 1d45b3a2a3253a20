import { isDriverError } from '@rowlock/core';
import type { NewJob } from '@rowlock/core/driver';
import type { DriverProcess, TestDatabase } from '@rowlock/driver-conformance';
import { newJob } from '@rowlock/driver-conformance/internal';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { MysqlTransaction } from '../src/index.js';
import { openMysqlHarness } from './mysql-harness.js';
import { product, serverUrl } from './server.js';

let database: TestDatabase<MysqlTransaction>;
let producer: DriverProcess<MysqlTransaction>;

beforeEach(async () => {
  database = await openMysqlHarness(serverUrl, product).database();
  producer = await database.process();
  await producer.driver.schema.migrate();
});

afterEach(async () => {
  await producer.close();
  await database.close();
});

/** How often a busy machine may need longer for the others than the producer waits, which is 5 s. */
const TRIES = 5;

const keyed = (key: string): NewJob => newJob({ unique: { key, scope: 'outstanding' } });

/** That these are enqueued while a producer waits for the first of these keys. */
async function areEnqueuedBeside(keys: readonly [string, ...string[]], others: readonly NewJob[]) {
  for (let tries = 1; ; tries++)
    try {
      return await enqueueBeside(keys, others);
    } catch (error) {
      // Whoever waits behind the producer ends so too, each time.
      if (tries === TRIES || !isDriverError(error, 'LockTimeout')) throw error;
      await database.reader.exec('DELETE FROM rowlock_job');
    }
}

async function enqueueBeside(keys: readonly [string, ...string[]], others: readonly NewJob[]): Promise<void> {
  const { driver } = producer;
  const application = await database.caller();
  await driver.join(application.tx).jobs.enqueue([keyed(keys[0])]);
  const waiting = driver.jobs.enqueue(keys.map(keyed));
  waiting.catch(() => {});
  const all = [waiting];
  try {
    await vi.waitFor(async () => expect(await database.waits()).not.toEqual([]), 30_000);
    for (const job of others) {
      const enqueuing = driver.jobs.enqueue([job]);
      all.push(enqueuing);
      expect(await Promise.race([enqueuing, waiting])).toMatchObject([{ outcome: 'enqueued' }]);
    }
    expect(await database.waits()).not.toEqual([]);
  } catch (error) {
    await application.rollback();
    await Promise.allSettled(all);
    await waiting;
    throw error;
  }
  await application.rollback();
  expect((await waiting).map(({ outcome }) => outcome)).toEqual(keys.map(() => 'enqueued'));
}

/** The job that waits has the least unique key there is: jobs without one would come right before it in an ascending index. */
test('a producer that waits for a unique key keeps nobody waiting who enqueues a job without one', () =>
  areEnqueuedBeside(['a'], [newJob({})]));

/**
 * In a unique index, an INSERT that waits for a key locks the gap before it as well. A locking read locks the key alone, but on MariaDB
 * such reads meet deadlocks with settlements.
 */
test.runIf(product === 'mysql').each<[string, [string, ...string[]]]>([
  ['one job', ['b']],
  ['two jobs', ['b', 'e']],
])(
  'a producer of %s that waits for a unique key keeps nobody waiting who enqueues one beside it',
  (_, keys) => areEnqueuedBeside(keys, ['a', 'c'].map(keyed)),
);

/** A producer that held the lock of one key and waited for the other would meet a deadlock with the settlement of both jobs. */
test('a producer of two duplicates, one of whose keys is being freed, waits for nothing', async () => {
  const { driver } = producer;
  const jobs = ['a', 'b'].map(keyed);
  const [first, second] = await driver.jobs.enqueue(jobs);
  const settlement = await database.caller();
  const free = `UPDATE rowlock_job SET unique_key = NULL WHERE public_id = ?`;
  try {
    await settlement.tx.execute(free, [second?.publicId ?? null]);
    expect(await driver.jobs.enqueue(jobs)).toEqual([
      { outcome: 'duplicate', publicId: first?.publicId },
      { outcome: 'duplicate', publicId: second?.publicId },
    ]);
    await settlement.tx.execute(free, [first?.publicId ?? null]);
  } finally {
    await settlement.rollback();
  }
});
