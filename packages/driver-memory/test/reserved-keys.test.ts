import { createRowlock, defineHandler } from '@rowlock/core';
import { expect, onTestFinished, test } from 'vitest';
import { memory } from '../src/index.js';

const Anything = {
  '~standard': { version: 1, vendor: 'test', validate: (value: unknown) => ({ value }) },
} as const;
const Work = defineHandler({ kind: 'work', payload: Anything, run: () => {} });

test("a unique key that may be a schedule's is refused, so that no job counts as its tick", async () => {
  const rowlock = createRowlock({ driver: memory(), handlers: [Work] });
  onTestFinished(() => rowlock.close());
  await rowlock.migrate();
  for (const unique of [
    'schedule nightly',
    { key: 'schedule nightly', scope: 'ever' as const },
    { key: 'schedule nightly', onDuplicate: 'replace' as const },
  ])
    await expect(rowlock.enqueue(Work, { payload: 1, unique })).rejects.toMatchObject({
      code: 'ROWLOCK_INVALID_INPUT',
      message: expect.stringContaining('schedule:nightly'),
    });
  for (const unique of ['schedule', 'schedule:nightly', 'a schedule nightly'])
    expect(await rowlock.enqueue(Work, { payload: 1, unique })).toMatchObject({ outcome: 'enqueued' });
});
