import { createRowlock } from '@rowlock/core';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { defineHandler, memory } from '../src/index.js';

const Remind = defineHandler({
  kind: 'order.remind',
  payload: z.object({ order: z.string() }),
  run: async ({ job, tx }) => {
    const { order } = job.payload;
    const isPaid = (await tx.get('payments', order)) !== undefined;
    if (!isPaid) await tx.insert('reminders', order, { order, attempt: job.attempt });
  },
});

test('an order that is not paid for is reminded of after three days', async () => {
  const driver = memory();
  const { database } = driver;
  const rowlock = createRowlock({ driver, handlers: [Remind] });
  await rowlock.migrate();
  const worker = rowlock.worker();
  await worker.start();

  const { publicId } = await rowlock.enqueue(Remind, { payload: { order: '7' }, delay: '3d' });
  expect(await rowlock.jobs.count({ status: 'new' })).toMatchObject({ count: 1 });

  database.clock.advance('3d');
  const job = await database.settled(publicId);
  expect(job.status).toBe('complete');
  expect(await database.list('reminders')).toEqual([{ order: '7', attempt: 1 }]);

  await worker.stop();
  await rowlock.close();
});
