import { createRowlock } from '@rowlock/core';
import { freshDatabase } from '@rowlock/servers';
import '@rowlock/servers/vitest';
import pg from 'pg';
import { expect, inject, onTestFinished, test } from 'vitest';
import { postgres } from '../src/index.js';

test('a page that looks at a job with a limit of one locks nothing, and sends no notification', async () => {
  const fresh = await freshDatabase(inject('postgresUrl'));
  onTestFinished(() => fresh.drop());
  const driver = postgres({ connectionString: fresh.url });
  onTestFinished(() => driver.close());
  await driver.schema.migrate();
  const rowlock = createRowlock({ driver, handlers: [] });
  const reader = new pg.Client(fresh.url);
  await reader.connect();
  onTestFinished(() => reader.end());
  const { rows } = await reader.query(
    `INSERT INTO rowlock.job (queue, kind, key, limits) VALUES ('q', 'k', 'key', '{"one":1}') RETURNING public_id`,
  );
  const publicId = String(rows[0]?.public_id);
  await (await rowlock.limits.slots('one', { max: 1 }).acquire())[Symbol.asyncDispose]();

  /** Whoever locks a row leaves his transaction in it. */
  const lockers = async (): Promise<readonly unknown[]> => {
    const found = await reader.query(
      `SELECT 'slot ' || n AS row, xmax::text FROM rowlock.limit_slot
       UNION ALL SELECT 'job ' || id, xmax::text FROM rowlock.job ORDER BY 1`,
    );
    return found.rows;
  };
  const before = await lockers();
  expect(before).toHaveLength(2);
  const notifications: unknown[] = [];
  reader.on('notification', ({ payload }) => notifications.push(payload));
  await reader.query('LISTEN "rowlock:rowlock"');
  const locks = new Set<string>();
  let isLooking = true;
  const watching = (async () => {
    while (isLooking) {
      const found = await reader.query<{ lock: string }>(
        // Autovacuum may come to a catalog meanwhile.
        `SELECT concat_ws(' ', locktype, relation::regclass, mode) AS lock FROM pg_locks
         JOIN pg_stat_activity USING (pid)
         WHERE backend_type = 'client backend' AND locktype NOT IN ('virtualxid', 'transactionid') AND mode <> 'AccessShareLock'
           AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`,
      );
      for (const { lock } of found.rows) locks.add(lock);
    }
  })();
  for (let count = 0; count < 20; count++)
    await Promise.all([
      rowlock.insight.explain(publicId),
      rowlock.insight.picture({ queue: 'q' }),
      rowlock.limits.list(),
      rowlock.insight.runs(publicId),
      rowlock.insight.stats(),
    ]);
  isLooking = false;
  await watching;
  expect(await lockers()).toEqual(before);
  expect(notifications).toEqual([]);
  expect([...locks]).toEqual([]);
});
