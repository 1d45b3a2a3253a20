import '@rowlock/servers/vitest';
import { randomUUID } from 'node:crypto';
import type { ClaimSession, Settlement } from '@rowlock/core/driver';
import type { DriverProcess, TestDatabase } from '@rowlock/driver-conformance';
import { afterEach, beforeEach, expect, inject, test } from 'vitest';
import type { PostgresTransaction } from '../src/index.js';
import { openPostgresHarness } from './postgres-harness.js';

let database: TestDatabase<PostgresTransaction>;
let process: DriverProcess<PostgresTransaction>;
let held: ClaimSession<PostgresTransaction>;

beforeEach(async () => {
  database = await openPostgresHarness(inject('postgresUrl')).database();
  process = await database.process();
  await process.driver.schema.migrate();
  const { reader } = database;
  await reader.exec('CREATE TABLE parent (id integer PRIMARY KEY)');
  await reader.exec('CREATE TABLE child (parent integer REFERENCES parent DEFERRABLE INITIALLY DEFERRED)');
  for (const payload of [1, 2, 3]) await reader.insert({ queue: 'q', kind: 'work', payload });
  held = process.driver.claims.session({ idleLimitMs: 60_000 });
});

afterEach(async () => {
  await held.rollback();
  await process.close();
  await database.close();
});

const child = (id: number) => held.handle.query(`INSERT INTO child VALUES (${id})`);
const parent = (id: number) => held.handle.query(`INSERT INTO parent VALUES (${id})`);

/** Claims all jobs there are, and completes them. */
async function finish(): Promise<void> {
  const line = { priority: -32_768, id: 0n };
  const jobs = await held.claim({ queue: 'q', kinds: ['work'], line, busy: [], limit: 3 });
  const ending = { event: 'complete', attempt: 1, crashes: 0, delayMs: 0, tookMs: 0, error: null } as const;
  const settlements = jobs.map(
    ({ id }): Settlement => ({ ...ending, id, runId: randomUUID(), output: null, by: 'test' }),
  );
  expect((await held.finish(settlements)).settled).toHaveLength(3);
}

async function children(): Promise<readonly unknown[]> {
  return (await database.reader.exec('SELECT parent FROM child ORDER BY parent')).map((row) => row.parent);
}

test('what a run leaves to be checked at commit is checked when it ends, and can be undone', async () => {
  await child(1);
  await parent(1);
  await held.renew();
  await child(2);
  await expect(held.renew()).rejects.toMatchObject({ cause: { code: '23503' } });
  await held.undo();
  await held.renew();
  await child(3);
  await parent(3);
  await held.renew();
  await finish();
  expect(await children()).toEqual([1, 3]);
});

test("a later run's constraints are deferred again", async () => {
  for (const id of [1, 2, 3]) {
    await child(id);
    await parent(id);
    await held.renew();
  }
  await finish();
  expect(await children()).toEqual([1, 2, 3]);
});

test('a run that is undone has not made them immediate for the next one', async () => {
  await held.handle.query('SET CONSTRAINTS ALL IMMEDIATE');
  await expect(child(1)).rejects.toMatchObject({ code: '23503' });
  await held.undo();
  await held.renew();
  await child(2);
  await parent(2);
  await held.renew();
  await finish();
  expect(await children()).toEqual([2]);
});
