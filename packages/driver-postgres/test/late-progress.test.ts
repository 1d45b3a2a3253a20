import { randomUUID } from 'node:crypto';
import type { ClaimSession, Settlement } from '@rowlock/core/driver';
import { freshDatabase } from '@rowlock/servers';
import '@rowlock/servers/vitest';
import pg from 'pg';
import { expect, inject, test } from 'vitest';
import { type PostgresTransaction, postgres } from '../src/index.js';
import { waiting } from './waiting.js';

type Held = ClaimSession<PostgresTransaction>;

const QUEUE = 'queue';

/** The ways in which a run of several jobs ends for those that are not complete. */
const ENDS: Readonly<Record<string, (held: Held, settlements: readonly Settlement[]) => Promise<unknown>>> = {
  settle: (held, settlements) => held.settle(settlements).then(() => held.commit()),
  finish: (held, settlements) => held.finish(settlements),
  release: (held, [first, ...others]) =>
    held.release({
      runId: first?.runId ?? '',
      jobs: [first, ...others].flatMap((each) => each?.id ?? []),
    }),
};

test.each(Object.keys(ENDS))(
  'progress that is noted while %s is on its way leaves no record without an end',
  async (how) => {
    const database = await freshDatabase(inject('postgresUrl'));
    const driver = postgres({ connectionString: database.url });
    const client = new pg.Client(database.url);
    try {
      await driver.schema.migrate();
      await client.connect();
      const anchor = await driver.workers.anchor({ name: 'worker', host: 'host', pid: 1, queues: [] });
      const { workerId } = anchor;
      await client.query(
        `INSERT INTO rowlock.job (queue, kind) SELECT '${QUEUE}', 'k' FROM generate_series(1, 3)`,
      );
      const held = driver.claims.session({ idleLimitMs: 600_000 });
      const line = { priority: -32_768, id: 0n };
      const jobs = await held.claim({ queue: QUEUE, line, kinds: ['k'], busy: [], limit: 3 });
      const runId = randomUUID();
      const ids = jobs.map(({ id }) => id);
      await driver.claims.startRuns([{ runId, workerId, jobs }], []).visible;

      // What is written is decided by what the statement sees when it begins, and then it waits.
      await client.query('BEGIN; SELECT FROM rowlock.open_run FOR UPDATE');
      const ended = ENDS[how]?.(
        held,
        ids.map((id) => retried(id, runId)),
      );
      await expect.poll(() => waiting(client), { timeout: 30_000 }).toBe(1);
      await driver.claims.noteRun({ runId, jobs: ids.slice(1) }, 'half');
      await client.query('COMMIT');
      await ended;

      const { rows } = await client.query(
        'SELECT outcome, finished_at IS NULL AS open, progress FROM rowlock.run ORDER BY job_id',
      );
      const outcome = how === 'release' ? 'release' : 'retry';
      expect(rows).toEqual([null, 'half', 'half'].map((progress) => ({ outcome, open: false, progress })));
      const next = await driver.claims.startRuns([{ runId: randomUUID(), workerId, jobs }], []).visible;
      expect(next.unfinished).toEqual([]);
      expect(next.earlier.map(({ crashes }) => crashes)).toEqual([0, 0, 0]);
      await anchor.release();
    } finally {
      await client.end();
      await driver.close();
      await database.drop();
    }
  },
);

function retried(id: bigint, runId: string): Settlement {
  return {
    ...{ id, runId, event: 'retry', attempt: 1, crashes: 0, delayMs: 0, tookMs: 0 },
    ...{ output: null, error: { code: 'E', message: 'not yet' }, by: 'host' },
  };
}
