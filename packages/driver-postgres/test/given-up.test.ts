import '@rowlock/servers/vitest';
import type { NewJob } from '@rowlock/core/driver';
import type { TestDatabase } from '@rowlock/driver-conformance';
import { newJob } from '@rowlock/driver-conformance/internal';
import { afterEach, beforeEach, expect, inject, test, vi } from 'vitest';
import type { PostgresTransaction } from '../src/index.js';
import { openPostgresHarness } from './postgres-harness.js';

let database: TestDatabase<PostgresTransaction>;

beforeEach(async () => {
  database = await openPostgresHarness(inject('postgresUrl')).database();
  const { driver } = await database.process();
  await driver.schema.migrate();
  await driver.close();
});

afterEach(() => database.close());

/** How long the driver waits for an answer, in milliseconds. */
const ANSWER_MS = 500;

test.each([
  ['one job', (key: string) => [keyed(key)]],
  ['jobs of one call', (key: string) => [keyed(key), keyed(`${key} too`)]],
])('an enqueue of %s that was given up is not done later', async (_, jobs) => {
  const { driver } = await database.process({ answerMs: ANSWER_MS });
  // A connection may need longer than the driver waits.
  await vi.waitFor(() => driver.workers.list(), 30_000);
  const application = await database.caller();
  await driver.join(application.tx).jobs.enqueue([keyed('a')]);
  await expect(driver.jobs.enqueue(jobs('a'))).rejects.toMatchObject({
    code: 'ConnectionLost',
    message: expect.stringContaining('It may have done what was sent'),
  });
  // While the application's transaction has the key, a statement that goes on would wait for it.
  await vi.waitFor(async () => expect(await database.waits()).toEqual([]), 30_000);
  await application.rollback();
  expect(await database.reader.jobs('q')).toEqual([]);
  await driver.close();
});

function keyed(key: string): NewJob {
  return newJob({ unique: { key, scope: 'outstanding' } });
}
