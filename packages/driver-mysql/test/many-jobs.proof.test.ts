import { randomUUID } from 'node:crypto';
import type { Driver } from '@rowlock/core';
import type { JobId, RecordedJob } from '@rowlock/core/driver';
import { freshMysqlDatabase } from '@rowlock/servers';
import { createPool, type Pool } from 'mysql2/promise';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type MysqlTransaction, mysql } from '../src/index.js';
import { serverUrl } from './server.js';

/** More than a statement can be given: with lists of powers of two they would be 65,536 placeholders and some. */
const MANY = 33_000;

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

const BEGIN = { idleLimitMs: 60_000 };

async function fill(): Promise<readonly JobId[]> {
  await pool.query(
    `INSERT INTO rowlock_job (id, queue, kind, \`key\`)
     SELECT place, 'q', 'k', 'entity' FROM JSON_TABLE(?, '$[*]' COLUMNS (place FOR ORDINALITY)) AS many`,
    [JSON.stringify(Array.from({ length: MANY }, () => 0))],
  );
  return Array.from({ length: MANY }, (_, place) => BigInt(place + 1));
}

test('a group of many jobs is leased, noted, locked again, and put back when its worker is dead', async () => {
  const jobs = await fill();
  const run = { runId: randomUUID(), jobs };
  await driver.claims.startRuns([{ runId: run.runId, workerId: '1', jobs: recorded(jobs) }], []).visible;
  const held = driver.claims.session(BEGIN);
  const group = await held.lockSiblings({ queue: 'q', keys: ['entity'] }, MANY);
  expect(group).toHaveLength(MANY);
  await held.lease(run.runId, jobs, 60_000);
  await driver.claims.noteRun(run, 0.5);

  const again = driver.claims.session(BEGIN);
  const states = await again.lockLeased(run.runId, jobs, true);
  expect(states.size).toBe(MANY);
  expect(new Set(states.values())).toEqual(new Set(['in-progress']));
  await again.rollback();

  expect(await driver.claims.reclaim({ queues: ['q'], dead: ['1'] })).toEqual({
    reclaimed: MANY,
    missing: ['1'],
    own: [],
    refused: [],
  });
  const [left] = await pool.query('SELECT status, COUNT(*) AS jobs FROM rowlock_job GROUP BY status');
  expect(left).toEqual([{ status: 'new', jobs: MANY }]);
});

test('what many jobs have to wait for is found before, among and behind them', async () => {
  const jobs = await fill();
  const held = driver.claims.session(BEGIN);
  const last = jobs.at(-1) ?? 0n;
  for (const first of [1n, 1_025n, last - 1n]) {
    const except = jobs.filter((id) => id !== first);
    const question = { key: 'entity', kinds: ['k'], before: last, except };
    expect(await held.firstOutstanding(question)).toBe(first);
  }
  const all = { key: 'entity', kinds: ['k'], before: last, except: [...jobs].reverse() };
  expect(await held.firstOutstanding(all)).toBeUndefined();
  expect(await held.firstOutstanding({ ...all, except: jobs.slice(2) })).toBe(1n);
  expect(await held.firstOutstanding({ ...all, except: jobs.slice(0, 9) })).toBe(10n);
  await held.rollback();
});

test('a claim finds what lies behind very many keys that others hold', async () => {
  await pool.query(
    `INSERT INTO rowlock_job (queue, kind, \`key\`)
     SELECT 'q', 'k', place FROM JSON_TABLE(?, '$[*]' COLUMNS (place FOR ORDINALITY)) AS many`,
    [JSON.stringify(Array.from({ length: 50_000 }, () => 0))],
  );
  await pool.query("INSERT INTO rowlock_job (queue, kind, `key`) VALUES ('q', 'k', 'free')");
  const other = await pool.getConnection();
  await other.query('SET TRANSACTION ISOLATION LEVEL READ COMMITTED');
  await other.query('START TRANSACTION');
  await other.query("SELECT id FROM rowlock_job FORCE INDEX (PRIMARY) WHERE `key` <> 'free' FOR UPDATE");
  const held = driver.claims.session(BEGIN);
  const line = { priority: -32_768, id: 0n };
  for (const from of [line, { ...line, id: 1n }]) {
    const [job] = await held.claim({ queue: 'q', kinds: ['k'], line: from, busy: [], limit: 1 });
    expect(job?.key).toBe('free');
  }
  await held.rollback();
  await other.query('ROLLBACK');
  other.release();
});

test('what a forgotten worker has left of many jobs is written out', async () => {
  const jobs = await fill();
  await driver.claims.startRuns([{ runId: randomUUID(), workerId: '1', jobs: recorded(jobs) }], []).visible;
  const anchor = await driver.workers.anchor({ name: 'fresh', host: 'host', pid: 1, queues: [] });
  await anchor.release();
  const [records] = await pool.query('SELECT COUNT(*) AS records FROM rowlock_run');
  expect(records).toEqual([{ records: MANY }]);
});

function recorded(ids: readonly JobId[]): readonly RecordedJob[] {
  return ids.map((id) => ({ id, createdAt: new Date() }));
}
