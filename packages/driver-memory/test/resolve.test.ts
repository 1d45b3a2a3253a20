import { createRowlock, defineHandler, InvalidInputError } from '@rowlock/core';
import type { Resolve } from '@rowlock/core/types';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { type MemoryTransaction, memory } from '../src/index.js';

class Shout {
  constructor(readonly mark: string) {}
  run({ job }: { job: { payload: string } }) {
    if (job.payload === '') throw new Error('There is nothing to shout.');
    return job.payload.toUpperCase() + this.mark;
  }
}

const handler = defineHandler({ kind: 'shout', payload: z.string(), attempts: 1, use: Shout });

async function settled(payload: string, resolve: Resolve<MemoryTransaction>) {
  const rowlock = createRowlock({ driver: memory(), handlers: [handler], resolve });
  await rowlock.migrate();
  const { publicId } = await rowlock.enqueue(handler, { payload });
  await rowlock.worker().start();
  const job = await rowlock.settled(handler, publicId);
  await rowlock.close();
  return job;
}

test("a container of the program's own builds a class for each run, and disposes of what it built", async () => {
  const seen: string[] = [];
  const resolve: Resolve<MemoryTransaction> = async (use, { tx, job }) => {
    seen.push(`built with ${typeof tx} for ${JSON.stringify(job.payload)}`);
    return { handler: new use('!'), dispose: async () => void seen.push('disposed') };
  };
  expect(await settled('ahoy', resolve)).toMatchObject({ status: 'complete', output: 'AHOY!' });
  expect(await settled('', resolve)).toMatchObject({ status: 'error' });
  expect(seen).toEqual(['built with object for "ahoy"', 'disposed', 'built with object for ""', 'disposed']);
});

test('what the container throws is an error of the run', async () => {
  const refusing = () => Promise.reject(new Error('No voice is registered.'));
  expect(await settled('ahoy', refusing)).toMatchObject({
    status: 'error',
    error: { message: 'No voice is registered.' },
  });
});

test('a worker refuses a class that nothing builds, and a program that only enqueues does not', async () => {
  const rowlock = createRowlock({ driver: memory(), handlers: [handler] });
  await rowlock.migrate();
  await rowlock.enqueue(handler, { payload: 'ahoy' });
  expect(() => rowlock.worker()).toThrow(InvalidInputError);
  expect(() => rowlock.worker()).toThrow(/The class Shout .* resolve: tsyringe\(\)/);
  await rowlock.close();
});
