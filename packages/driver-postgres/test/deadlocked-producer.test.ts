import '@rowlock/servers/vitest';
import { isDriverError } from '@rowlock/core';
import type { NewJob } from '@rowlock/core/driver';
import { newJob } from '@rowlock/driver-conformance/internal';
import { expect, inject, onTestFinished, test, vi } from 'vitest';
import { openPostgresHarness } from './postgres-harness.js';

test('an enqueue that waits for a transaction which waits for it is done again, unless that one is ended', async () => {
  const database = await openPostgresHarness(inject('postgresUrl')).database();
  onTestFinished(() => database.close());
  const { driver, close } = await database.process();
  onTestFinished(close);
  await driver.schema.migrate();
  const application = await database.caller();
  // Whoever has waited for so long looks for a deadlock, and is ended. The driver's sessions do so after a second.
  await database.run(application.tx, "SET LOCAL deadlock_timeout = '5s'");
  await driver.join(application.tx).jobs.enqueue([keyed('a')]);
  const enqueued = driver.jobs.enqueue([keyed('b'), keyed('a')]);
  await vi.waitFor(async () => expect(await database.waits()).not.toEqual([]), 30_000);
  const [, theirs] = await Promise.all([
    enqueued,
    driver
      .join(application.tx)
      .jobs.enqueue([keyed('b')])
      .then(
        ([job]) => application.commit().then(() => job?.outcome),
        (error: unknown) => application.rollback().then(() => isDriverError(error, 'Deadlock')),
      ),
  ]);
  const outcomes = (await enqueued).map(({ outcome }) => outcome);
  if (theirs === true) expect(outcomes).toEqual(['enqueued', 'enqueued']);
  else expect([theirs, ...outcomes]).toEqual(['enqueued', 'duplicate', 'duplicate']);
  expect(await database.reader.jobs('q')).toHaveLength(2);
}, 120_000);

function keyed(key: string): NewJob {
  return newJob({ unique: { key, scope: 'outstanding' } });
}
