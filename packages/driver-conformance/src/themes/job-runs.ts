import { randomUUID } from 'node:crypto';
import { complete, defineHandler, fail } from '@rowlock/core';
import { expect } from 'vitest';
import { insightTheme } from '../theme.js';
import { aborted, gate, until, within } from '../until.js';
import { AnyJson, clientOf, SOON, startWorker } from '../worker-process.js';

/** A stack with a frame of this file. */
const HERE = expect.stringMatching(/^ +at .*job-runs/m);

export const jobRuns = insightTheme('job runs', (test) => {
  test('a job has the runs that the tables have, oldest first, with workers, times and errors', async (stage) => {
    const { queue, put, reader } = stage;
    const handler = defineHandler({
      kind: 'work',
      queue,
      payload: AnyJson,
      retry: SOON,
      run({ job, progress }) {
        if (job.attempt < 3) throw Object.assign(new Error(`no ${job.attempt}`), { code: 'E_NO' });
        progress({ done: 1 });
        return 'done';
      },
    });
    const job = await put();
    const { rowlock } = await startWorker(stage, [handler], { name: 'ann' });
    await until('it is complete', async () => (await stage.row(job)).status === 'complete');
    const runs = await rowlock.insight.runs(job.publicId);
    expect(runs.map(({ outcome, error, worker }) => [outcome, error, worker])).toEqual([
      ['retry', { code: 'E_NO', message: 'no 1', stack: HERE }, 'ann'],
      ['retry', { code: 'E_NO', message: 'no 2', stack: HERE }, 'ann'],
      ['complete', null, 'ann'],
    ]);
    const onRecord = await reader.runs(job.publicId);
    expect(runs.map(({ runId, startedAt, finishedAt }) => ({ runId, startedAt, finishedAt }))).toEqual(
      onRecord.map(({ runId, startedAt, finishedAt }) => ({ runId, startedAt, finishedAt })),
    );
    expect(runs.every(({ host }) => host !== null)).toBe(true);
  });

  test('each job of a group has its own outcome of the run', async (stage) => {
    const { queue, key, putMany } = stage;
    const handler = defineHandler({
      kind: 'work',
      queue,
      payload: AnyJson,
      group: true,
      run: ({ jobs }) =>
        new Map(jobs.map(({ publicId, payload }) => [publicId, payload === 1 ? fail('no') : complete()])),
    });
    const [first, second] = await putMany([
      { key, payload: 0 },
      { key, payload: 1 },
    ]);
    if (first === undefined || second === undefined) throw new Error('There are two jobs.');
    const { rowlock } = await startWorker(stage, [handler]);
    await until('both are settled', async () => (await stage.row(second)).status === 'error');
    const [one, other] = [
      await rowlock.insight.runs(first.publicId),
      await rowlock.insight.runs(second.publicId),
    ];
    expect([one, other]).toMatchObject([
      [{ outcome: 'complete', error: null }],
      [{ outcome: 'fail', error: { message: 'no' } }],
    ]);
    expect(one.map(({ runId }) => runId)).toEqual(other.map(({ runId }) => runId));
    expect(one[0]?.finishedAt).toEqual((await stage.row(first)).finishedAt);
  });

  test('a run that goes on is running, and one whose process died has crashed', async (stage) => {
    const { queue, put } = stage;
    const running = gate();
    const again = gate();
    const finish = gate();
    const handler = (name: string) =>
      defineHandler({
        kind: 'work',
        queue,
        payload: AnyJson,
        retry: SOON,
        async run({ job, signal }) {
          if (name === 'first') {
            running.open();
            throw await aborted(signal);
          }
          expect(job.attempt).toBe(2);
          again.open();
          await finish.promise;
        },
      });
    const job = await put();
    const client = clientOf(stage, []);
    const { process } = await startWorker(stage, [handler('first')], { name: 'first' });
    await within('the first run', running.promise);
    await until('it is seen', async () => (await client.insight.runs(job.publicId)).length === 1);
    expect(await client.insight.runs(job.publicId)).toMatchObject([
      { outcome: 'running', worker: 'first', finishedAt: null },
    ]);
    await process.kill();
    await until(
      'its worker is dead',
      async () => (await client.insight.runs(job.publicId))[0]?.outcome === 'crashed',
    );
    await startWorker(stage, [handler('second')], { name: 'second' });
    await within('the second run', again.promise);
    expect(await client.insight.runs(job.publicId)).toMatchObject([
      { outcome: 'crashed', worker: 'first' },
      { outcome: 'running', worker: 'second' },
    ]);
    finish.open();
    await until('it is complete', async () => (await stage.row(job)).status === 'complete');
    expect(await client.insight.runs(job.publicId)).toMatchObject([
      { outcome: 'crashed' },
      { outcome: 'complete' },
    ]);
  });

  test.once('a job that never ran has no runs, and one that is not there is refused', async (stage) => {
    const { put } = stage;
    const client = clientOf(stage, []);
    expect(await client.insight.runs((await put()).publicId)).toEqual([]);
    const refused = { code: 'ROWLOCK_JOB_NOT_FOUND' };
    await expect(client.insight.runs(randomUUID())).rejects.toMatchObject(refused);
    await expect(client.insight.runs('no id')).rejects.toMatchObject(refused);
  });
});
