import { defineHandler, fail, type Rowlock, retry } from '@rowlock/core';
import { BUCKETS, systemClock, type Tally } from '@rowlock/core/driver';
import type { LaneStats, UnservedJobs } from '@rowlock/core/types';
import { expect } from 'vitest';
import { allSettled } from '../all-settled.js';
import type { Stage } from '../stage.js';
import { insightTheme, theme } from '../theme.js';
import { aborted, gate, until, within } from '../until.js';
import { AnyJson, clientOf, SOON, startWorker } from '../worker-process.js';

/** The lanes of the test's queue. */
async function lanesOf<Tx>({ queue }: Pick<Stage<Tx>, 'queue'>, client: Rowlock<Tx>) {
  const { lanes } = await client.insight.stats();
  return lanes.filter((lane) => lane.queue === queue);
}

const none = (): number[] => new Array<number>(BUCKETS).fill(0);

/** One completed job that has waited and run for a millisecond at most. */
function tally(queue: string, change: Partial<Tally> = {}): Tally {
  const times = { waits: none().with(0, 1), runs: none().with(0, 1) };
  return { queue, kind: 'work', completed: 1, failed: 0, cancelled: 0, retried: 0, ...times, ...change };
}

/** The counts of the test's queue, of this minute and the one before it. They are in the order of their kinds. */
async function talliesOf<Tx>({
  driver,
  queue,
}: Pick<Stage<Tx>, 'driver' | 'queue'>): Promise<readonly Tally[]> {
  // A step of many years, so that all are in one.
  const { sums } = await driver.history.tallies({
    minutes: 1,
    step: 30_000_000,
    queue,
    kind: null,
    byLane: true,
  });
  return sums
    .flatMap(({ at: _, lane, ...counts }) => (lane === null ? [] : [{ ...lane, ...counts }]))
    .toSorted((a, b) => (a.kind < b.kind ? -1 : 1));
}

export const tallies = theme('tallies', (test) => {
  test.once('reports of workers are added up by minute, queue and kind', async (stage) => {
    const { driver, queue } = stage;
    const { workerId } = await stage.anchor();
    const tallies = [tally(queue), tally(queue, { kind: 'other', completed: 0, failed: 3, retried: 2 })];
    await driver.history.report(workerId, { tallies, running: [], runningIds: [] });
    await driver.history.report(workerId, {
      tallies: [tally(queue, { cancelled: 1 })],
      running: [],
      runningIds: [],
    });
    const own = await talliesOf(stage);
    const twice = none().with(0, 2);
    expect(own).toEqual([
      tally(queue, { kind: 'other', completed: 0, failed: 3, retried: 2 }),
      tally(queue, { completed: 2, cancelled: 1, waits: twice, runs: twice }),
    ]);
    await driver.history.report(workerId, { tallies: [], running: [], runningIds: [], forgets: true });
    expect(await talliesOf(stage)).toEqual(own);
  });

  test.once('many reports at the same time lose nothing', async (stage) => {
    const { driver, queue } = stage;
    const { workerId } = await stage.anchor();
    const other = await stage.process();
    const tallies = ['a', 'b', 'c'].map((kind) => tally(queue, { kind }));
    const report = (of: typeof driver) =>
      of.history.report(workerId, { tallies, running: [], runningIds: [] });
    await Promise.all(Array.from({ length: 5 }, () => [report(driver), report(other.driver)]).flat());
    const found = await talliesOf(stage);
    expect(found.map(({ completed }) => completed)).toEqual([10, 10, 10]);
  });
});

