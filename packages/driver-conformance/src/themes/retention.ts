import { randomUUID } from 'node:crypto';
import { createRowlock, defineHandler, type Retention } from '@rowlock/core';
import type { Page, SettlingEvent } from '@rowlock/core/driver';
import { expect } from 'vitest';
import { alone } from '../alone.js';
import type { JobRow } from '../driver-harness.js';
import { moveOne } from '../move-one.js';
import { putOnRecord } from '../put-on-record.js';
import { KIND, type Stage, settlement } from '../stage.js';
import { theme } from '../theme.js';
import { until } from '../until.js';
import { AnyJson, clientOf } from '../worker-process.js';
import { withWrongClock } from '../wrong-clock.js';

const DAY_MS = 86_400_000;

/** Enqueues a job and settles it in a run that leaves its record. It is, by its row, some days ago. */
async function settle<Tx>(
  { driver, reader, queue, put, hold, row }: Stage<Tx>,
  daysAgo = 0,
  event: SettlingEvent = 'complete',
): Promise<JobRow> {
  await put();
  const { held, job } = await hold();
  const runId = randomUUID();
  await putOnRecord(driver, [{ runId, workerId: '1', jobs: [job] }]);
  await held.settle([settlement(job, { runId, event })]);
  await held.commit();
  if (daysAgo > 0) {
    const then = new Date((await reader.now()).getTime() - daysAgo * DAY_MS);
    await reader.write(job.publicId, { createdAt: then, finishedAt: then });
  }
  expect((await row(job)).queue).toBe(queue);
  return row(job);
}

/** The public ids of the rows that are left in the test's queue. */
async function left<Tx>({ reader, queue }: Stage<Tx>): Promise<readonly string[]> {
  return (await reader.jobs(queue)).map(({ publicId }) => publicId);
}

function publicIds(...jobs: readonly JobRow[]): readonly string[] {
  return jobs.map(({ publicId }) => publicId);
}

