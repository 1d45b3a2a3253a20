import type { ClaimSession, Driver } from '@rowlock/core/driver';
import { freshDatabase } from '@rowlock/servers';
import pg from 'pg';
import { afterEach, beforeEach, describe, expect, inject, test } from 'vitest';
import { type PostgresTransaction, postgres } from '../src/index.js';
import { admitted, claim, gates, reached } from './limit-calls.js';
import { slotTrial, type Tally } from './slot-trial.js';

/** Sessions go in and out of limits for so long, and until some hundred were admitted and refused. */
export function describeSlotTrials(forMs: number): void {
  describe(`in trials of ${forMs} ms`, () => {
    let driver: Driver<PostgresTransaction>;
    let admin: pg.Pool;
    let drop: () => Promise<void>;

    const sessions = (count: number): ClaimSession<PostgresTransaction>[] =>
      Array.from({ length: count }, () => driver.claims.session({ idleLimitMs: 60_000 }));

    beforeEach(async () => {
      const database = await freshDatabase(inject('postgresUrl'));
      drop = database.drop;
      driver = postgres({ connectionString: database.url, sessions: 'own', maxConnections: 40 });
      await driver.schema.migrate();
      admin = new pg.Pool({ connectionString: database.url });
      // Dropping the database may end what is just being closed.
      admin.on('connect', (client) => void client.on('error', () => {}));
    });

    afterEach(async () => {
      await driver.close();
      await admin.end();
      await drop();
    });

    test(
      'nobody is admitted beyond a size, and nobody refused below it, whatever happens to the others',
      async () => {
        const tally = await slotTrial({ driver, admin, limit: 'hot', sessions: 16, forMs, least: 100 });
        if (forMs > 10_000) console.log(tally);
        expect(tally).toMatchObject({ over: 0, falselyRefused: 0 });
        expect(await gates(admin)).toBe(0);
        expect(await admitted(sessions(7), 'hot', 6)).toBe(6);
      },
      forMs + 120_000,
    );

    test(
      'the same holds while free slots are deleted all the while',
      async () => {
        const tally = await slotTrial({
          driver,
          admin,
          limit: 'hot',
          sessions: 12,
          forMs,
          least: 100,
          prunes: true,
        });
        if (forMs > 10_000) console.log(tally);
        expect(tally).toMatchObject({ over: 0, falselyRefused: 0 });
        expect(await gates(admin)).toBe(0);
        expect(await admitted(sessions(7), 'hot', 6)).toBe(6);
      },
      forMs + 120_000,
    );

    test(
      'the same holds for claims, which take a slot without counting while that is enough, and for limits without slots yet',
      async () => {
        const limits = ['hot', ...Array.from({ length: 6 }, (_, place) => `new ${place}`)];
        await admin.query(
          `INSERT INTO rowlock.job (kind, limits)
       SELECT 'work', format('{"%s":%s}', name, size)
       FROM unnest($1::text[]) AS name, unnest('{1,3,6}'::integer[]) AS size, generate_series(1, 20)`,
          [limits],
        );
        const tallies: Tally[] = [];
        for (const limit of limits) {
          tallies.push(
            await slotTrial({
              driver,
              admin,
              limit,
              sessions: 16,
              forMs: forMs / limits.length,
              least: 15,
              // Beside leases all claims count.
              leases: limit === 'hot',
              async enter(session, size) {
                const jobs = await claim(session, JSON.stringify({ [limit]: size }));
                if (jobs.length !== 1) throw new Error('There is a job for each session.');
              },
            }),
          );
        }
        const sum = (of: keyof Tally): number => tallies.reduce((all, tally) => all + tally[of], 0);
        if (forMs > 10_000) console.log(tallies);
        expect(sum('over') + sum('falselyRefused')).toBe(0);
        await expect.poll(() => gates(admin), { timeout: 30_000 }).toBe(0);
      },
      forMs + 120_000,
    );

    test('the trial finds the callers that a plain look for a free row admits beyond their size', async () => {
      await admin.query(
        "INSERT INTO rowlock.limit_slot (name, n) SELECT 'naive', n FROM generate_series(1, 6) AS n",
      );
      const tally = await slotTrial({
        driver,
        admin,
        limit: 'naive',
        sessions: 16,
        forMs: 2_000,
        least: 100,
        async enter({ handle }, size) {
          const { rows } = await handle.query(
            "SELECT n FROM rowlock.limit_slot WHERE name = 'naive' AND n <= $1 ORDER BY n LIMIT 1 FOR UPDATE SKIP LOCKED",
            [size],
          );
          if (rows.length === 0) throw Object.assign(new Error(), reached);
        },
      });
      expect(tally.over).toBeGreaterThan(0);
    }, 120_000);
  });
}
