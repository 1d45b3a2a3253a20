import { complete, defineHandler, type RunContext } from '@rowlock/core';
import { expect } from 'vitest';
import { allSettled } from '../all-settled.js';
import type { JobRow } from '../driver-harness.js';
import { theme } from '../theme.js';
import { until } from '../until.js';
import { ANumber, AnyJson, startWorker } from '../worker-process.js';

export const grouping = theme('grouping', (test) => {
  test('thirty jobs of a key become one run', async (stage) => {
    const { key, queue, putMany } = stage;
    const runs: number[][] = [];
    const handler = defineHandler({
      kind: 'update',
      queue,
      payload: ANumber,
      group: true,
      run: ({ jobs }) => {
        runs.push(jobs.map(({ payload }) => payload));
        return new Map(jobs.map(({ publicId, payload }) => [publicId, complete(payload * 2)]));
      },
    });
    await putMany(Array.from({ length: 30 }, (_, click) => ({ kind: 'update', key, payload: click })));
    await startWorker(stage, [handler]);
    const rows = await allSettled(stage);
    expect(runs).toEqual([Array.from({ length: 30 }, (_, click) => click)]);
    expect(rows.map(({ output }) => output)).toEqual(Array.from({ length: 30 }, (_, click) => click * 2));
    expect(new Set(rows.map(({ runId }) => runId)).size).toBe(1);
  });

  test('a group is as large as the kind allows, and the rest comes next', async (stage) => {
    const { key, queue, putMany } = stage;
    const runs: number[][] = [];
    const handler = defineHandler({
      kind: 'update',
      queue,
      payload: ANumber,
      group: { max: 4 },
      run: ({ jobs }) => void runs.push(jobs.map(({ payload }) => payload)),
    });
    await putMany(Array.from({ length: 10 }, (_, click) => ({ kind: 'update', key, payload: click })));
    for (let workers = 0; workers < 2; workers++) await startWorker(stage, [handler]);
    await allSettled(stage);
    expect(runs).toEqual([
      [0, 1, 2, 3],
      [4, 5, 6, 7],
      [8, 9],
    ]);
  });

  test('a job of another kind in between keeps its turn, and parts the group', async (stage) => {
    const { key, queue, putMany } = stage;
    const runs: number[][] = [];
    const common = {
      queue,
      payload: ANumber,
      run: ({ jobs }: RunContext<number, unknown>) => void runs.push(jobs.map(({ payload }) => payload)),
    };
    const update = defineHandler({ ...common, kind: 'update', group: true });
    const rename = defineHandler({ ...common, kind: 'rename' });
    const kinds = ['update', 'rename', 'update'];
    await putMany(kinds.map((kind, place) => ({ kind, key, payload: place + 1 })));
    for (let workers = 0; workers < 2; workers++) await startWorker(stage, [update, rename]);
    await allSettled(stage);
    expect(runs).toEqual([[1], [2], [3]]);
  });

  test('a job that comes while the group runs gets a run of its own', async (stage) => {
    const { key, queue, put, putMany } = stage;
    const runs: string[][] = [];
    let late: JobRow | undefined;
    const handler = defineHandler({
      kind: 'update',
      queue,
      payload: AnyJson,
      group: true,
      async run({ jobs }) {
        runs.push(jobs.map(({ publicId }) => publicId));
        // By another connection, committed before this run is settled.
        late ??= await put({ kind: 'update', key });
      },
    });
    const rows = await putMany([1, 2, 3].map((payload) => ({ kind: 'update', key, payload })));
    const { worker } = await startWorker(stage, [handler]);
    const served = await until('the late job is served', async () => {
      worker.wake();
      const jobs = await stage.reader.jobs(queue);
      return jobs.length === 4 && jobs.every(({ status }) => status === 'complete') && jobs;
    });
    expect(runs).toEqual([rows.map(({ publicId }) => publicId), [late?.publicId]]);
    expect(served[3]?.runId).not.toBe(served[0]?.runId);
  });
});
