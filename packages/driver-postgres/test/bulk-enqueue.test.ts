import '@rowlock/servers/vitest';
import process from 'node:process';
import type { NewJob } from '@rowlock/core/driver';
import pg from 'pg';
import { expect, inject, onTestFinished, test } from 'vitest';
import { postgres } from '../src/index.js';
import { openPostgresHarness } from './postgres-harness.js';

const JOB: NewJob = {
  queue: 'q',
  kind: 'k',
  key: null,
  payload: {},
  priority: 0,
  available: { inMs: 0 },
  maxAttempts: 1,
  unique: null,
  metadata: {},
  createdBy: 'host',
};

async function ownPool() {
  const database = await openPostgresHarness(inject('postgresUrl')).database();
  onTestFinished(() => database.close());
  const pool = new pg.Pool({ connectionString: database.url });
  onTestFinished(() => pool.end());
  const driver = postgres({ pool });
  await driver.migrate();
  const jobs = async () => (await driver.count({ queue: 'q' })).new;
  return { driver, jobs };
}

// The first one: pg warns once in a process.
test("of many jobs, an application's own pool is asked one piece after the other, as pg wants it", async () => {
  const { driver, jobs } = await ownPool();
  const warnings: Error[] = [];
  const note = (warning: Error): void => void warnings.push(warning);
  process.on('warning', note);
  onTestFinished(() => void process.off('warning', note));
  await driver.enqueue(Array.from({ length: 2_001 }, () => JOB));
  expect(await jobs()).toBe(2_001);
  expect(warnings).toEqual([]);
});

test('of many jobs of which the last is refused none is inserted', async () => {
  const { driver, jobs } = await ownPool();
  const refused = { ...JOB, priority: 99_999 };
  await expect(driver.enqueue([...Array.from({ length: 2_000 }, () => JOB), refused])).rejects.toThrow();
  expect(await jobs()).toBe(0);
  await driver.enqueue([JOB]);
  expect(await jobs()).toBe(1);
});
