import { createRowlock } from '@rowlock/core';
import { defineHandler, memory } from '@rowlock/driver-memory';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { forRequest, requestId, requestIds } from '../request-ids.js';

const Work = defineHandler({ kind: 'work', payload: z.object({}), run: () => requestId() });

test('a handler has the id of the request that enqueued its job', async () => {
  const driver = memory();
  const rowlock = createRowlock({ driver, handlers: [Work], plugins: [requestIds()] });
  await rowlock.migrate();
  const worker = rowlock.worker();
  await worker.start();

  const { publicId } = await forRequest('7f3a', () => rowlock.enqueue(Work, { payload: {} }));
  const job = await driver.database.settled(publicId);
  expect(job).toMatchObject({ metadata: { requestId: '7f3a' }, output: '7f3a' });

  await worker.stop();
  await rowlock.close();
});
