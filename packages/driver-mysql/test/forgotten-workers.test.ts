import { randomUUID } from 'node:crypto';
import type { RecordedJob } from '@rowlock/core/driver';
import { freshMysqlDatabase } from '@rowlock/servers';
import { createConnection, type RowDataPacket } from 'mysql2/promise';
import { expect, onTestFinished, test, vi } from 'vitest';
import { mysql } from '../src/index.js';
import { serverUrl } from './server.js';

test('a worker that starts forgets those that are long gone, and none that may come back', async () => {
  const database = await freshMysqlDatabase(serverUrl);
  const driver = mysql({ uri: database.url });
  const client = await createConnection(database.url);
  try {
    await driver.schema.migrate();
    const hire = (name: string) => driver.workers.anchor({ name, host: 'host', pid: 1, queues: [] });
    // Its session holds its lock, however long it has been there.
    const alive = await hire('alive');
    await client.query('UPDATE rowlock_worker SET started_at = UTC_TIMESTAMP(6) - INTERVAL 1 YEAR');
    const hours = (given: number): string => `UTC_TIMESTAMP(6) - INTERVAL ${given} HOUR`;
    await client.query(
      `INSERT INTO rowlock_worker (id, name, host, pid, queues, started_at, stopped_at, alive_until) VALUES
       (1, 'stopped', 'h', 1, '[]', ${hours(50)}, ${hours(25)}, NULL),
       (2, 'stopped lately', 'h', 1, '[]', ${hours(9_000)}, ${hours(23)}, NULL),
       (3, 'beat its last', 'h', 1, '[]', ${hours(50)}, NULL, ${hours(25)}),
       (4, 'has missed beats', 'h', 1, '[]', ${hours(9_000)}, NULL, ${hours(23)}),
       (5, 'crashed', 'h', 1, '[]', ${hours(32 * 24)}, NULL, NULL),
       (6, 'crashed lately', 'h', 1, '[]', ${hours(30 * 24)}, NULL, NULL)`,
    );
    const fresh = await hire('fresh');
    const [rows] = await client.query<never>('SELECT name FROM rowlock_worker ORDER BY name');
    const left = ['alive', 'crashed lately', 'fresh', 'has missed beats', 'stopped lately'];
    expect((rows as readonly { name: string }[]).map(({ name }) => name)).toEqual(left);
    await fresh.release();
    await alive.release();
  } finally {
    await client.end();
    await driver.close();
    await database.drop();
  }
});

const HOUR_MS = 3_600_000;

// A worker is forgotten that is away for a moment and was started long ago, or that was away for longer than a day.
for (const [title, sessions] of [
  ['whose session comes back', 'own'],
  ['that beats again', 'shared'],
] as const) {
  test(`a worker ${title} after it was forgotten is known again, as it was`, async () => {
    const database = await freshMysqlDatabase(serverUrl);
    const driver = mysql({ uri: database.url, sessions });
    const client = await createConnection(database.url);
    try {
      await driver.schema.migrate();
      const anchor = await driver.workers.anchor({ name: 'away', host: 'host', pid: 4711, queues: ['q'] });
      // It comes back while it listens.
      const stopping = new AbortController();
      const { signal } = stopping;
      const wakeUps = anchor.wakeUps({ queues: ['q'], everyMs: 3_600_000, signal });
      const listening = (async () => {
        for await (const _ of wakeUps);
      })();
      const [before] = await driver.workers.list();
      await client.query('DELETE FROM rowlock_worker');
      // An hour later.
      const now = performance.now.bind(performance);
      vi.spyOn(performance, 'now').mockImplementation(() => now() + HOUR_MS);
      onTestFinished(() => void vi.restoreAllMocks());
      // Not from information_schema: MySQL's list of processes is an error while anybody's statement holds an emoji.
      const [rows] = await client.query<RowDataPacket[]>('SHOW PROCESSLIST');
      const schema = new URL(database.url).pathname.slice(1);
      const others = rows.filter(({ Id, db }) => db === schema && Id !== client.threadId);
      for (const { Id } of others) await client.query('KILL ?', [Id]).catch(() => {});
      const known = () => driver.workers.list().catch(() => []);
      await expect
        .poll(known, { timeout: 60_000 })
        .toEqual([{ ...before, alive: true, startedAt: expect.any(Date) }]);
      const [after] = await driver.workers.list();
      // Since its start it has counted the time itself, and a busy machine may need some for that.
      const { startedAt } = before ?? {};
      expect(Math.abs(Number(after?.startedAt) + HOUR_MS - Number(startedAt))).toBeLessThan(HOUR_MS / 2);
      stopping.abort();
      await listening;
      await anchor.release();
      expect((await driver.workers.list()).map(({ alive }) => alive)).toEqual([false]);
    } finally {
      await client.end();
      await driver.close();
      await database.drop();
    }
  });
}

test('what a forgotten worker has left on record together is written out, but for what it has completed', async () => {
  const database = await freshMysqlDatabase(serverUrl);
  const driver = mysql({ uri: database.url });
  const client = await createConnection(database.url);
  try {
    await driver.schema.migrate();
    const hire = (name: string) => driver.workers.anchor({ name, host: 'host', pid: 1, queues: [] });
    const [gone, alive] = [await hire('gone'), await hire('alive')];
    const runId = randomUUID();
    await client.query(
      `INSERT INTO rowlock_job (id, kind, status, finished_at) VALUES
       (1, 'k', 'new', NULL), (2, 'k', 'cancelled', UTC_TIMESTAMP(6)), (3, 'k', 'new', NULL), (4, 'k', 'new', NULL)`,
    );
    await client.query(
      "INSERT INTO rowlock_job (id, kind, status, finished_at, process_id) VALUES (5, 'k', 'complete', UTC_TIMESTAMP(6), ?)",
      [runId],
    );
    await driver.claims.startRuns([{ runId, workerId: gone.workerId, jobs: recorded(1n, 2n, 4n, 5n) }], [])
      .visible;
    await driver.claims.startRuns(
      [{ runId: randomUUID(), workerId: alive.workerId, jobs: recorded(3n, 6n) }],
      [],
    ).visible;
    await gone.release();
    await client.query(
      "UPDATE rowlock_worker SET stopped_at = UTC_TIMESTAMP(6) - INTERVAL 25 HOUR WHERE name = 'gone'",
    );
    await (await hire('fresh')).release();
    const [open] = await client.query<never>('SELECT CAST(job_ids AS CHAR) AS job_ids FROM rowlock_open_run');
    expect((open as readonly { job_ids: string }[]).map(({ job_ids }) => JSON.parse(job_ids))).toEqual([
      [3, 6],
    ]);
    const [rows] = await client.query<never>(
      'SELECT job_id, process_id, outcome FROM rowlock_run ORDER BY job_id',
    );
    expect(rows).toEqual([1, 2, 4].map((id) => ({ job_id: id, process_id: runId, outcome: null })));
    await alive.release();
  } finally {
    await client.end();
    await driver.close();
    await database.drop();
  }
});

/** Jobs that were created before this moment. */
function recorded(...ids: readonly bigint[]): readonly RecordedJob[] {
  return ids.map((id) => ({ id, createdAt: new Date() }));
}
