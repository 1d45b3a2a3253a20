import { randomUUID } from 'node:crypto';
import type { Driver } from '@rowlock/core';
import type { ClaimSession, Job, NewJob, Settlement } from '@rowlock/core/driver';
import { freshMysqlDatabase } from '@rowlock/servers';
import { createPool, type Pool, type PoolConnection, type RowDataPacket } from 'mysql2/promise';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { MysqlClaimSession } from '../src/claims/claim-session.js';
import { ClaimConnections } from '../src/connection/claim-connections.js';
import { context } from '../src/context.js';
import { type MysqlTransaction, mysql } from '../src/index.js';
import { serverUrl } from './server.js';

let schema: string;
let pool: Pool;
let driver: Driver<MysqlTransaction>;
let drop: () => Promise<void>;

beforeEach(async () => {
  const fresh = await freshMysqlDatabase(serverUrl);
  schema = new URL(fresh.url).pathname.slice(1);
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

/** A claim session, and the connection that it will take. */
async function onOwnConnection(): Promise<[held: ClaimSession<MysqlTransaction>, client: PoolConnection]> {
  const place = context(schema, 20_000);
  const connections = new ClaimConnections(pool, place);
  const client = await connections.take(60_000, false);
  connections.give(client, 0);
  const control = { interrupt: async () => {}, end: async () => {} };
  const widen = async () => {};
  return [new MysqlClaimSession(place, connections, control, widen, { idleLimitMs: 60_000 }), client];
}

for (const event of ['snooze', 'retry'] as const) {
  test(`a job that another one ends with a ${event} between the look and the lock is not of the group`, async () => {
    await driver.jobs.enqueue([newJob()]);
    const a = driver.claims.session({ idleLimitMs: 60_000 });
    const [first] = await a.claim(FROM_THE_START);
    await a.lockSiblings({ queue: 'q', keys: ['entity'] }, 10);
    await driver.jobs.enqueue([newJob()]);
    const [b, client] = await onOwnConnection();
    const [second] = await b.claim(FROM_THE_START);
    const execute = client.execute.bind(client);
    const asked = vi.spyOn(client, 'execute').mockImplementation(async (...statement) => {
      if (String(statement[0]).includes('NOWAIT')) {
        await a.settle([settled(first, event)]);
        await a.commit();
      }
      return execute(...statement);
    });
    const group = await b.lockSiblings({ queue: 'q', keys: ['entity'] }, 10);
    expect(asked.mock.calls.some(([sql]) => String(sql).includes('NOWAIT'))).toBe(true);
    expect(group.map(({ id }) => id)).toEqual([second?.id]);
    await b.rollback();
  });
}

test('of a key with many jobs beyond the limit only those that are returned are read', async () => {
  const text = 'x'.repeat(1_000);
  await driver.jobs.enqueue(Array.from({ length: 1_500 }, (_, n) => newJob({ payload: { n, text } })));
  const [held, client] = await onOwnConnection();
  await held.claim(FROM_THE_START);
  const answered = vi.spyOn(client, 'execute');
  const group = await held.lockSiblings({ queue: 'q', keys: ['entity'] }, 3);
  expect(group.map(({ payload }) => payload)).toEqual([0, 1, 2].map((n) => ({ n, text })));
  const answers = await Promise.all(answered.mock.results.map(({ value }) => value));
  expect(JSON.stringify(answers.map(([rows]) => rows)).length).toBeLessThan(250_000);
  const [free] = await pool.query<RowDataPacket[]>(
    'SELECT COUNT(*) AS free FROM (SELECT id FROM rowlock_job FOR UPDATE SKIP LOCKED) AS job',
  );
  expect(free).toEqual([{ free: 0 }]);
  await held.rollback();
});

const FROM_THE_START = {
  queue: 'q',
  kinds: ['k'],
  line: { priority: -32_768, id: 0n },
  busy: [],
  limit: 1,
} as const;

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

function settled(job: Job | undefined, event: 'snooze' | 'retry'): Settlement {
  return {
    id: job?.id ?? 0n,
    runId: randomUUID(),
    event,
    attempt: 1,
    crashes: 0,
    delayMs: 3_600_000,
    tookMs: 0,
    output: null,
    error: null,
    by: 'test',
  };
}
