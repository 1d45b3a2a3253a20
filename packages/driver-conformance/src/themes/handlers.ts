import { defineHandler, definePlugin, failedJob } from '@rowlock/core';
import { expect } from 'vitest';
import { allSettled } from '../all-settled.js';
import type { JobRow } from '../driver-harness.js';
import { theme } from '../theme.js';
import { until, within } from '../until.js';
import { AnyJson, openWorker, SOON, startWorker } from '../worker-process.js';

export const handlers = theme('handlers', (test) => {
  test('kinds that it has no handler for stay as they are', async (stage) => {
    const { queue, key, put, row } = stage;
    const handler = defineHandler({ kind: 'work', queue, payload: AnyJson, run: () => {} });
    const strange = await put({ kind: 'strange', key: `${key}-strange` });
    const keyless = await put({ kind: 'strange' });
    const known = await put({ key });
    const { worker } = await openWorker(stage, [handler]);
    const idle = new Promise<void>((resolve) => worker.on('idle', resolve));
    await worker.start();
    await within('the worker is idle', idle);
    expect((await row(known)).status).toBe('complete');
    expect(await row(strange)).toEqual(strange);
    expect(await row(keyless)).toEqual(keyless);
  });

  test('the defaults of a program are the options of handlers that have none, those of plugins too', async (stage) => {
    const { queue } = stage;
    const work = {
      queue,
      payload: AnyJson,
      run: () => {
        throw new Error('never');
      },
    };
    const plain = defineHandler({ kind: 'plain', ...work });
    const plugged = defineHandler({ kind: 'plugged', ...work });
    const own = defineHandler({ kind: 'own', attempts: 1, ...work });
    const report = defineHandler({
      kind: 'report',
      queue,
      payload: failedJob,
      run: ({ job }) => job.payload.kind,
    });
    const { rowlock } = await startWorker(stage, [plain, own, report], {
      plugins: [definePlugin({ name: 'plugin', handlers: [plugged] })],
      defaults: { attempts: 2, retry: SOON, onFailed: report },
    });
    const handlers = [plain, plugged, own, { kind: 'plain', queue, payload: AnyJson }];
    const ids = await Promise.all(
      handlers.map(async (handler) => (await rowlock.enqueue(handler, { payload: 1 })).publicId),
    );
    const ended = await Promise.all(ids.map((id) => rowlock.settled(id)));
    expect(ended.map(({ status, attempt }) => [status, attempt])).toEqual(
      [2, 2, 1, 2].map((attempts) => ['error', attempts]),
    );
    const rows = await allSettled(stage);
    const reports = rows.filter(({ kind }) => kind === 'report');
    expect(reports.map(({ output, maxAttempts }) => [output, maxAttempts]).toSorted()).toEqual(
      ['own', 'plain', 'plain', 'plugged'].map((kind) => [kind, 2]),
    );
  });

  test('one worker serves all the queues of its handlers', async (stage) => {
    const { queue, put, row } = stage;
    const queues = [`${queue}-a`, `${queue}-b`, `${queue}-c`];
    const handlers = queues.map((each, place) =>
      defineHandler({ kind: `work-${place}`, queue: each, payload: AnyJson, run: () => {} }),
    );
    const jobs: JobRow[] = [];
    for (const [place, each] of queues.entries())
      jobs.push(await put({ kind: `work-${place}`, queue: each }));
    await startWorker(stage, handlers);
    for (const job of jobs)
      await until('the job is served', async () => (await row(job)).status === 'complete');
  });

  test('a worker of some queues leaves the others alone, and groups and waits within its own', async (stage) => {
    const { queue, key, reader } = stage;
    const slow = `${queue}-slow`;
    const groups: number[] = [];
    const Create = defineHandler({ kind: 'create', queue, payload: AnyJson, run: () => {} });
    const Update = defineHandler({
      kind: 'update',
      queue,
      payload: AnyJson,
      after: ['create'],
      group: true,
      run: ({ jobs }) => void groups.push(jobs.length),
    });
    const Report = defineHandler({ kind: 'report', queue: slow, payload: AnyJson, run: () => {} });
    const statuses = async (of: string) => (await reader.jobs(of)).map(({ status }) => status);

    const { worker, rowlock } = await openWorker(stage, [Create, Update, Report], { queues: [queue] });
    await rowlock.enqueue(Report, { key, payload: 0 });
    await rowlock.enqueue(Create, { key, payload: 0 });
    await rowlock.enqueueMany(
      Update,
      [1, 2, 3].map((payload) => ({ key, payload })),
    );
    const idle = new Promise<void>((resolve) => worker.on('idle', resolve));
    await worker.start();
    await within('the worker is idle', idle);
    expect(await statuses(queue)).toEqual(['complete', 'complete', 'complete', 'complete']);
    expect(groups).toEqual([3]);
    // Also of what is enqueued in its own process.
    await rowlock.enqueue(Report, { key, payload: 4 });
    await rowlock.enqueue(Create, { key, payload: 5 });
    await until('the job of its own is served', async () => (await statuses(queue)).at(-1) === 'complete');
    const jobs = await reader.jobs(slow);
    expect(jobs.map(({ status }) => status)).toEqual(['new', 'new']);
    for (const { publicId } of jobs) expect(await reader.runs(publicId)).toEqual([]);

    // Each worker of the process is told of its own queues.
    const other = rowlock.worker({ queues: [slow], pollInterval: '1h' });
    stage.defer(() => within('the other worker has stopped', other.stop({ drain: 0 })));
    const rests = new Promise<void>((resolve) => other.on('idle', resolve));
    await other.start();
    await within('the other worker is idle', rests);
    expect(await statuses(slow)).toEqual(['complete', 'complete']);
    await rowlock.enqueue(Report, { payload: 6 });
    await until('the last is served', async () => (await statuses(slow)).at(-1) === 'complete');
  });
});
