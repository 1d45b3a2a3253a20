import { createRowlock, defineHandler } from '@rowlock/core';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { memory, memoryDatabase } from '../src/index.js';

test('a job whose process is killed is served by another one, and the crash is counted', async () => {
  const database = memoryDatabase();
  const [dying, other] = [memory({ database }), memory({ database })];
  const attempts: number[] = [];
  const Work = defineHandler({
    kind: 'work',
    payload: z.null(),
    run: async ({ job, signal }) => {
      attempts.push(job.attempt);
      if (attempts.length > 1) return;
      dying.kill();
      // A process that was killed goes no further.
      signal.throwIfAborted();
    },
  });
  const log = { debug() {}, info() {}, warn() {}, error() {} };
  const [first, second] = [dying, other].map((driver) => createRowlock({ driver, handlers: [Work], log }));
  await second?.migrate();
  const worker = first?.worker();
  await worker?.start();
  const enqueued = await second?.enqueue(Work, { payload: null });
  const next = second?.worker();
  const claimed = new Promise<void>((resolve) => worker?.on('lost', () => resolve()));
  await claimed;
  await next?.start();
  expect(await database.settled(enqueued?.publicId ?? '')).toMatchObject({
    status: 'complete',
    attempt: 2,
    crashes: 1,
  });
  expect(attempts).toEqual([1, 2]);
  expect((await other.workers.list()).map(({ alive }) => alive)).toEqual([true, false]);
  await worker?.stop();
  await next?.stop();
  await second?.close();
});
