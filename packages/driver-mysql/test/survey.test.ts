import { randomUUID } from 'node:crypto';
import { newJob } from '@rowlock/driver-conformance';
import { freshMysqlDatabase } from '@rowlock/servers';
import { createPool } from 'mysql2/promise';
import { expect, onTestFinished, test } from 'vitest';
import { mysql } from '../src/index.js';
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
    await other.migrate();
    await other.enqueue([newJob({ available: { inMs: HOUR_MS }, maxAttempts: 5 })]);
    await plain.query('UPDATE rowlock_job SET available_at = UTC_TIMESTAMP(6)');

    const lanes = { queues: ['q'], kinds: ['k'] };
    const surveyed = waits.survey(lanes);
    // The session gets the one connection of the pool after the survey's read, and before its lock.
    const between = waits.claimSession({ idleLimitMs: 60_000 });
    await between.confirm();
    expect(await other.survey(lanes)).toMatchObject({ promoted: 1 });
    const held = other.claimSession({ idleLimitMs: 60_000 });
    const [job] = await held.claim({ ...lanes, queue: 'q', line: FIRST, busy: [], limit: 1 });
    await held.settle([{ ...ENDING, id: job?.id ?? 0n, runId: randomUUID(), event }]);
    await held.commit();
    await between.rollback();

    expect(await surveyed).toMatchObject({ promoted: 0, nextDueMs: expect.closeTo(HOUR_MS, -5) });
    const [left] = await plain.query('SELECT status, due FROM rowlock_job');
    expect(left).toEqual([{ status: 'new', due: 0 }]);
  });
}

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
