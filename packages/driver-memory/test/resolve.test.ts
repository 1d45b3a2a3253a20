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

test('what is no handler is refused in a sentence', async () => {
  // @ts-expect-error: the object itself, and not beside `dispose`.
  const bare: Resolve<MemoryTransaction> = (use) => new use('!');
  expect(await settled('ahoy', bare)).toMatchObject({
    status: 'error',
    error: {
      code: 'ROWLOCK_INVALID_INPUT',
      message: expect.stringContaining('an object of the class Shout'),
    },
  });
});

test('a run that is stopped while its class is built does not begin, and what was built is disposed of', async () => {
  const seen: string[] = [];
  const building = Promise.withResolvers<void>();
  const rowlock = createRowlock({
    driver: memory(),
    handlers: [handler],
    resolve: async (use, { signal }) => {
      const stopped = new Promise((resolve) => signal.addEventListener('abort', resolve));
      building.resolve();
      await stopped;
      const built = new use('!');
      return {
        handler: { run: (given) => void seen.push(`ran ${built.run(given)}`) },
        dispose: () => void seen.push('disposed'),
      };
    },
  });
  await rowlock.migrate();
  const { publicId } = await rowlock.enqueue(handler, { payload: 'ahoy' });
  await rowlock.worker().start();
  await building.promise;
  await rowlock.cancel(publicId);
  expect(await rowlock.settled(handler, publicId)).toMatchObject({ status: 'cancelled' });
  await rowlock.close();
  expect(seen).toEqual(['disposed']);
});

test('a worker refuses a class that nothing builds, and a program that only enqueues does not', async () => {
  const rowlock = createRowlock({ driver: memory(), handlers: [handler] });
  await rowlock.migrate();
  await rowlock.enqueue(handler, { payload: 'ahoy' });
  expect(() => rowlock.worker()).toThrow(InvalidInputError);
  expect(() => rowlock.worker()).toThrow(/The class Shout .* resolve: tsyringe\(\)/);
  await rowlock.close();
});
