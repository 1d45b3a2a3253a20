import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createRowlock } from '@rowlock/core';
import { memory } from '@rowlock/driver-memory';
import { Welcome } from './welcome.ts';

test('a job is settled in memory, without a database', async () => {
  const rowlock = createRowlock({ driver: memory(), handlers: [Welcome] });
  await rowlock.migrate();
  await rowlock.worker().start();

  const { publicId } = await rowlock.enqueue(Welcome, { payload: { name: 'Ada' } });
  const { status, output } = await rowlock.settled(publicId);
  assert.deepEqual({ status, output }, { status: 'complete', output: 'Welcome, Ada!' });

  await rowlock.close();
});