export const retention = theme('retention', (test) => {
  test('prune deletes settled jobs with the records of their runs, and says how many', async (stage) => {
    const { driver, reader } = stage;
    const before = await reader.orphans();
    const [complete, error, another] = [
      await settle(stage),
      await settle(stage, 0, 'fail'),
      await settle(stage),
    ];
    const cancelled = await stage.put();
    await moveOne(driver, 'cancel', cancelled.publicId);
    expect(await reader.runs(complete.publicId)).toHaveLength(1);
    expect(await driver.history.prune([complete.id, error.id, cancelled.id], 0)).toBe(3);
    expect(await left(stage)).toEqual(publicIds(another));
    expect(await reader.orphans()).toBe(before);
    expect(await reader.runs(another.publicId)).toHaveLength(1);
    expect(await driver.history.prune([complete.id], 0)).toBe(0);
    expect(await driver.history.prune([], 0)).toBe(0);
  });

  test('prune never deletes a job that is outstanding', async (stage) => {
    const { driver, put, hold } = stage;
    await put();
    await put();
    const leased = await hold();
    await leased.held.lease(randomUUID(), [leased.job.id], DAY_MS);
    await hold();
    const later = await put({ available: { inMs: DAY_MS } });
    const rows = await stage.reader.jobs(stage.queue);
    expect(rows.map(({ status }) => status)).toEqual(['in-progress', 'new', 'new']);
    expect(later.id).toBe(rows[2]?.id);
    expect(
      await driver.history.prune(
        rows.map(({ id }) => id),
        0,
      ),
    ).toBe(0);
    expect(await stage.reader.jobs(stage.queue)).toEqual(rows);
  });

  test('prune leaves a job that has not been settled for so long', async (stage) => {
    const { driver } = stage;
    const [old, young] = [await settle(stage, 2), await settle(stage, 1)];
    expect(await withWrongClock(() => driver.history.prune([old.id, young.id], 1.5 * DAY_MS))).toBe(1);
    expect(await left(stage)).toEqual(publicIds(young));
  });

  test('prune passes over a job that somebody holds, and waits for nobody', async (stage) => {
    const { driver, claimSession } = stage;
    const [held, free] = [await settle(stage), await settle(stage)];
    const holder = claimSession();
    await holder.lockLeased(held.runId ?? '', [held.id], true);
    // The lock is held while this resolves.
    expect(await driver.history.prune([held.id, free.id], 0)).toBe(1);
    expect(await left(stage)).toEqual(publicIds(held));
    await holder.rollback();
    expect(await driver.history.prune([held.id], 0)).toBe(1);
  });

  test('of many who prune the same jobs at once each job is counted by one', async (stage) => {
    const { driver } = stage;
    const jobs: JobRow[] = [];
    for (let job = 0; job < 10; job++) jobs.push(await settle(stage));
    const ids = jobs.map(({ id }) => id);
    const pruned = await Promise.all(Array.from({ length: 6 }, () => driver.history.prune(ids, 0)));
    expect(pruned.reduce((sum, each) => sum + each, 0)).toBe(10);
    expect(await left(stage)).toEqual([]);
  });

  test('a unique key of the scope `ever` is free again when its job is pruned', async (stage) => {
    const { driver, key, newJob, put, serve } = stage;
    const unique = { key, scope: 'ever' } as const;
    const job = await put({ unique });
    await serve();
    expect(await driver.jobs.enqueue([newJob({ unique })])).toEqual([
      { outcome: 'duplicate', publicId: job.publicId },
    ]);
    expect(await driver.history.prune([job.id], 0)).toBe(1);
    expect(await driver.jobs.enqueue([newJob({ unique })])).toMatchObject([{ outcome: 'enqueued' }]);
  });

  test("entries are read in pages from either end, with ages by the database's clock", async (stage) => {
    const { driver, queue, put } = stage;
    const jobs = [
      await settle(stage, 3),
      await settle(stage, 2, 'fail'),
      await put({ available: { inMs: DAY_MS } }),
    ];
    const [first, second, third] = jobs.map(({ id }) => id);
    const beyond = (first ?? 0n) - 1n;
    const pageOf = async (page: Partial<Page>, limit: number) =>
      (await driver.jobs.entries({}, { before: null, ...page, limit })).jobs;
    const page = await withWrongClock(() => pageOf({ order: 'oldest', after: beyond }, 3));
    expect(page.map(({ id }) => id)).toEqual([first, second, third]);
    expect(page.map((entry) => entry.queue)).toEqual([queue, queue, queue]);
    expect(page.map(({ status }) => status)).toEqual(['complete', 'error', 'new']);
    expect(page.map(({ createdMs }) => Math.floor(createdMs / DAY_MS))).toEqual([3, 2, 0]);
    expect(page.map(({ settledMs }) => settledMs && Math.floor(settledMs / DAY_MS))).toEqual([3, 2, null]);

    const ids = async (...of: Parameters<typeof pageOf>) => (await pageOf(...of)).map(({ id }) => id);
    expect(await ids({ order: 'oldest', after: first ?? null }, 1)).toEqual([second]);
    expect(await ids({ before: (third ?? 0n) + 1n }, 2)).toEqual([third, second]);
    expect((await ids({ before: null }, 1))[0]).toBeGreaterThanOrEqual(third ?? 0n);
    expect((await ids({ order: 'oldest', before: null }, 1))[0]).toBeLessThanOrEqual(first ?? 0n);
  });

  test('a client prunes by state and age, and nothing that has no rule', async (shared) => {
    // A pass ends at the first job that is too young: among those of other tests it would not come to these.
    const stage = await alone(shared);
    const { driver, queue, put } = stage;
    const complete = [await settle(stage, 8), await settle(stage, 6)] as const;
    const error = [await settle(stage, 31, 'fail'), await settle(stage, 29, 'fail')] as const;
    const cancelled = await put();
    await moveOne(driver, 'cancel', cancelled.publicId);
    const waiting = await put();
    const steps: number[] = [];
    const rules: Retention = { queues: { [queue]: { complete: '7d', error: '30d' } } };
    const pruned = await clientOf(stage, []).jobs.prune(rules, { onStep: (step) => steps.push(step) });
    expect(pruned).toBe(2);
    expect(steps.reduce((sum, step) => sum + step, 0)).toBe(2);
    expect(await left(stage)).toEqual(publicIds(complete[1], error[1], cancelled, waiting));
  });

  test('a client keeps the newest settled jobs of a queue', async (stage) => {
    const { queue, put } = stage;
    const jobs = [
      await settle(stage),
      await settle(stage, 0, 'fail'),
      await settle(stage),
      await settle(stage),
    ] as const;
    const waiting = await put();
    const client = clientOf(stage, []);
    expect(await client.jobs.prune({ queues: { [queue]: { keep: 2 } } })).toBe(2);
    expect(await left(stage)).toEqual(publicIds(jobs[2], jobs[3], waiting));
    expect(await client.jobs.prune({ queues: { [queue]: { keep: 2 } } })).toBe(0);
    expect(await client.jobs.prune({ queues: { [queue]: { keep: 0 } } })).toBe(2);
    expect(await left(stage)).toEqual(publicIds(waiting));
  });

  test('a worker prunes by the rules of its Rowlock while it runs', async (stage) => {
    const own = await alone(stage);
    const [old, young] = [await settle(own, 2), await settle(own, 1)];
    const handler = defineHandler({ kind: KIND, queue: own.queue, payload: AnyJson, run: () => {} });
    const log = { debug() {}, info() {}, warn() {}, error() {} };
    const work = async (given: { retention?: Retention }): Promise<() => Promise<void>> => {
      const worker = createRowlock({ driver: own.driver, handlers: [handler], log, ...given }).worker();
      stage.defer(() => worker.stop({ drain: 0 }));
      await worker.start();
      const fresh = await own.put();
      await until('a job was run', async () => (await own.row(fresh)).status === 'complete');
      return async () => worker.stop();
    };
    const stop = await work({});
    await stop();
    expect(await left(own)).toHaveLength(3);
    await work({ retention: { complete: '36h' } });
    await until('the old job is pruned', async () => (await own.reader.job(old.publicId)) === undefined);
    expect(await left(own)).toHaveLength(3);
    expect(await left(own)).toContain(young.publicId);
  });

  test('one worker at a time has the turn to prune, as long as it asks again', async (stage) => {
    const { driver, anchor } = await alone(stage);
    const [a, b] = [(await anchor()).workerId, (await anchor()).workerId];
    expect(await driver.history.takePruneTurn(a, DAY_MS)).toBe(true);
    expect(await driver.history.takePruneTurn(b, DAY_MS)).toBe(false);
    expect(await driver.history.takePruneTurn(a, 0)).toBe(true);
    expect(await driver.history.takePruneTurn(b, DAY_MS)).toBe(true);
    expect(await driver.history.takePruneTurn(a, DAY_MS)).toBe(false);
    expect(await driver.history.takePruneTurn('2000000000', DAY_MS)).toBe(false);
  });
});
