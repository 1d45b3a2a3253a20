import { setImmediate as turn } from 'node:timers/promises';
import { complete, defineHandler, retry } from '@rowlock/core';
import { expect } from 'vitest';
import { allSettled } from '../all-settled.js';
import { theme } from '../theme.js';
import { gate, within } from '../until.js';
import { ANumber, AnyJson, clientOf, startWorker } from '../worker-process.js';

const URGENT = 20;

export const order = theme('order', (test) => {
  test('jobs of a key start in the order they were enqueued', async (stage) => {
    const { key, queue, putMany } = stage;
    const started: number[] = [];
    const handler = defineHandler({
      kind: 'ordered',
      queue,
      payload: ANumber,
      async run({ job }) {
        started.push(job.payload);
        await turn();
      },
    });
    await putMany(
      // Priority goes between keys; within a key the order of arrival does.
      Array.from({ length: 20 }, (_, place) => ({
        kind: 'ordered',
        key,
        payload: place,
        priority: 20 - place,
      })),
    );
    for (let workers = 0; workers < 3; workers++) await startWorker(stage, [handler], { concurrency: 3 });
    await allSettled(stage);
    expect(started).toEqual(Array.from({ length: 20 }, (_, place) => place));
  });

  test('one slot serves by priority', async (stage) => {
    const { key, queue, putMany } = stage;
    const started: number[] = [];
    const handler = defineHandler({
      kind: 'ranked',
      queue,
      payload: ANumber,
      run: ({ job }) => void started.push(job.payload),
    });
    const priorities = [3, -1, 2, 0, 1, -2];
    await putMany(
      priorities.map((priority) => ({
        kind: 'ranked',
        key: `${key}${priority}`,
        payload: priority,
        priority,
      })),
    );
    await startWorker(stage, [handler], { concurrency: 1 });
    await allSettled(stage);
    expect(started).toEqual(priorities.toSorted((a, b) => a - b));
  });

  test('what is more urgent than a load that lasts comes first, all of it', async (stage) => {
    const { queue } = stage;
    const started: boolean[] = [];
    const isOver = gate();
    const handler = defineHandler({
      kind: 'work',
      queue,
      payload: AnyJson,
      batch: 1,
      async run({ job }) {
        started.push(job.payload === 'urgent');
        const urgent = started.filter(Boolean).length;
        if (urgent === URGENT || started.length > 20_000) isOver.open();
        else if (job.payload !== 'urgent') await client.enqueue(handler, { payload: 'usual' });
      },
    });
    const client = clientOf(stage, [handler]);
    await client.enqueueMany(
      handler,
      Array.from({ length: 10 }, () => ({ payload: 'usual' })),
    );
    const { worker } = await startWorker(stage, [handler], { concurrency: 1 });
    await new Promise((resolve) => worker.on('settled', resolve));
    await client.enqueueMany(
      handler,
      Array.from({ length: URGENT }, () => ({ payload: 'urgent', priority: -1 })),
    );
    await within('all that is urgent', isOver.promise);
    // A sweep may end among them, and the next one rest before it looks back.
    const among = started.slice(started.indexOf(true), started.lastIndexOf(true));
    expect(among.filter((isUrgent) => !isUrgent).length).toBeLessThan(10 * URGENT);
  });

  test('an update waits for its create, also while that is between two attempts, in another queue', async (stage) => {
    const { key, queue, put, putMany } = stage;
    const history: string[] = [];
    const create = defineHandler({
      kind: 'create',
      queue: `${queue}-create`,
      payload: AnyJson,
      run({ job }) {
        history.push(`create ${job.attempt}`);
        return job.attempt < 3 ? retry(new Error('not yet'), { delay: 20 }) : complete();
      },
    });
    const update = defineHandler({
      kind: 'update',
      queue,
      payload: AnyJson,
      group: true,
      after: ['create'],
      run: ({ jobs }) => void history.push(`update of ${jobs.length}`),
    });
    await put({ kind: 'create', queue: `${queue}-create`, key });
    await putMany([1, 2, 3].map((payload) => ({ kind: 'update', key, payload })));
    for (let workers = 0; workers < 2; workers++) await startWorker(stage, [create, update]);
    await allSettled(stage);
    expect(history).toEqual(['create 1', 'create 2', 'create 3', 'update of 3']);
  });

  test('of updates that are grouped, only those before a create in another queue go before it', async (stage) => {
    const { key, queue, put, putMany } = stage;
    const history: string[] = [];
    const isBegun = gate();
    const create = defineHandler({
      kind: 'create',
      queue: `${queue}-create`,
      payload: AnyJson,
      async run() {
        // The updates are looked at while it is outstanding.
        await isBegun.promise;
        history.push('create');
      },
    });
    const update = defineHandler({
      kind: 'update',
      queue,
      payload: ANumber,
      group: true,
      after: ['create'],
      run({ jobs }) {
        history.push(`update of ${jobs.map(({ payload }) => payload).join(' and ')}`);
        isBegun.open();
      },
    });
    await put({ kind: 'update', key, payload: 1 });
    await put({ kind: 'create', queue: `${queue}-create`, key });
    await putMany([2, 3].map((payload) => ({ kind: 'update', key, payload })));
    for (let workers = 0; workers < 2; workers++) await startWorker(stage, [create, update]);
    await allSettled(stage);
    expect(history).toEqual(['update of 1', 'create', 'update of 2 and 3']);
  });

  test('an update does not wait for the create of another key, nor for a later one', async (stage) => {
    const { key, queue, put } = stage;
    const handler = defineHandler({
      kind: 'update',
      queue,
      payload: AnyJson,
      after: ['create'],
      run: () => {},
    });
    await put({ kind: 'create', queue: `${queue}-create`, key: `${key}-other` });
    await put({ kind: 'update', key });
    await put({ kind: 'create', queue: `${queue}-create`, key });
    await startWorker(stage, [handler]);
    const [row] = await allSettled(stage);
    expect(row?.status).toBe('complete');
  });
});
