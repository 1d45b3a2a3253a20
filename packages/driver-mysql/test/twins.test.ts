import { DriverError, type Enqueued } from '@rowlock/core';
import type { NewJob } from '@rowlock/core/driver';
import { countStates, newJob } from '@rowlock/driver-conformance/internal';
import { freshMysqlDatabase } from '@rowlock/servers';
import { createPool } from 'mysql2/promise';
import { expect, onTestFinished, test } from 'vitest';
import { context } from '../src/context.js';
import { type MysqlTransaction, mysql } from '../src/index.js';
import { quietJobsOf } from '../src/jobs/jobs.js';
import { serverUrl } from './server.js';

test('of a call in which two have one key all are in or none, whichever statement is the first that reaches nobody', async () => {
  const fresh = await freshMysqlDatabase(serverUrl);
  onTestFinished(() => fresh.drop());
  const pool = createPool(fresh.url);
  onTestFinished(() => pool.end());
  const driver = mysql({ uri: fresh.url });
  onTestFinished(() => driver.close());
  await driver.schema.migrate();
  await driver.jobs.enqueue([keyed('there')]);
  const place = context(new URL(fresh.url).pathname.slice(1), 20_000);
  const together = ['a', 'there', 'a', 'b', 'there', 'a'].map(keyed);
  let enqueued: readonly Enqueued[] = [];
  let lost = 0;
  while (enqueued.length === 0) {
    const on = lostBefore(lost + 1, pool);
    const jobs = quietJobsOf(place, { on, outside: on });
    try {
      enqueued = await jobs.enqueue(together);
    } catch (error) {
      expect(error).toMatchObject({ code: 'ConnectionLost' });
      expect((await countStates(driver, { queue: 'q' })).new).toBe(1);
      lost += 1;
    }
  }
  expect(lost).toBeGreaterThan(2);
  const outcomes = ['enqueued', 'duplicate', 'duplicate', 'enqueued', 'duplicate', 'duplicate'];
  expect(enqueued.map(({ outcome }) => outcome)).toEqual(outcomes);
  const [a, there, a2, , there2, a3] = enqueued.map(({ publicId }) => publicId);
  expect([a2, a3, there2]).toEqual([a, a, there]);
});

/** What asks the n-th statement, and each behind it, in vain. */
function lostBefore(statement: number, on: MysqlTransaction): MysqlTransaction {
  let asked = 0;
  const reach = (): void => {
    asked += 1;
    if (asked >= statement) throw new DriverError('ConnectionLost', 'Nobody is there.');
  };
  return {
    execute: async (sql, values) => {
      reach();
      return on.execute(sql, values);
    },
    query: async (sql, values) => {
      reach();
      return on.query(sql, values);
    },
  };
}

function keyed(key: string): NewJob {
  return newJob({ unique: { key, scope: 'outstanding' } });
}
