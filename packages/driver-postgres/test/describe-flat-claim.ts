import { freshDatabase } from '@rowlock/servers';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { postgres } from '../src/index.js';
import { statements } from '../src/statements.js';
import { explained, indexes, isPlannedOnce, type Plan, pages, scanned } from './plan.js';

const sql = statements('rowlock');

/** A claim must not look at what it cannot take, however much of it there is: counted in pages, not in time. */
export function describeFlatClaim(rows: number): void {
  describe(`with ${rows} settled and ${rows} future-dated rows`, () => {
    let client: pg.Client;
    let drop: () => Promise<void>;

    beforeAll(async () => {
      const database = await freshDatabase(inject('postgresUrl'));
      drop = database.drop;
      const driver = postgres({ connectionString: database.url });
      await driver.schema.migrate();
      await driver.close();
      client = new pg.Client(database.url);
      await client.connect();
      await fill(client, rows);
    }, 240_000);

    afterAll(async () => {
      await client.end();
      await drop();
    });

    const explain = (text: string, values: unknown[]): Promise<Plan> => explained(client, text, values);

    test('a claim walks its own index and touches a handful of pages', async () => {
      const plan = await explain(sql.claims.claimOne, ['q', -32_768, 0, ['k'], []]);
      expect(indexes(plan)).toEqual(['job_claim']);
      expect(pages(plan)).toBeLessThan(20);
    });

    test('so does a claim of several', async () => {
      const plan = await explain(sql.claims.claim, ['q', -32_768, 0, ['k'], [], 10]);
      expect(indexes(plan)).toEqual(['job_claim']);
      expect(pages(plan)).toBeLessThan(40);
    });

    test('so does a claim that finds nothing', async () => {
      const plan = await explain(sql.claims.claimOne, ['q', 32_767, 0, ['k'], []]);
      expect(indexes(plan)).toEqual(['job_claim']);
      expect(pages(plan)).toBeLessThan(20);
    });

    test('vacuum does not wait for a fifth of the history', async () => {
      const { rows } = await client.query<{ option: string }>(
        "SELECT unnest(reloptions) AS option FROM pg_class WHERE oid = 'rowlock.job'::regclass",
      );
      expect(rows.map(({ option }) => option)).toEqual([
        'autovacuum_vacuum_scale_factor=0.02',
        'autovacuum_vacuum_threshold=1000',
      ]);
    });

    test('siblings and dependencies of a key are found without its history', async () => {
      for (const siblings of [
        await explain(sql.siblings.lockKey, ['q', 'busy', 100]),
        await explain(sql.siblings.lockSiblings, ['q', ['busy', 'rare', 'none'], 100]),
      ]) {
        expect(indexes(siblings)).toEqual(['job_outstanding']);
        expect(pages(siblings)).toBeLessThan(50);
      }
      const dependency = await explain(sql.siblings.firstOutstanding, ['busy', ['k'], 10_000_000, []]);
      expect(indexes(dependency)).toEqual(['job_outstanding']);
      expect(pages(dependency)).toBeLessThan(50);
    });

    test('what is asked for each job is planned once in a session, and not each time', async () => {
      await isPlannedOnce(client, ['q', 0, 0, ['k'], ['busy']]);
    });

    test('a survey asks the indexes alone', async () => {
      const plan = await explain(sql.surveys.survey, [['q'], ['k']]);
      expect(indexes(plan)).toContain('job_claim');
      expect(scanned(plan)).toEqual(['pause', 'follower']);
      expect(pages(plan)).toBeLessThan(100);
    });

    test('due jobs of many queues are found by the index of the claim alone, however many of the queues are empty', async () => {
      for (const queues of [
        ['q'],
        Array.from({ length: 1_000 }, (_, place) => `q${place === 500 ? '' : place}`),
      ]) {
        const plan = await explain(sql.surveys.dueQueues, [queues, ['k']]);
        expect(indexes(plan)).toEqual(['job_claim']);
        expect(pages(plan)).toBeLessThan(10 + 5 * queues.length);
        const { rows } = await client.query(sql.surveys.dueQueues, [queues, ['k']]);
        expect(rows).toEqual([{ queue: 'q' }]);
      }
    });

    test('jobs are moved by an index of their public ids', async () => {
      const { rows } = await client.query(
        "SELECT array_agg(public_id)::text AS ids FROM (SELECT public_id FROM rowlock.job WHERE status = 'complete' LIMIT 50) AS few",
      );
      const { ids } = rows[0];
      expect(pages(await explain(sql.jobs.move, [ids, '{new}', 'cancelled', 'h', null]))).toBeLessThan(1_000);
    });
  });
}

/** Settled rows first, then future-dated ones, then ten that are due. Of the settled, half have one key. */
async function fill(client: pg.Client, rows: number): Promise<void> {
  await client.query(
    `INSERT INTO rowlock.job (queue, kind, key, status, finished_at, due)
     SELECT 'q', 'k', CASE WHEN n % 2 = 0 THEN 'busy' WHEN n % ($1::int / 10 + 1) = 0 THEN 'rare' END, 'complete', now(), true
     FROM generate_series(1, $1::int) AS n`,
    [rows],
  );
  await client.query(
    `INSERT INTO rowlock.job (queue, kind, available_at, due)
     SELECT 'q', 'k', now() + n * interval '1 minute', false FROM generate_series(1, $1::int) AS n`,
    [rows],
  );
  await client.query(
    "INSERT INTO rowlock.job (queue, kind, key) SELECT 'q', 'k', 'busy' FROM generate_series(1, 10)",
  );
  await client.query('ANALYZE rowlock.job');
}
