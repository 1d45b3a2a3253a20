import { randomUUID } from 'node:crypto';
import type { RecordedJob } from '@rowlock/core/driver';
import { freshDatabase } from '@rowlock/servers';
import '@rowlock/servers/vitest';
import pg from 'pg';
import { expect, inject, onTestFinished, test, vi } from 'vitest';
import { postgres } from '../src/index.js';

test('a worker that starts forgets those that are long gone, and none that may come back', async () => {
  const database = await freshDatabase(inject('postgresUrl'));
  const driver = postgres({ connectionString: database.url });
  const client = new pg.Client(database.url);
  try {
    await driver.schema.migrate();
    await client.connect();
    const hire = (name: string) => driver.workers.anchor({ name, host: 'host', pid: 1, queues: [] });
    // Its session holds its lock, however long it has been there.
    const alive = await hire('alive');
    await client.query("UPDATE rowlock.worker SET started_at = now() - interval '1 year'");
    const hours = (given: number): string => `now() - interval '${given} hours'`;
    await client.query(
      `INSERT INTO rowlock.worker (id, name, host, pid, queues, started_at, stopped_at, alive_until) VALUES
       (1, 'stopped', 'h', 1, '{}', ${hours(50)}, ${hours(25)}, NULL),
       (2, 'stopped lately', 'h', 1, '{}', ${hours(9_000)}, ${hours(23)}, NULL),
       (3, 'beat its last', 'h', 1, '{}', ${hours(50)}, NULL, ${hours(25)}),
       (4, 'has missed beats', 'h', 1, '{}', ${hours(9_000)}, NULL, ${hours(23)}),
       (5, 'crashed', 'h', 1, '{}', ${hours(32 * 24)}, NULL, NULL),
       (6, 'crashed lately', 'h', 1, '{}', ${hours(30 * 24)}, NULL, NULL)`,
    );
    const fresh = await hire('fresh');
    const { rows } = await client.query<{ name: string }>('SELECT name FROM rowlock.worker ORDER BY name');
    const left = ['alive', 'crashed lately', 'fresh', 'has missed beats', 'stopped lately'];
    expect(rows.map(({ name }) => name)).toEqual(left);
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
    const database = await freshDatabase(inject('postgresUrl'));
    const driver = postgres({ connectionString: database.url, sessions });
    const client = new pg.Client(database.url);
    try {
      await driver.schema.migrate();
      await client.connect();
      const anchor = await driver.workers.anchor({ name: 'away', host: 'host', pid: 4711, queues: ['q'] });
      const [before] = await driver.workers.list();
      await client.query('DELETE FROM rowlock.worker');
      // An hour later.
      const now = performance.now.bind(performance);
      vi.spyOn(performance, 'now').mockImplementation(() => now() + HOUR_MS);
      onTestFinished(() => void vi.restoreAllMocks());
      await client.query(
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
         WHERE datname = current_database() AND pid <> pg_backend_pid() AND backend_type = 'client backend'`,
      );
      const known = () => driver.workers.list().catch(() => []);
      await expect
        .poll(known, { timeout: 60_000 })
        .toEqual([{ ...before, alive: true, startedAt: expect.any(Date) }]);
      const [after] = await driver.workers.list();
      // Since its start it has counted the time itself, and a busy machine may need some for that.
      const { startedAt } = before ?? {};
      expect(Math.abs(Number(after?.startedAt) + HOUR_MS - Number(startedAt))).toBeLessThan(HOUR_MS / 2);
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
  const database = await freshDatabase(inject('postgresUrl'));
  const driver = postgres({ connectionString: database.url });
  const client = new pg.Client(database.url);
  try {
    await driver.schema.migrate();
    await client.connect();
    const hire = (name: string) => driver.workers.anchor({ name, host: 'host', pid: 1, queues: [] });
    const [gone, alive] = [await hire('gone'), await hire('alive')];
    const runId = randomUUID();
    await client.query(
      `INSERT INTO rowlock.job (kind, status, finished_at) VALUES
       ('k', 'new', NULL), ('k', 'cancelled', now()), ('k', 'new', NULL), ('k', 'new', NULL)`,
    );
    await client.query(
      "INSERT INTO rowlock.job (kind, status, finished_at, process_id) VALUES ('k', 'complete', now(), $1)",
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
      "UPDATE rowlock.worker SET stopped_at = now() - interval '25 hours' WHERE name = 'gone'",
    );
    await (await hire('fresh')).release();
    const { rows: open } = await client.query('SELECT job_ids FROM rowlock.open_run');
    expect(open).toEqual([{ job_ids: ['3', '6'] }]);
    const { rows } = await client.query(
      'SELECT job_id, process_id, outcome FROM rowlock.run ORDER BY job_id',
    );
    expect(rows).toEqual(['1', '2', '4'].map((id) => ({ job_id: id, process_id: runId, outcome: null })));
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
