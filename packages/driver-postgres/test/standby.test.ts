import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { moveOne } from '@rowlock/driver-conformance';
import '@rowlock/servers/vitest';
import { createRowlock, defineCapture } from '@rowlock/core';
import { newJob } from '@rowlock/driver-conformance/internal';
import { freshDatabase, startEmbeddedPostgres, temporaryDataDir } from '@rowlock/servers';
import pg from 'pg';
import { expect, inject, onTestFinished, test, vi } from 'vitest';
import { postgres } from '../src/index.js';

const JOB = newJob();
const FROM_THE_START = { queue: 'q', kinds: ['k'], line: { priority: -32_768, id: 0n }, busy: [], limit: 1 };

/** A server of the test's own, which can become a standby. */
async function started() {
  const dataDir = temporaryDataDir('standby');
  const server = await startEmbeddedPostgres({ dataDir, persistent: false, settings: { fsync: 'off' } });
  onTestFinished(() => server.stop());
  return server;
}

async function migrated() {
  const server = await started();
  const driver = postgres({ connectionString: server.url });
  onTestFinished(() => driver.close());
  await driver.schema.migrate();
  return { server, driver };
}

test('a handler that makes its transaction read-only keeps its claim, which is settled', async () => {
  const { url, drop } = await freshDatabase(inject('postgresUrl'));
  onTestFinished(drop);
  const driver = postgres({ connectionString: url });
  onTestFinished(() => driver.close());
  await driver.schema.migrate();
  await driver.jobs.enqueue([JOB]);
  const held = driver.claims.session({ idleLimitMs: 60_000 });
  const [job] = await held.claim(FROM_THE_START);
  await held.handle.query('SET TRANSACTION READ ONLY');
  const complete = { event: 'complete', attempt: 1, crashes: 0, delayMs: 0, tookMs: 0, error: null } as const;
  const ending = { ...complete, id: job?.id ?? 0n, runId: randomUUID(), output: null, by: 'test' };
  expect(await held.settle([ending])).toEqual([job?.id]);
  await held.commit();
});

test('a claim on a server that only reads gives its connection up, and is made where a new one leads', async () => {
  const server = await started();
  const own = new URL(server.url);
  own.searchParams.set('application_name', 'driver');
  const driver = postgres({ connectionString: own.href, maxConnections: 1 });
  onTestFinished(() => driver.close());
  await driver.schema.migrate();
  await driver.jobs.enqueue([JOB]);

  writeFileSync(join(server.dataDir, 'standby.signal'), '');
  await server.restart();
  const plain = new pg.Client(server.url);
  await plain.connect();
  onTestFinished(() => plain.end());
  const sessions = async () => {
    const text = "SELECT pid FROM pg_stat_activity WHERE application_name = 'driver'";
    return (await plain.query<{ pid: number }>(text)).rows.map(({ pid }) => pid);
  };
  // Its connections ended with the server: what reads has a new one.
  await vi.waitFor(() => driver.workers.list(), 30_000);
  const [before] = await sessions();
  expect(before).toBeDefined();
  const refused = driver.claims.session({ idleLimitMs: 60_000 });
  await expect(refused.claim(FROM_THE_START)).rejects.toMatchObject({ code: 'ConnectionLost' });
  expect(refused.lost.aborted).toBe(true);
  await refused.rollback();
  await vi.waitFor(async () => expect(await sessions()).not.toContain(before), 9_000);
  await expect(moveOne(driver, 'cancel', '00000000-0000-4000-8000-000000000000')).rejects.toMatchObject({
    code: 'ConnectionLost',
  });

  await plain.query('SELECT pg_promote()');
  const held = driver.claims.session({ idleLimitMs: 60_000 });
  expect(await held.claim(FROM_THE_START)).toHaveLength(1);
  await held.rollback();
}, 120_000);

test('a worker whose server only reads has not its session back, though its lock is granted there', async () => {
  const { server, driver } = await migrated();
  const told: string[] = [];
  const session = { lost: () => void told.push('lost'), back: () => void told.push('back') };
  const anchor = await driver.workers.anchor({ name: 'w', host: 'h', pid: 1, queues: [] }, session);
  onTestFinished(() => anchor.release());
  const before = told.splice(0);

  writeFileSync(join(server.dataDir, 'standby.signal'), '');
  await server.restart();
  const plain = new pg.Client(server.url);
  await plain.connect();
  onTestFinished(() => plain.end());
  // Some of these found the server that reads.
  await driver.workers.list().catch(() => {});
  const attempts = told.length + 4;
  await vi.waitFor(() => expect(told.length).toBeGreaterThanOrEqual(attempts), 30_000);
  expect(new Set(told)).toEqual(new Set(['lost']));

  await plain.query('SELECT pg_promote()');
  await vi.waitFor(() => expect(told.at(-1)).toBe('back'), 30_000);
  expect(before).toEqual(['back']);
}, 120_000);

test('a server that only reads is looked at for what captures need', async () => {
  const { server, driver } = await migrated();
  const plain = new pg.Client(server.url);
  await plain.connect();
  await plain.query('CREATE TABLE note (id bigint PRIMARY KEY, status text)');
  await plain.end();
  const there = defineCapture({
    name: 'there',
    table: 'note',
    id: ['id'],
    kind: 'k',
    when: { status: 'new' },
  });
  const missing = defineCapture({ name: 'missing', table: 'note', id: ['id'], kind: 'k' });
  await createRowlock({ driver, captures: [there] }).captures.apply();
  const { captures } = createRowlock({ driver, captures: [there, missing] });
  const [before, sql] = [await captures.check(), await captures.sql()];

  writeFileSync(join(server.dataDir, 'standby.signal'), '');
  await server.restart();
  await vi.waitFor(() => driver.workers.list(), 30_000);
  expect(await captures.check()).toEqual(before);
  expect(await captures.sql()).toBe(sql);
  expect(before).toMatchObject([
    { name: 'there', problems: [] },
    { name: 'missing', problems: [{ code: 'missing' }] },
  ]);
}, 120_000);
