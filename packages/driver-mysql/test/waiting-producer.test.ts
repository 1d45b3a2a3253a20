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

/** The job that waits has the least unique key there is: jobs without one would come right before it in an ascending index. */
test('a producer that waits for a unique key keeps nobody waiting who enqueues a job without one', async () => {
  const { driver } = producer;
  const unique = { key: 'a', scope: 'outstanding' } as const;
  const application = await database.caller();
  await driver.join(application.tx).jobs.enqueue([newJob({ unique })]);
  const waiting = driver.jobs.enqueue([newJob({ unique })]);
  try {
    await vi.waitFor(async () => expect(await database.waits()).not.toEqual([]), 30_000);
    // The session of the one that waits gives up after 5 s, and with it whoever waits behind it goes on.
    const enqueued = await Promise.race([driver.jobs.enqueue([newJob({})]), waiting]);
    expect(enqueued).toMatchObject([{ outcome: 'enqueued' }]);
    expect(await database.waits()).not.toEqual([]);
  } finally {
    await application.rollback();
  }
  expect(await waiting).toMatchObject([{ outcome: 'enqueued' }]);
});

/**
 * In a unique index, an INSERT that waits for a key locks the gap before it as well. A locking read locks the key alone, but on MariaDB
 * such reads meet deadlocks with settlements.
 */
test.runIf(product === 'mysql').each([
  ['one job', 1],
  ['two jobs', 2],
])(
  'a producer of %s that waits for a unique key keeps nobody waiting who enqueues one beside it',
  async (_, jobs) => {
    const { driver } = producer;
    const unique = (key: string) => ({ key, scope: 'outstanding' }) as const;
    const application = await database.caller();
    await driver.join(application.tx).jobs.enqueue([newJob({ unique: unique('b') })]);
    const waiting = driver.jobs.enqueue(
      ['b', 'e'].slice(0, jobs).map((key) => newJob({ unique: unique(key) })),
    );
    try {
      await vi.waitFor(async () => expect(await database.waits()).not.toEqual([]), 30_000);
      for (const key of ['a', 'c']) {
        const enqueued = await Promise.race([
          driver.jobs.enqueue([newJob({ unique: unique(key) })]),
          waiting,
        ]);
        expect(enqueued).toMatchObject([{ outcome: 'enqueued' }]);
      }
      expect(await database.waits()).not.toEqual([]);
    } finally {
      await application.rollback();
    }
    expect((await waiting).map(({ outcome }) => outcome)).toEqual(['enqueued', 'enqueued'].slice(0, jobs));
  },
);

/** A producer that held the lock of one key and waited for the other would meet a deadlock with the settlement of both jobs. */
test('a producer of two duplicates, one of whose keys is being freed, waits for nothing', async () => {
  const { driver } = producer;
  const unique = (key: string) => ({ key, scope: 'outstanding' }) as const;
  const jobs = ['a', 'b'].map((key) => newJob({ unique: unique(key) }));
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
