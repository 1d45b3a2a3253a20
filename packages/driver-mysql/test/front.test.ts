import { randomUUID } from 'node:crypto';
import type { Driver } from '@rowlock/core';
import type { JobId } from '@rowlock/core/driver';
import { freshMysqlDatabase } from '@rowlock/servers';
import { createPool, type Pool } from 'mysql2/promise';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { context } from '../src/context.js';
import { type MysqlTransaction, mysql } from '../src/index.js';
import { facts } from '../src/insight/facts.js';
import { serverUrl } from './server.js';

let url: string;
let pool: Pool;
let driver: Driver<MysqlTransaction>;
let drop: () => Promise<void>;

beforeEach(async () => {
  ({ url, drop } = await freshMysqlDatabase(serverUrl));
  pool = createPool({ uri: url });
  driver = mysql({ uri: url });
  await driver.schema.migrate();
});

afterEach(async () => {
  await driver.close();
  await pool.end();
  await drop();
});

/** So many jobs of one key. */
async function fill(many: number): Promise<readonly JobId[]> {
  const jobs = Array.from({ length: many }, (_, place) => BigInt(place + 1));
  await pool.query('INSERT INTO rowlock_job (id, queue, kind, `key`) VALUES ?', [
    jobs.map((id) => [id, 'q', 'k', 'entity']),
  ]);
  return jobs;
}

/** Leases them to one run, whose worker has no session. */
async function lease(jobs: readonly JobId[]): Promise<string> {
  const runId = randomUUID();
  await driver.claims.startRuns(
    [{ runId, workerId: '1', jobs: jobs.map((id) => ({ id, createdAt: new Date() })) }],
    [],
  ).visible;
  const session = driver.claims.session({ idleLimitMs: 60_000 });
  await session.lockSiblings({ queue: 'q', keys: ['entity'] }, jobs.length);
  await session.lease(runId, jobs, 60_000);
  return runId;
}

const QUESTION = { queue: 'q', limit: 10_000, after: {} };

test('a page of more leased jobs than one statement takes has the run of each', async () => {
  const runId = await lease(await fill(1_500));
  const { jobs = [], more } = (await driver.insight?.facts(QUESTION)) ?? {};
  expect(jobs).toHaveLength(1_500);
  expect(new Set(jobs.map(({ run }) => run?.runId))).toEqual(new Set([runId]));
  expect(more).toBe(false);
});

test('a job that is leased while the front is read has its run', async () => {
  const [first = 0n, second] = await fill(2);
  const leased: string[] = [];
  const on: MysqlTransaction = {
    query: (sql, values) => pool.query(sql, values),
    async execute(sql, values) {
      // By then the statement of held jobs has been answered, and that of waiting jobs has not been sent.
      if (sql.includes('NULL AS run_id') && leased.length === 0) leased.push(await lease([first]));
      return pool.execute(sql, values);
    },
  };
  const { jobs } = await facts(on, context(new URL(url).pathname.slice(1), 5_000), QUESTION);
  expect(new Map(jobs.map(({ id, status, run }) => [id, [status, run?.runId]]))).toEqual(
    new Map([
      [first, ['in-progress', leased[0]]],
      [second, ['new', undefined]],
    ]),
  );
});