export const statistics = insightTheme('statistics', (test) => {
  test.once('waiting jobs are counted by kind: due, delayed and paused ones', async (stage) => {
    const { queue, defer } = stage;
    const client = clientOf(stage, []);
    const later = { available: { inMs: 3_600_000 } } as const;
    await stage.putMany([
      {},
      { limits: JSON.stringify({ [stage.key]: 1 }) },
      { kind: 'other' },
      later,
      { ...later, kind: 'other' },
      { ...later, kind: 'other' },
    ]);
    const due = (count: number) => ({ count, more: false });
    const lane = { queue, running: 0, paused: 0, served: false };
    expect(await lanesOf(stage, client)).toMatchObject([
      { ...lane, kind: 'other', waiting: due(3), due: due(1), delayed: due(2) },
      { ...lane, kind: 'work', waiting: due(3), due: due(2), delayed: due(1) },
    ]);
    defer(() => client.jobs.resume({ kind: 'other' }));
    defer(() => client.jobs.resume({ limit: stage.key }));
    await client.jobs.pause({ kind: 'other' });
    await client.jobs.pause({ limit: stage.key });
    expect(await lanesOf(stage, client)).toMatchObject([{ paused: 1 }, { paused: 1 }]);
    await client.jobs.resume({ kind: 'other' });
    await client.jobs.pause({ queue });
    expect(await lanesOf(stage, client)).toMatchObject([{ paused: 1 }, { paused: 2 }]);
    await client.jobs.resume({ queue });
  });

  test.once('the oldest due job is the one whose time came first', async (stage) => {
    const client = clientOf(stage, []);
    const now = (await stage.reader.now()).getTime();
    await stage.putMany([{}, { available: { at: new Date(now - 3_600_000) } }, {}]);
    const [lane] = await lanesOf(stage, client);
    expect(lane?.oldestDueMs).toBeGreaterThanOrEqual(3_600_000);
    expect(lane?.oldestDueMs).toBeLessThan(3_660_000);
  });

  test.once('of many waiting jobs the first ones are counted', async (stage) => {
    const { driver, queue } = stage;
    await stage.putMany([
      ...Array.from({ length: 4 }, () => ({})),
      { kind: 'last' },
      { available: { inMs: 3_600_000 } },
    ]);
    const of = async (most: number) => {
      const lanes = ((await driver.insight?.backlog(most)) ?? []).filter((lane) => lane.queue === queue);
      return lanes.toSorted((one, other) => (one.kind < other.kind ? -1 : 1));
    };
    expect(await of(4)).toMatchObject([{ kind: 'work', due: 4, more: true, delayed: 1, moreDelayed: false }]);
    expect(await of(6)).toMatchObject([
      { kind: 'last', due: 1, more: false },
      { kind: 'work', due: 4, more: false, delayed: 1 },
    ]);
  });

  test.once('each queue has its share of what is counted in all, and at least 100', async (stage) => {
    const { driver, queue } = stage;
    await stage.putMany(Array.from({ length: 101 }, () => ({})));
    const of = async (inAll: number) =>
      ((await driver.insight?.backlog(200, inAll)) ?? []).filter((lane) => lane.queue === queue);
    expect(await of(1)).toMatchObject([{ due: 100, more: true }]);
    expect(await of(1_000_000)).toMatchObject([{ due: 101, more: false }]);
  });

  test('a worker counts what it settles, and how long jobs wait and run', async (stage) => {
    const { queue } = stage;
    let tries = 0;
    const handler = defineHandler({
      kind: 'work',
      queue,
      payload: AnyJson,
      retry: SOON,
      run: ({ job }) => {
        if (job.payload === 'fail') return fail('no');
        if (job.payload === 'retry' && tries++ === 0) return retry('again');
        return undefined;
      },
    });
    const client = clientOf(stage, [handler]);
    await client.enqueueMany(handler, [{ payload: 'ok' }, { payload: 'fail' }, { payload: 'retry' }]);
    const { worker } = await startWorker(stage, [handler]);
    await allSettled(stage);
    await worker.stop();
    const [lane] = await lanesOf(stage, client);
    const counts = { settled: 3, completed: 2, failed: 1, cancelled: 0, retried: 1 };
    const times = { p50: expect.any(Number), p95: expect.any(Number), p99: expect.any(Number) };
    expect(lane).toMatchObject<Partial<LaneStats>>({
      kind: 'work',
      waiting: { count: 0, more: false },
      running: 0,
      oldestDueMs: null,
      minute: { seconds: expect.any(Number), ...counts, waitedMs: times, tookMs: times },
      hour: { seconds: expect.any(Number), ...counts, waitedMs: times, tookMs: times },
    });
  });

  test('running jobs are those that live workers report, and are not due', async (stage) => {
    const { queue } = stage;
    const [running, finish] = [gate(), gate()];
    const handler = defineHandler({
      kind: 'work',
      queue,
      payload: AnyJson,
      run: async ({ signal }) => {
        running.open();
        await Promise.race([finish.promise, aborted(signal)]);
      },
    });
    const client = clientOf(stage, [handler]);
    await client.enqueueMany(handler, [{ payload: 1 }, { payload: 2 }]);
    const { worker } = await startWorker(stage, [handler], { concurrency: 1, version: '1.2.3' });
    await within('the handler runs', running.promise);
    const [lane] = await until('the worker has reported', async () => {
      const lanes = await lanesOf(stage, client);
      return lanes[0]?.running === 1 && lanes;
    });
    expect(lane).toMatchObject({ served: true, due: { count: 1 }, waiting: { count: 1 } });
    const own = (await client.insight.workers()).find(({ id }) => id === worker.id);
    expect(own).toMatchObject({ concurrency: 1, version: '1.2.3', running: [{ jobs: 1, slots: 1 }] });
    expect(own?.memory).toBeGreaterThan(1024 * 1024);
    finish.open();
    await until('nothing runs', async () => (await lanesOf(stage, client))[0]?.running === 0);
  });

  test('an idle worker warns once of due jobs that nobody serves', async (stage) => {
    const { queue, reader } = stage;
    let skippedMs = 0;
    const clock = { ...systemClock, now: () => systemClock.now() + skippedMs };
    const handler = defineHandler({ kind: 'work', queue, payload: AnyJson, run: () => {} });
    const { worker } = await startWorker(stage, [handler], { clock });
    const told: UnservedJobs[] = [];
    worker.on('unserved', (jobs) => {
      // On a busy machine what has just come grows old enough to be told.
      const isOld = jobs.kind === 'just come' && jobs.oldestDueMs >= 10_000;
      if (jobs.queue.startsWith(queue) && !isOld) told.push(jobs);
    });
    const at = new Date((await reader.now()).getTime() - 60_000);
    await stage.putMany([
      { kind: 'other', available: { at } },
      { queue: `${queue} 2`, available: { at } },
      { kind: 'just come' },
    ]);
    skippedMs += 60_000;
    worker.wake();
    await until('the worker has warned', async () => told.length === 2);
    const lane = { jobs: 1, oldestDueMs: expect.any(Number) };
    expect(told).toEqual([
      { ...lane, queue, kind: 'other', servedIn: [] },
      { ...lane, queue: `${queue} 2`, kind: 'work', servedIn: [queue] },
    ]);
    await stage.put({ queue: `${queue} 3`, available: { at } });
    skippedMs += 60_000;
    worker.wake();
    await until('the worker has looked again', async () => told.length > 2);
    expect(told.slice(2)).toMatchObject([{ queue: `${queue} 3` }]);
  });
});
