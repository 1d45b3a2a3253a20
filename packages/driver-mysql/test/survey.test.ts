import { randomUUID } from 'node:crypto';
import { newJob } from '@rowlock/driver-conformance/internal';
import { freshMysqlDatabase } from '@rowlock/servers';
import { createConnection, createPool, type RowDataPacket } from 'mysql2/promise';
import { expect, onTestFinished, test } from 'vitest';
import { mysql } from '../src/index.js';
import { queueRows } from '../src/jobs/given-rows.js';
import { statements } from '../src/statements.js';
import { serverUrl } from './server.js';

const HOUR_MS = 3_600_000;

for (const event of ['snooze', 'retry'] as const) {
  test(`a job that somebody ends with a ${event} between the look and the lock is still to become due`, async () => {
    const fresh = await freshMysqlDatabase(serverUrl);
    onTestFinished(() => fresh.drop());
    const plain = createPool(fresh.url);
    onTestFinished(() => plain.end());
    const [waits, other] = [mysql({ uri: fresh.url, maxConnections: 1 }), mysql({ uri: fresh.url })];
    onTestFinished(() => waits.close());
    onTestFinished(() => other.close());
    await other.schema.migrate();
    await other.jobs.enqueue([newJob({ available: { inMs: HOUR_MS }, maxAttempts: 5 })]);
    await plain.query('UPDATE rowlock_job SET available_at = UTC_TIMESTAMP(6)');

    const lanes = { queues: ['q'], kinds: ['k'] };
    const surveyed = waits.claims.survey(lanes);
    // One session gets the only connection of the pool after the survey's first read, and the other one before its lock.
    const first = waits.claims.session({ idleLimitMs: 60_000 });
    await first.confirm();
    const between = waits.claims.session({ idleLimitMs: 60_000 });
    const isBetween = between.confirm();
    await first.rollback();
    await isBetween;
    expect(await other.claims.survey(lanes)).toMatchObject({ promoted: 1 });
    const held = other.claims.session({ idleLimitMs: 60_000 });
    const [job] = await held.claim({ ...lanes, queue: 'q', line: FIRST, busy: [], limit: 1 });
    await held.settle([{ ...ENDING, id: job?.id ?? 0n, runId: randomUUID(), event }]);
    await held.commit();
    await between.rollback();

    expect(await surveyed).toMatchObject({ promoted: 0, nextDueMs: expect.closeTo(HOUR_MS, -5) });
    const [left] = await plain.query('SELECT status, due FROM rowlock_job');
    expect(left).toEqual([{ status: 'new', due: 0 }]);
  });
}

interface Plan extends RowDataPacket {
  readonly table: string | null;
  readonly type: string | null;
  readonly key: string | null;
  readonly Extra: string | null;
}

test.each([0, 3_000])(
  'among %i jobs, statements for many queues read each queue along its index',
  async (jobs) => {
    const fresh = await freshMysqlDatabase(serverUrl);
    onTestFinished(() => fresh.drop());
    const plain = createPool(fresh.url);
    onTestFinished(() => plain.end());
    const driver = mysql({ uri: fresh.url });
    onTestFinished(() => driver.close());
    await driver.schema.migrate();
    const named = (place: number): string => `q${place % 1_000}`;
    for (let from = 0; from < jobs; from += 1_000)
      await driver.jobs.enqueue(
        Array.from({ length: 1_000 }, (_, place) =>
          newJob({ queue: named(from + place), available: { inMs: from === 0 ? HOUR_MS : 0 } }),
        ),
      );
    await plain.query('ANALYZE TABLE rowlock_job');
    const sql = statements(new URL(fresh.url).pathname.slice(1));
    for (const count of [1, 2, 1_000]) {
      const { text, values } = queueRows(Array.from({ length: count }, (_, place) => named(place)));
      for (const [statement, sent, wanted] of [
        [sql.surveys.dueQueues(text, '?'), [...values, 'k'], ['job_claim']],
        [
          sql.surveys.survey(text, '?'),
          ['k', ...values],
          ['job_claim', 'job_claim', 'job_later', 'job_leased'],
        ],
        [sql.leases.reclaimable(text), ['lock', ...values, 1, 'lock'], ['job_leased']],
      ] as const) {
        const [plans] = await plain.execute<Plan[]>(
          `EXPLAIN FORMAT=TRADITIONAL ${statement}`,
          [...sent].map(String),
        );
        const onJobs = plans.filter(({ table }) => table?.endsWith('job'));
        expect(onJobs.map(({ key }) => key).sort()).toEqual(wanted);
        for (const { type, Extra } of onJobs) {
          expect(['ref', 'range']).toContain(type);
          expect(Extra ?? '').not.toContain('filesort');
        }
      }
    }
  },
);

test('statements for many queues read the first jobs of each alone', async () => {
  const fresh = await freshMysqlDatabase(serverUrl);
  onTestFinished(() => fresh.drop());
  const plain = await createConnection(fresh.url);
  onTestFinished(() => plain.end());
  const driver = mysql({ uri: fresh.url });
  onTestFinished(() => driver.close());
  await driver.schema.migrate();
  for (const inMs of [0, HOUR_MS])
    await driver.jobs.enqueue(
      Array.from({ length: 2_000 }, (_, place) => newJob({ queue: `q${place % 2}`, available: { inMs } })),
    );
  await plain.query('ANALYZE TABLE rowlock_job');
  const sql = statements(new URL(fresh.url).pathname.slice(1));
  const { text, values } = queueRows(['q0', 'q1']);
  const read = async (): Promise<number> => {
    const [rows] = await plain.query<RowDataPacket[]>("SHOW SESSION STATUS LIKE 'Handler_read%'");
    return rows.reduce((sum, { Value }) => sum + Number(Value), 0);
  };
  for (const [statement, sent] of [
    [sql.surveys.dueQueues(text, '?'), [...values, 'k']],
    [sql.surveys.survey(text, '?'), ['k', ...values]],
  ] as const) {
    const ask = () => plain.execute<RowDataPacket[]>(statement, [...sent].map(String));
    // The first look into a table reads the dictionary, which other tests' tables may have put out of the server's memory.
    await ask();
    const before = await read();
    const [rows] = await ask();
    expect(rows).toHaveLength(2);
    expect((await read()) - before).toBeLessThan(55);
  }
});

const FIRST = { priority: -32_768, id: 0n };

const ENDING = {
  attempt: 1,
  crashes: 0,
  delayMs: HOUR_MS,
  tookMs: 0,
  output: null,
  error: null,
  by: 'test',
} as const;
