import { randomUUID } from 'node:crypto';
import type { Driver } from '@rowlock/core';
import type { ClaimSession, Settlement } from '@rowlock/core/driver';
import { newJob } from '@rowlock/driver-conformance/internal';
import { freshMysqlDatabase } from '@rowlock/servers';
import { createPool, type Pool, type PoolConnection, type RowDataPacket } from 'mysql2/promise';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { ClaimConnections } from '../src/connection/claim-connections.js';
import { type MysqlTransaction, mysql } from '../src/index.js';
import { serverUrl } from './server.js';

let pool: Pool;
let driver: Driver<MysqlTransaction>;
let held: ClaimSession<MysqlTransaction>;
let drop: () => Promise<void>;

beforeEach(async () => {
  const fresh = await freshMysqlDatabase(serverUrl);
  drop = fresh.drop;
  pool = createPool({ uri: fresh.url });
  driver = mysql({ uri: fresh.url });
  await driver.schema.migrate();
  await pool.query('CREATE TABLE written (id INT)');
  await driver.jobs.enqueue([newJob({ key: 'a' }), newJob({ key: 'a' })]);
});

afterEach(async () => {
  vi.restoreAllMocks();
  await held.rollback();
  await driver.close();
  await pool.end();
  await drop();
});

/** The server rolls the claim's first commit back with this error, as a cluster that certifies commits. */
async function refuseCommit(
  errno: number,
  meanwhile: () => Promise<unknown> = async () => {},
): Promise<void> {
  let refusals = 0;
  const take = ClaimConnections.prototype.take;
  vi.spyOn(ClaimConnections.prototype, 'take').mockImplementation(async function (
    this: ClaimConnections,
    ms,
    isSettlement,
  ) {
    const client: PoolConnection = await take.call(this, ms, isSettlement);
    const query = client.query.bind(client);
    vi.spyOn(client, 'query').mockImplementation(async (sql: unknown) => {
      if (String(sql) !== 'COMMIT' || refusals++ > 0) return query(String(sql));
      await query('ROLLBACK');
      await meanwhile();
      throw Object.assign(new Error('The commit is refused.'), { errno });
    });
    return client;
  });
  held = driver.claims.session({ idleLimitMs: 60_000 });
  await held.lockSiblings({ queue: 'q', keys: ['a'] }, 10);
}

const RUN = randomUUID();

const ends = (event: 'complete' | 'retry'): Settlement[] =>
  [1n, 2n].map((id) => ({
    id,
    runId: RUN,
    event,
    attempt: 1,
    crashes: 0,
    delayMs: 0,
    tookMs: 0,
    output: null,
    error: event === 'retry' ? { code: 'E', message: 'why' } : null,
    by: 'test',
  }));

const statuses = async (): Promise<readonly string[]> => {
  const [rows] = await pool.query<RowDataPacket[]>('SELECT status FROM rowlock_job ORDER BY id');
  return rows.map(({ status }) => status);
};

test.each([3101, 1180, 1213])(
  'a commit that is refused with %i is repeated, where no handler has written',
  async (errno) => {
    await refuseCommit(errno);
    expect(await held.finish(ends('complete'))).toMatchObject({ settled: [1n, 2n] });
    expect(await statuses()).toEqual(['complete', 'complete']);
  },
);

test.each([3101, 1180, 1213])(
  "a commit that is refused with %i undoes the handler's writes, and its jobs can be retried",
  async (errno) => {
    await refuseCommit(errno);
    await held.handle.query('INSERT INTO written VALUES (1)');
    await expect(held.finish(ends('complete'))).rejects.toThrow('refused');
    await held.undo();
    expect(await held.finish(ends('retry'))).toMatchObject({ settled: [1n, 2n] });
    expect(await statuses()).toEqual(['new', 'new']);
    expect((await pool.query('SELECT id FROM written'))[0]).toEqual([]);
  },
);

test.each([3101, 1180, 1213])(
  'a commit that is refused with %i, of a job that had another run meanwhile, is no crash',
  async (errno) => {
    await refuseCommit(errno, () => pool.query('UPDATE rowlock_job SET attempt = 1 WHERE id = 2'));
    const jobs = [1n, 2n].map((id) => ({ id, createdAt: new Date() }));
    await driver.claims.startRuns([{ runId: RUN, workerId: '1', jobs }], []).durable();
    await expect(held.finish(ends('complete'))).rejects.toThrow('refused');
    expect(held.lost.aborted).toBe(true);
    await held.release({ runId: RUN, jobs: [1n, 2n] });
    expect(await statuses()).toEqual(['new', 'new']);
    const [records] = await pool.query('SELECT DISTINCT outcome FROM rowlock_run');
    expect(records).toEqual([{ outcome: 'release' }]);
  },
);
