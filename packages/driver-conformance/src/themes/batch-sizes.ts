import { defineHandler } from '@rowlock/core';
import { expect } from 'vitest';
import { allSettled } from '../all-settled.js';
import { BATCH, BEFORE, Meeting, ONE_SLOT, Sizes } from '../batch.js';
import { eachSettledOnce } from '../each-settled-once.js';
import { theme } from '../theme.js';
import { gate, within } from '../until.js';
import { AnyJson, clientOf, openWorker, startWorker } from '../worker-process.js';

export const batchSizes = theme('batch sizes', (test) => {
  test('a job that may not share a transaction has its turn while a load of batches lasts', async (stage) => {
    const { queue } = stage;
    const options = { queue, payload: AnyJson };
    const hasRun = gate();
    let isOver = false;
    const load = defineHandler({
      ...options,
      kind: 'load',
      batch: BATCH,
      async run() {
        if (!isOver) await client.enqueue(load, { payload: null });
      },
    });
    const leased = defineHandler({ ...options, kind: 'leased', claim: 'lease', run: () => hasRun.open() });
    const client = clientOf(stage, [load, leased]);
    await client.enqueueMany(
      load,
      Array.from({ length: 3 * BATCH }, () => ({ payload: null })),
    );
    const sizes = new Sizes();
    const { worker } = await openWorker(stage, [load, leased], { concurrency: 2 }, sizes.of);
    await worker.start();
    await within('a batch', sizes.isShared);
    await client.enqueue(leased, { payload: null, priority: -1 });
    await within('the job that may not share', hasRun.promise).finally(() => {
      isOver = true;
    });
    await eachSettledOnce(stage, await allSettled(stage));
  });

  test('a batch holds none that it will not run', async (stage) => {
    const { queue, claimSession, claimMany, putMany } = stage;
    const meeting = new Meeting(3);
    const finish = gate();
    const handler = defineHandler({
      kind: 'work',
      queue,
      payload: AnyJson,
      batch: 100,
      async run({ job }) {
        if (job.payload === null) return;
        await meeting.join();
        await finish.promise;
      },
    });
    const apart = defineHandler({ kind: 'apart', queue, payload: AnyJson, batch: 1, run: () => {} });
    await putMany([
      ...Array.from({ length: BEFORE }, () => ({ payload: null })),
      ...Array.from({ length: 3 }, (_, place) => ({ payload: place })),
      ...Array.from({ length: 2 }, () => ({ kind: 'apart' })),
    ]);
    await startWorker(stage, [handler, apart], ONE_SLOT);
    await within('all of the batch', meeting.isComplete);
    const held = claimSession();
    expect(await claimMany(held, 10, { kinds: ['apart'] })).toHaveLength(2);
    await held.rollback();
    finish.open();
    await eachSettledOnce(stage, await allSettled(stage));
  });

  test('each job has a transaction of its own, unless its handler asks for batches', async (stage) => {
    const { queue, putMany } = stage;
    const handler = defineHandler({ kind: 'work', queue, payload: AnyJson, run: () => {} });
    await putMany(Array.from({ length: 80 }, () => ({})));
    const sizes = new Sizes();
    const { worker } = await openWorker(stage, [handler], ONE_SLOT, sizes.of);
    await worker.start();
    await allSettled(stage);
    expect(sizes.largest).toBe(1);
  });
});
