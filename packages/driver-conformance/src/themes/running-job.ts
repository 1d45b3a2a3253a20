import { defineHandler } from '@rowlock/core';
import { expect } from 'vitest';
import { allSettled } from '../all-settled.js';
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
    await client.flush();
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
