import { BUCKETS, type Tally } from '@rowlock/core/driver';
import { expect } from 'vitest';
import { theme } from '../theme.js';
import { clientOf } from '../worker-process.js';

/** One completed job that has waited and run for a millisecond at most. */
function tally(queue: string, change: Partial<Tally> = {}): Tally {
  const times = new Array<number>(BUCKETS).fill(0).with(0, 1);
  const counts = { completed: 1, failed: 0, cancelled: 0, retried: 0 };
  return { queue, kind: 'work', ...counts, waits: times, runs: times, ...change };
}

export const trend = theme('trend', (test) => {
  test('what workers have counted is in the newest points, for a queue and for all', async (stage) => {
    const { driver, queue } = stage;
    const client = clientOf(stage, []);
    const { workerId } = await stage.anchor();
    const other = tally(queue, { kind: 'other', completed: 0, failed: 3, retried: 2 });
    await driver.history.report(workerId, {
      tallies: [tally(queue, { cancelled: 1 }), other],
      running: [],
      runningIds: [],
    });
    const elsewhere = tally(`${queue} 2`);
    await driver.history.report(workerId, { tallies: [elsewhere], running: [], runningIds: [] });
    const { stepSeconds, points } = await client.insight.trend({ last: '10m', queue });
    expect(stepSeconds).toBe(60);
    expect(points).toHaveLength(11);
    const minutes = points.map(({ at }) => at.getTime());
    expect(minutes).toEqual(minutes.map((_, place) => (minutes[0] ?? 0) + place * 60_000));
    // A minute may have begun since the report.
    const found = points.slice(-2).filter(({ settled }) => settled > 0);
    const times = { p50: expect.any(Number), p95: expect.any(Number), p99: expect.any(Number) };
    expect(found).toEqual([
      {
        at: expect.any(Date),
        settled: 5,
        completed: 1,
        failed: 3,
        cancelled: 1,
        retried: 2,
        waitedMs: times,
        tookMs: times,
      },
    ]);
    expect(points.slice(0, -2).every(({ settled, waitedMs }) => settled === 0 && waitedMs === null)).toBe(
      true,
    );
    const ofKind = await client.insight.trend({ last: '10m', queue, kind: 'other' });
    expect(ofKind.points.reduce((sum, { settled }) => sum + settled, 0)).toBe(3);
    const several = { queue: [queue, `${queue} 2`], kind: ['work', 'none'] };
    const ofSeveral = await client.insight.trend({ last: '10m', ...several });
    expect(ofSeveral.points.reduce((sum, { settled }) => sum + settled, 0)).toBe(3);
    const all = (await client.insight.trend({ last: '10m' })).points.reduce(
      (sum, { settled }) => sum + settled,
      0,
    );
    expect(all).toBeGreaterThanOrEqual(6);
  });

  test('a longer time has longer steps, which begin at whole ones', async (stage) => {
    const { driver, queue } = stage;
    const client = clientOf(stage, []);
    const { workerId } = await stage.anchor();
    await driver.history.report(workerId, { tallies: [tally(queue)], running: [], runningIds: [] });
    for (const [last, stepSeconds, count] of [
      ['24h', 600, 145],
      ['7d', 3_600, 169],
    ] as const) {
      const found = await client.insight.trend({ last, queue });
      expect(found.stepSeconds).toBe(stepSeconds);
      expect(found.points).toHaveLength(count);
      expect(found.points.every(({ at }) => at.getTime() % (stepSeconds * 1_000) === 0)).toBe(true);
      expect(found.points.slice(-2).reduce((sum, { completed }) => sum + completed, 0)).toBe(1);
    }
    for (const last of ['8d', '0s'] as const)
      await expect(client.insight.trend({ last })).rejects.toMatchObject({ code: 'ROWLOCK_INVALID_INPUT' });
  });
});
