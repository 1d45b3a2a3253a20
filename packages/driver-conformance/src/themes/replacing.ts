import { defineHandler, type EnqueueOptions, type Json } from '@rowlock/core';
import { NEVER } from '@rowlock/core/driver';
import type { OnDuplicate } from '@rowlock/core/types';
import { expect } from 'vitest';
import { allSettled } from '../all-settled.js';
import type { Stage } from '../stage.js';
import { theme } from '../theme.js';
import { gate, within } from '../until.js';
import { AnyJson, clientOf, startWorker } from '../worker-process.js';

const HOUR_MS = 3_600_000;

/** Enqueues jobs of the test's queue that replace the waiting one. */
function replacing<Tx>(stage: Stage<Tx>, onDuplicate: OnDuplicate = 'replace') {
  const { queue, key } = stage;
  const work = { kind: 'work', queue, payload: AnyJson };
  const client = clientOf(stage, []);
  const unique = { key, onDuplicate };
  return (payload: Json, options: Partial<EnqueueOptions<Json>> = {}, tx?: Tx) =>
    client.enqueue(work, { payload, unique, ...options }, tx === undefined ? {} : { tx });
}

export const replacingEnqueues = theme('replacing enqueues', (test) => {
  test.once(
    'the waiting job gets the payload, the time and the priority of the second one',
    async (stage) => {
      const { queue, reader } = stage;
      const enqueue = replacing(stage);
      const at = new Date('2100-01-02T03:04:05Z');
      const first = await enqueue(1, { delay: '1h', metadata: { by: 'first' } });
      expect(first.outcome).toBe('enqueued');
      expect(await enqueue(2, { runAt: at, priority: 7 })).toEqual({ ...first, outcome: 'replaced' });
      expect(await reader.jobs(queue)).toMatchObject([
        { ...{ payload: 2, availableAt: at, priority: 7, status: 'new' }, metadata: { by: 'first' } },
      ]);
      expect(await enqueue(3)).toEqual({ ...first, outcome: 'replaced' });
      expect((await stage.serve()).payload).toBe(3);
    },
  );

  test.once('a job that waits for another attempt is replaced, and keeps its attempts', async (stage) => {
    const enqueue = replacing(stage);
    const first = await enqueue(1);
    await stage.serve({ event: 'retry', delayMs: HOUR_MS });
    expect(await enqueue(2)).toEqual({ ...first, outcome: 'replaced' });
    expect(await stage.serve()).toMatchObject({ publicId: first.publicId, payload: 2, attempt: 1 });
  });

  test.once('a job that has ended is not replaced', async (stage) => {
    const enqueue = replacing(stage);
    const first = await enqueue(1);
    await stage.serve();
    const second = await enqueue(2);
    expect(second.outcome).toBe('enqueued');
    expect(await stage.row(first)).toMatchObject({ status: 'complete', payload: 1 });
  });

  test.once('each enqueue puts a debounced job off, up to its latest time', async (stage) => {
    const { queue, reader, row } = stage;
    const enqueue = replacing(stage, { debounce: { quiet: '1h', max: '90m' } });
    const first = await enqueue(1);
    const before = await row(first);
    expect(Math.abs(before.availableAt.getTime() - before.createdAt.getTime() - HOUR_MS)).toBeLessThan(5_000);
    expect(await enqueue(2)).toEqual({ ...first, outcome: 'replaced' });
    const again = await row(first);
    expect(again.availableAt.getTime()).toBeGreaterThanOrEqual(before.availableAt.getTime());
    const createdAt = new Date(before.createdAt.getTime() - 2 * HOUR_MS);
    await reader.write(first.publicId, { createdAt });
    await enqueue(3);
    const [last] = await reader.jobs(queue);
    expect(last?.availableAt).toEqual(new Date(createdAt.getTime() + 1.5 * HOUR_MS));
    expect((await stage.serve()).payload).toBe(3);
  });

  test('a job that runs is answered at once, and has one follow-up with the last payload', async (stage) => {
    const { queue, reader } = stage;
    const [running, finish] = [gate(), gate()];
    stage.defer(async () => finish.open());
    const seen: unknown[] = [];
    const handler = defineHandler({
      kind: 'work',
      queue,
      payload: AnyJson,
      async run({ job }) {
        seen.push(job.payload);
        running.open();
        if (job.payload === 1) await finish.promise;
      },
    });
    const enqueue = replacing(stage);
    await startWorker(stage, [handler]);
    const first = await enqueue(1);
    await within('the run', running.promise);
    const next = await within('the enqueue beside the run', enqueue(2));
    expect(next.outcome).toBe('follow-up');
    expect(await enqueue(3)).toEqual({ outcome: 'replaced', publicId: next.publicId });
    expect(await reader.jobs(queue)).toMatchObject([
      { publicId: first.publicId, payload: 1 },
      { publicId: next.publicId, payload: 3, status: 'new', availableAt: NEVER },
    ]);
    finish.open();
    expect(await allSettled(stage)).toMatchObject([{ status: 'complete' }, { status: 'complete' }]);
    expect(seen).toEqual([1, 3]);
  });

  test('a handler that enqueues under the unique key of its own job has a follow-up', async (stage) => {
    const { queue, key } = stage;
    const work = { kind: 'work', queue, payload: AnyJson };
    const seen: unknown[] = [];
    const handler = defineHandler({
      ...work,
      async run({ job, enqueue }) {
        seen.push(job.payload);
        if (job.payload !== 1) return null;
        const { outcome } = await enqueue(work, { payload: 2, unique: { key, onDuplicate: 'replace' } });
        return outcome;
      },
    });
    await replacing(stage)(1);
    await startWorker(stage, [handler]);
    expect(await allSettled(stage)).toMatchObject([{ payload: 1, output: 'follow-up' }, { payload: 2 }]);
    expect(seen).toEqual([1, 2]);
  });

  test.once(
    "a replacement in a caller's transaction is there with its commit, and undone by its rollback",
    async (stage) => {
      const enqueue = replacing(stage);
      const first = await enqueue(1);
      const undone = await stage.caller();
      expect(await enqueue(2, {}, undone.tx)).toEqual({ ...first, outcome: 'replaced' });
      await undone.rollback();
      expect(await stage.row(first)).toMatchObject({ payload: 1 });
      const kept = await stage.caller();
      await enqueue(3, {}, kept.tx);
      await kept.commit();
      expect((await stage.serve()).payload).toBe(3);
    },
  );

  test.once('of many at once one is enqueued, and the others replace it', async (stage) => {
    const { queue, reader } = stage;
    const enqueue = replacing(stage, { debounce: { quiet: '1h', max: '2h' } });
    const enqueued = await Promise.all(Array.from({ length: 20 }, (_, payload) => enqueue(payload)));
    const outcomes = enqueued.map(({ outcome }) => outcome).toSorted();
    expect(outcomes).toEqual(['enqueued', ...Array.from({ length: 19 }, () => 'replaced')]);
    expect(new Set(enqueued.map(({ publicId }) => publicId)).size).toBe(1);
    expect(await reader.jobs(queue)).toHaveLength(1);
  });

  test('beside claims and settlements no payload is lost: the last one runs last, and no two runs overlap', async (stage) => {
    const { queue } = stage;
    const seen: unknown[] = [];
    let [running, most] = [0, 0];
    const handler = defineHandler({
      kind: 'work',
      queue,
      payload: AnyJson,
      async run({ job }) {
        running += 1;
        most = Math.max(most, running);
        seen.push(job.payload);
        await null;
        running -= 1;
      },
    });
    const enqueue = replacing(stage);
    for (const name of ['a', 'b']) await startWorker(stage, [handler], { name });
    for (let payload = 1; payload <= 60; payload++) await enqueue(payload);
    const rows = await allSettled(stage);
    expect(rows.every(({ status }) => status === 'complete')).toBe(true);
    expect(seen.at(-1)).toBe(60);
    expect(seen).toEqual(seen.toSorted((one, other) => Number(one) - Number(other)));
    expect(most).toBe(1);
  });

  test('several producers beside two workers: no payload that is enqueued last is lost, and no two runs overlap', async (stage) => {
    const { queue } = stage;
    const seen: unknown[] = [];
    let [running, most] = [0, 0];
    const handler = defineHandler({
      kind: 'work',
      queue,
      payload: AnyJson,
      async run({ job }) {
        running += 1;
        most = Math.max(most, running);
        seen.push(job.payload);
        await null;
        running -= 1;
      },
    });
    const enqueue = replacing(stage);
    for (const name of ['a', 'b']) await startWorker(stage, [handler], { name });
    for (let round = 0; round < 10; round++)
      await Promise.all(Array.from({ length: 4 }, (_, producer) => enqueue(`${round} ${producer}`)));
    await enqueue('last');
    expect((await allSettled(stage)).every(({ status }) => status === 'complete')).toBe(true);
    // Not always as the last one: of two jobs that wait, a worker may just have claimed the one that runs second.
    expect(seen).toContain('last');
    expect(most).toBe(1);
  });
});
