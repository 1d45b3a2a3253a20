import { defineHandler } from '@rowlock/core';
import type { JobFilter } from '@rowlock/core/driver';
import { expect } from 'vitest';
import { allSettled } from '../all-settled.js';
import { countStates } from '../count-states.js';
import { theme } from '../theme.js';
import { aborted, gate, until, within } from '../until.js';
import { AnyJson, clientOf, startWorker } from '../worker-process.js';

export const runningJob = theme('running job', (test) => {
  for (const [how, written] of [
    ['cancelled', (publicId: string) => publicId],
    ['cancelled by its public id in capitals', (publicId: string) => publicId.toUpperCase()],
  ] as const) {
    test(`a running job that is ${how} is told, and ends as cancelled`, async (stage) => {
      const { queue, put } = stage;
      const running = gate();
      const handler = defineHandler({
        kind: 'work',
        queue,
        payload: AnyJson,
        async run({ signal }) {
          running.open();
          throw await aborted(signal);
        },
      });
      const { publicId } = await put();
      await startWorker(stage, [handler]);
      await within('the handler', running.promise);
      expect(await clientOf(stage, [handler]).cancel(written(publicId))).toBe('signalled');
      const [row] = await allSettled(stage);
      expect(row).toMatchObject({ status: 'cancelled', attempt: 0, error: { code: 'ROWLOCK_CANCELLED' } });
    });
  }

  test('a duplicate is answered while the handler of the first is running', async (stage) => {
    const { queue, key } = stage;
    const running = gate();
    const finish = gate();
    const handler = defineHandler({
      kind: 'create',
      queue,
      payload: AnyJson,
      async run() {
        running.open();
        await finish.promise;
      },
    });
    const client = clientOf(stage, [handler]);
    const first = await client.enqueue(handler, { key, payload: 1, unique: key });
    await startWorker(stage, [handler]);
    await within('the handler', running.promise);
    const again = await within(
      'the duplicate, while the handler is running',
      client.enqueue(handler, { key, payload: 2, unique: key }),
    );
    expect(again).toEqual({ outcome: 'duplicate', publicId: first.publicId });
    finish.open();
    const rows = await allSettled(stage);
    expect(rows).toMatchObject([{ status: 'complete', payload: 1 }]);
    await client.jobs.flush();
  });

  for (const [what, options, given] of [
    ['a run of its own', { batch: 1 }, [{ payload: 'waits' }]],
    ['a group', { group: true }, [{ payload: 'waits' }, { payload: 'waits' }]],
    // A claim asks for more when the one before has found as many as it asked for.
    ['a batch', { batch: 10 }, [{ payload: 'quick' }, { payload: 'waits' }, { payload: 'waits' }]],
  ] as const) {
    test(`jobs that run are listed and counted as in progress, and as nothing else: ${what}`, async (stage) => {
      const { driver, queue, put, putMany } = stage;
      const key = what === 'a batch' ? null : stage.key;
      const finish = gate();
      const handler = defineHandler({
        kind: 'work',
        queue,
        payload: AnyJson,
        ...options,
        run: ({ job }) => (job.payload === 'waits' ? finish.promise : undefined),
      });
      const works = await putMany(given.map(({ payload }) => ({ key, payload })));
      const others = [await put({ kind: 'other', key }), await put({ kind: 'other' })];
      const ids = (rows: readonly { publicId: string }[]) => rows.map(({ publicId }) => publicId);
      const waiting = ids(works.filter(({ payload }) => payload === 'waits'));
      await startWorker(stage, [handler], { concurrency: 1 });
      const listed = async (filter: JobFilter) => {
        const { jobs } = await driver.jobs.list({ queue, ...filter }, { limit: 10, before: null });
        return ids(jobs).reverse();
      };
      // Of a lease they come one after the other: it shares its transaction with none.
      const runs = stage.workersLease && what === 'a batch' ? waiting.slice(0, 1) : waiting;
      // A quick one may be seen before them.
      await until(
        'they are seen',
        async () => String(await listed({ status: 'in-progress' })) === String(runs),
      );
      expect(await listed({ status: 'in-progress' })).toEqual(runs);
      const left = [...waiting, ...ids(others)].filter((id) => !runs.includes(id));
      expect(await listed({ status: 'new' })).toEqual(left);
      expect(await listed({ status: 'in-progress', kind: 'other' })).toEqual([]);
      if (key !== null) expect(await listed({ status: 'in-progress', key })).toEqual(runs);
      if (key !== null) expect(await listed({ status: 'new', key })).toEqual(left.slice(0, -1));
      const none = { new: 0, 'in-progress': 0, complete: 0, error: 0, cancelled: 0 };
      const complete = works.length - waiting.length;
      const counts = { ...none, new: left.length, 'in-progress': runs.length, complete };
      expect(await countStates(driver, { queue })).toEqual(counts);
      expect(await countStates(driver, { queue, status: 'new' })).toEqual({ ...none, new: left.length });
      const inProgress = { ...none, 'in-progress': runs.length };
      expect(await countStates(driver, { queue, status: 'in-progress' })).toEqual(inProgress);
      expect(await countStates(driver, { queue, kind: 'work' })).toEqual({ ...counts, new: left.length - 2 });
      expect(await countStates(driver, { queue, status: 'complete' })).toEqual({ ...none, complete });
      finish.open();
      await until(
        'they are settled',
        async () => (await listed({ status: 'complete' })).length === works.length,
      );
      expect(await countStates(driver, { queue })).toEqual({ ...none, new: 2, complete: works.length });
      expect(await listed({ status: 'in-progress' })).toEqual([]);
      expect(await listed({ status: 'new' })).toEqual(ids(others));
    });
  }

  test('what a dead worker had is listed and counted as the table has it', async (stage) => {
    const { driver, queue, put } = stage;
    const running = gate();
    const handler = defineHandler({
      kind: 'work',
      queue,
      payload: AnyJson,
      async run({ signal }) {
        running.open();
        await aborted(signal);
      },
    });
    const job = await put();
    const { process } = await startWorker(stage, [handler]);
    await within('the handler', running.promise);
    await until('it is seen', async () => (await countStates(driver, { queue }))['in-progress'] === 1);
    await process.kill();
    await until('the worker is dead', async () => (await stage.view(job)).worker === null);
    const status = (await stage.row(job)).status === 'new' ? 'new' : 'in-progress';
    expect(await countStates(driver, { queue })).toMatchObject({ [status]: 1 });
    const { jobs } = await driver.jobs.list({ queue, status }, { limit: 10, before: null });
    expect(jobs.map(({ publicId }) => publicId)).toEqual([job.publicId]);
  });

  test('a running job is seen with its worker, its run and its progress', async (stage) => {
    const { queue, put, view } = stage;
    const running = gate();
    const finish = gate();
    const handler = defineHandler({
      kind: 'work',
      queue,
      payload: AnyJson,
      async run({ progress }) {
        progress({ done: 0.5 });
        running.open();
        await finish.promise;
      },
    });
    const job = await put();
    await startWorker(stage, [handler], { name: 'the worker' });
    await within('the handler', running.promise);
    const seen = await until('the progress is seen', async () => {
      const found = await view(job);
      return found.progress !== null && found;
    });
    expect(seen).toMatchObject({ status: 'in-progress', worker: 'the worker', progress: { done: 0.5 } });
    expect((await stage.row(job)).status).toBe('new');
    finish.open();
    const [row] = await allSettled(stage);
    expect(row?.runId).toBe(seen.runId);
  });
});
