import { defineHandler, fail } from '@rowlock/core';
import type { LatestRuns } from '@rowlock/core/types';
import { expect } from 'vitest';
import { allSettled } from '../all-settled.js';
import { insightTheme } from '../theme.js';
import { aborted, gate, until, within } from '../until.js';
import { AnyJson, clientOf, SOON, startWorker } from '../worker-process.js';

export const begunRuns = insightTheme('begun runs', (test) => {
  test('the latest runs are there with their jobs, workers and outcomes, newest first', async (stage) => {
    const { queue, key, reader } = stage;
    const handler = defineHandler({
      kind: 'work',
      queue,
      payload: AnyJson,
      retry: SOON,
      run({ job }) {
        if (job.payload === 'fail') return fail('no');
        if (job.attempt === 1) throw Object.assign(new Error('again'), { code: 'E_AGAIN' });
        return undefined;
      },
    });
    const [first, second] = await stage.putMany([{ key, payload: 'ok' }, { payload: 'fail' }]);
    if (first === undefined || second === undefined) throw new Error('There are two jobs.');
    const { worker, rowlock } = await startWorker(stage, [handler], { name: 'ann' });
    await allSettled(stage);
    await worker.stop();
    const { runs, older } = await rowlock.insight.runs({ queue });
    expect(older).toBeNull();
    const of = { kind: 'work', queue, worker: 'ann', host: expect.any(String) };
    const own = (publicId: string) => runs.filter((run) => run.publicId === publicId);
    expect(own(first.publicId)).toMatchObject([
      { ...of, key, outcome: 'complete', error: null },
      { ...of, key, outcome: 'retry', error: { code: 'E_AGAIN', message: 'again' } },
    ]);
    expect(own(second.publicId)).toMatchObject([
      { ...of, key: null, outcome: 'fail', error: { message: 'no' } },
    ]);
    const times = runs.map(({ startedAt }) => startedAt.getTime());
    expect(times).toEqual(times.toSorted((one, other) => other - one));
    for (const { publicId } of [first, second])
      expect(
        own(publicId).map(({ runId, startedAt, finishedAt }) => ({ runId, startedAt, finishedAt })),
      ).toEqual(
        (await reader.runs(publicId))
          .map(({ runId, startedAt, finishedAt }) => ({ runId, startedAt, finishedAt }))
          .toReversed(),
      );
    for (const [filter, count] of [
      [{ outcome: 'retry' }, 1],
      [{ worker: 'ann' }, 3],
      [{ worker: 'bob' }, 0],
      [{ kind: 'other' }, 0],
      [{ kind: ['work', 'other'], queue: [queue, 'none'] }, 3],
      [{ queue: ['none'] }, 0],
    ] as const)
      expect((await rowlock.insight.runs({ queue, ...filter })).runs).toHaveLength(count);
  });

  test('a time has the runs that began in it, and a page the newest of them', async (stage) => {
    const { queue, driver } = stage;
    const handler = defineHandler({ kind: 'work', queue, payload: AnyJson, run: () => {} });
    const client = clientOf(stage, []);
    await stage.putMany([{}, {}, {}]);
    const { worker } = await startWorker(stage, [handler], { concurrency: 1 });
    await allSettled(stage);
    await worker.stop();
    const { runs } = await client.insight.runs({ queue });
    const [newest, , oldest] = runs;
    if (newest === undefined || oldest === undefined) throw new Error('There are three runs.');
    const after = new Date(newest.startedAt.getTime() + 1);
    const paged = [];
    for (let before: Date | null = after; before !== null; ) {
      const page: LatestRuns = await client.insight.runs({ queue, limit: 2, before });
      paged.push(...page.runs);
      before = page.older;
    }
    expect(new Set(paged.map(({ runId }) => runId))).toEqual(new Set(runs.map(({ runId }) => runId)));
    expect((await client.insight.runs({ queue, from: after })).runs).toEqual([]);
    expect((await client.insight.runs({ queue, before: oldest.startedAt })).runs).toEqual([]);
    const all = { from: oldest.startedAt, before: after };
    expect((await client.insight.runs({ queue, ...all })).runs).toEqual(runs);
    expect(await driver.insight?.runs({ ...all, limit: 2 })).toHaveLength(2);
    await expect(client.insight.runs({ limit: 0 })).rejects.toMatchObject({ code: 'ROWLOCK_INVALID_INPUT' });
    await expect(client.insight.runs({ from: new Date('never') })).rejects.toMatchObject({
      code: 'ROWLOCK_INVALID_INPUT',
    });
  });

  test('a run that goes on is running, and one whose process died has crashed', async (stage) => {
    const { queue } = stage;
    const running = gate();
    const handler = defineHandler({
      kind: 'work',
      queue,
      payload: AnyJson,
      group: true,
      async run({ signal }) {
        running.open();
        throw await aborted(signal);
      },
    });
    const client = clientOf(stage, []);
    const jobs = await stage.putMany([{ key: stage.key }, { key: stage.key }]);
    const { process } = await startWorker(stage, [handler], { name: 'first' });
    await within('the run', running.promise);
    const outcomes = async () =>
      (await client.insight.runs({ queue })).runs
        .map(({ publicId, outcome, worker }) => [publicId, outcome, worker])
        .toSorted();
    const each = (outcome: string) => jobs.map(({ publicId }) => [publicId, outcome, 'first']).toSorted();
    await until('it is seen', async () => (await outcomes()).length === 2);
    expect(await outcomes()).toEqual(each('running'));
    await process.kill();
    await until('its worker is dead', async () => (await outcomes())[0]?.[1] === 'crashed');
    expect(await outcomes()).toEqual(each('crashed'));
  });
});
