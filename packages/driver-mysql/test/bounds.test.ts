import type { DriverProcess, TestDatabase } from '@rowlock/driver-conformance';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { MysqlTransaction } from '../src/index.js';
import { openMysqlHarness } from './mysql-harness.js';
import { product, serverUrl } from './server.js';

const START = { priority: -32_768, id: 0n };

let database: TestDatabase<MysqlTransaction>;
let process: DriverProcess<MysqlTransaction>;

beforeEach(async () => {
  database = await openMysqlHarness(serverUrl, product).database();
  process = await database.process();
  await process.driver.schema.migrate();
});

afterEach(async () => {
  await process.close();
  await database.close();
});

/** Claims the one job there is, in a transaction that idles at most `limitMs`. */
async function hold(limitMs: number, { driver } = process) {
  const held = driver.claims.session({ idleLimitMs: limitMs });
  try {
    const [job] = await held.claim({ queue: 'q', kinds: ['work'], line: START, busy: [], limit: 1 });
    return { held, job };
  } catch (error) {
    await held.rollback();
    throw error;
  }
}

test("a claim's connection is ended by the server when it idles beyond the limit", async () => {
  const { held } = await hold(123_456);
  const [row] = await database.run(held.handle, 'SELECT @@SESSION.wait_timeout AS seconds');
  expect(row).toEqual({ seconds: 124 });
  await held.rollback();
});

test('a statement that does not end keeps neither the commit waiting nor the claim', async () => {
  await database.reader.insert({ queue: 'q', kind: 'work', payload: {} });
  const impatient = await database.process({ answerMs: 500 });
  const { held, job } = await untilClaimed(impatient);
  // Some minutes of work, in which the server does not look for its client, as it does in a sleep.
  const working = held.handle
    .query('SELECT BENCHMARK(2000000000, SHA2(RAND(), 256))')
    .catch((error: unknown) => error);
  await expect(held.commit()).rejects.toMatchObject({ code: 'ConnectionLost' });
  expect(await working).toBeInstanceOf(Error);
  expect(held.lost.aborted).toBe(true);
  await held.rollback();
  const heir = await untilClaimed();
  expect(heir.job.id).toBe(job.id);
  await heir.held.rollback();
  await impatient.close();
});

test('undo stops a statement that is still running, and those that wait for it, and keeps the claim', async () => {
  await database.reader.insert({ queue: 'q', kind: 'work', payload: {} });
  const { held, job } = await hold(600_000);
  await held.handle.query('SELECT 1');
  const sleeping = [1, 2].map(() => held.handle.query('SELECT SLEEP(300)').catch((error: unknown) => error));
  await held.undo();
  expect(await sleeping[1]).toMatchObject({ code: 'TransactionOver' });
  const other = await hold(60_000);
  expect(other.job).toBeUndefined();
  await other.held.rollback();
  await held.rollback();
  const heir = await untilClaimed();
  expect(heir.job.id).toBe(job?.id);
  await heir.held.rollback();
});

/** Claims the job when it is free. A claim that a busy machine answers too late is made again. */
function untilClaimed(by = process) {
  return vi.waitFor(async () => {
    const { held, job } = await hold(600_000, by);
    if (job !== undefined) return { held, job };
    await held.rollback();
    throw new Error('The job is not free.');
  }, 30_000);
}
