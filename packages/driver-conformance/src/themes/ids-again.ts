import { randomUUID } from 'node:crypto';
import { defineHandler } from '@rowlock/core';
import { expect } from 'vitest';
import { allSettled } from '../all-settled.js';
import { countStates } from '../count-states.js';
import type { TestDatabase, Truncate } from '../driver-harness.js';
import { moveOne } from '../move-one.js';
import { createStage, endProcess, type Stage } from '../stage.js';
import { theme } from '../theme.js';
import { until, within } from '../until.js';
import { AnyJson, startWorker } from '../worker-process.js';
import { leased } from './leases.js';

/** A stage on a database of its own, whose tables can be emptied. Undefined where a database cannot. */
async function emptiable<Tx>({
  createDatabase,
  defer,
}: Stage<Tx>): Promise<{ stage: Stage<Tx>; truncate: Truncate } | undefined> {
  const database: TestDatabase<Tx> = await createDatabase();
  defer(() => database.close());
  const { truncate } = database.mishaps;
  if (typeof truncate !== 'function') {
    expect(truncate.because.length, 'a reason').toBeGreaterThan(10);
    return undefined;
  }
  const opened = await database.process();
  defer(() => endProcess(opened));
  await opened.driver.schema.migrate();
  const { stage, end } = createStage(database, opened.driver, createDatabase);
  defer(end);
  return { stage, truncate };
}

/** Ids may come again while the records of earlier jobs and workers are still there, for example after a TRUNCATE. */
export const idsAgain = theme('ids that come again', (test) => {
  for (const jobs of [1, 2]) {
    test(`a new job has no runs of an earlier job that had its id: of a run of ${jobs}`, async (outer) => {
      const found = await emptiable(outer);
      if (found === undefined) return;
      const { stage, truncate } = found;
      const { driver, reader, putMany, view } = stage;
      const { workerId } = await stage.anchor();
      const put = () => putMany(Array.from({ length: jobs }, () => ({})));
      const before = await put();
      await driver.claims.startRuns([{ runId: randomUUID(), workerId, jobs: before }], []).visible;
      for (const job of before) expect((await view(job)).status).toBe('in-progress');
      await truncate('job');

      const rows = await put();
      expect(rows.map(({ id }) => id)).toEqual(before.map(({ id }) => id));
      for (const job of rows)
        expect(await view(job)).toMatchObject({ status: 'new', runId: null, worker: null });
      expect(await countStates(driver, { queue: stage.queue })).toMatchObject({
        new: jobs,
        'in-progress': 0,
      });
      const runId = randomUUID();
      const started = await driver.claims.startRuns([{ runId, workerId, jobs: rows }], []).visible;
      expect(started).toEqual({ earlier: [], unfinished: [] });
      const records = await Promise.all(rows.map(({ publicId }) => reader.runs(publicId)));
      expect(records.map((runs) => runs.some((run) => run.runId === runId))).toEqual(rows.map(() => true));
      for (const { publicId } of rows) {
        await moveOne(driver, 'cancel', publicId);
        await moveOne(driver, 'redrive', publicId);
        // The run that was just begun alone counts.
        expect(await stage.row({ publicId })).toMatchObject({ crashes: 1 });
      }
    });
  }

  test('a crash is counted, although the next job of its id is older than the record', async (outer) => {
    const found = await emptiable(outer);
    if (found === undefined) return;
    const { stage, truncate } = found;
    const { driver, put } = stage;
    const { workerId } = await stage.anchor();
    await driver.claims.startRuns([{ runId: randomUUID(), workerId, jobs: [await put()] }], []).visible;
    await truncate('job');
    const job = await put();
    const crashed = randomUUID();
    const start = (runId: string, crashed: readonly string[] = []) =>
      driver.claims.startRuns([{ runId, workerId, jobs: [job] }], crashed).visible;
    expect(await start(crashed)).toEqual({ earlier: [], unfinished: [] });
    expect((await start(randomUUID())).unfinished).toEqual([crashed]);
    expect(await start(randomUUID(), [crashed])).toEqual({
      earlier: [{ id: job.id, earlierRuns: 1, crashes: 1 }],
      unfinished: [],
    });
  });

  test('after each TRUNCATE the new jobs complete in their first attempt', async (outer) => {
    const found = await emptiable(outer);
    if (found === undefined) return;
    const { stage, truncate } = found;
    const handler = defineHandler({ kind: 'work', queue: stage.queue, payload: AnyJson, run: () => {} });
    const { worker } = await startWorker(stage, [handler], { concurrency: 1 });
    for (let round = 0; round < 4; round++) {
      await stage.putMany(Array.from({ length: 3 }, () => ({ maxAttempts: 2 })));
      await stage.driver.workers.notify([{ queue: stage.queue }]);
      const rows = await allSettled(stage);
      expect(rows.map(({ status, attempt, crashes }) => [status, attempt, crashes])).toEqual(
        rows.map(() => ['complete', 1, 0]),
      );
      await truncate('job');
    }
    await worker.stop();
  });

  test('a worker whose row is gone works on, and others start beside it', async (outer) => {
    const found = await emptiable(outer);
    if (found === undefined) return;
    const { stage, truncate } = found;
    const first = await stage.anchor();
    const handler = defineHandler({ kind: 'work', queue: stage.queue, payload: AnyJson, run: () => {} });
    await startWorker(stage, [handler], { concurrency: 1 });
    await truncate('worker');
    const second = await within('the start of another worker', stage.anchor());
    expect(second.workerId).not.toBe(first.workerId);
    await stage.put();
    await stage.driver.workers.notify([{ queue: stage.queue }]);
    expect(await allSettled(stage)).toMatchObject([{ status: 'complete', attempt: 1 }]);
  });

  test('a lease whose record is gone is put back when it is over', async (outer) => {
    const found = await emptiable(outer);
    if (found === undefined) return;
    const { stage, truncate } = found;
    const { job, workerId } = await leased(stage, stage.driver, 1);
    await truncate('run');
    const scope = { queues: [stage.queue], dead: [], own: { workerId, ended: [] } };
    await until('the lease is over', async () => (await stage.driver.claims.reclaim(scope)).reclaimed === 1);
    expect(await stage.row(job)).toMatchObject({ status: 'new', runId: null });
  });
});
