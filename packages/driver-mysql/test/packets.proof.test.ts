import { randomUUID } from 'node:crypto';
import type { Driver } from '@rowlock/core';
import type { NewJob, Settlement } from '@rowlock/core/driver';
import { freshMysqlDatabase } from '@rowlock/servers';
import { createPool, type Pool, type RowDataPacket } from 'mysql2/promise';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type MysqlTransaction, mysql } from '../src/index.js';
import { serverUrl } from './server.js';

let pool: Pool;
let driver: Driver<MysqlTransaction>;
let drop: () => Promise<void>;

beforeEach(async () => {
  const fresh = await freshMysqlDatabase(serverUrl);
  drop = fresh.drop;
  pool = createPool({ uri: fresh.url });
  driver = mysql({ uri: fresh.url });
  await driver.schema.migrate();
});
afterEach(async () => {
  await driver.close();
  await pool.end();
  await drop();
});

test('jobs of more than a statement takes are enqueued by one call, all or none', async () => {
  const unique = { key: 'once', scope: 'outstanding' } as const;
  const [first] = await driver.jobs.enqueue([newJob({ unique })]);
  const text = 'x'.repeat(7_000);
  const jobs = Array.from({ length: 10_000 }, (_, n) =>
    newJob({ payload: { n, text }, ...(n === 9_000 && { unique }) }),
  );
  const outcomes = await driver.jobs.enqueue(jobs);
  expect(outcomes[9_000]).toEqual({ outcome: 'duplicate', publicId: first?.publicId });
  expect(outcomes.filter(({ outcome }) => outcome === 'enqueued')).toHaveLength(9_999);
  const [rows] = await pool.query<RowDataPacket[]>(
    "SELECT public_id, JSON_EXTRACT(payload, '$.n') AS n FROM rowlock_job",
  );
  expect(rows.find(({ n }) => Number(n) === 1_234)?.public_id).toBe(outcomes[1_234]?.publicId);

  const wrong = newJob({ kind: 'k'.repeat(200) });
  await expect(driver.jobs.enqueue([...jobs.slice(0, 1_000), wrong])).rejects.toMatchObject({
    code: 'InvalidInput',
  });
  const [count] = await pool.query('SELECT COUNT(*) AS jobs FROM rowlock_job');
  expect(count).toEqual([{ jobs: 10_000 }]);
});

for (const event of ['complete', 'fail'] as const) {
  test(`a run whose jobs leave more than a statement takes settles them all: ${event}`, async () => {
    await driver.jobs.enqueue(Array.from({ length: 80 }, () => newJob()));
    const held = driver.claims.session({ idleLimitMs: 60_000 });
    const jobs = await held.lockSiblings({ queue: 'q', keys: ['entity'] }, 100);
    const run = { runId: randomUUID(), workerId: '1', jobs };
    await driver.claims.startRuns([run], []).visible;
    const text = 'x'.repeat(900_000);
    const ends: Settlement[] = jobs.map(({ id }) => ({
      id,
      runId: run.runId,
      event,
      attempt: 1,
      crashes: 0,
      delayMs: 0,
      tookMs: 0,
      output: event === 'complete' ? text : null,
      error: event === 'fail' ? { code: 'Error', message: text } : null,
      by: 'test',
    }));
    expect(await held.finish(ends)).toEqual({ settled: jobs.map(({ id }) => id), next: null });
    const [rows] = await pool.query(
      'SELECT COUNT(*) AS jobs, SUM(LENGTH(output) > 900000 OR LENGTH(error) > 900000) AS whole FROM rowlock_job',
    );
    expect(rows).toEqual([{ jobs: 80, whole: '80' }]);
  });
}

test('a statement stays below 4 MB whatever the characters, and however large a job is', async () => {
  const lengths: number[] = [];
  const caller = await pool.getConnection();
  await caller.query('START TRANSACTION');
  const recording: MysqlTransaction = {
    query: (sql, values) => caller.query(sql, values),
    execute: (sql, values: readonly (string | null)[]) => {
      lengths.push(values.reduce((sum, value) => sum + Buffer.byteLength(value ?? ''), sql.length));
      return caller.execute(sql, [...values]);
    },
  };
  for (const character of ['"', '\\', '\u{1}', '€', '😀', 'x']) {
    // A payload has 1 MB as JSON.
    const bytes = Buffer.byteLength(JSON.stringify(character)) - 2;
    for (const share of [1, 10, 3_000]) {
      const payload = character.repeat(Math.floor((1024 * 1024 - 2) / bytes / share));
      const outcomes = await driver
        .join(recording)
        .jobs.enqueue(Array.from({ length: Math.min(2 * share, 4_000) }, () => newJob({ payload })));
      expect(new Set(outcomes.map(({ outcome }) => outcome))).toEqual(new Set(['enqueued']));
    }
  }
  expect(Math.max(...lengths)).toBeLessThan(4 * 1024 * 1024 - 1024);
  await caller.query('ROLLBACK');
  caller.release();
});

function newJob(change: Partial<NewJob> = {}): NewJob {
  return {
    queue: 'q',
    kind: 'k',
    key: 'entity',
    payload: {},
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
