import { expect, test } from 'vitest';
import { handClock } from '../../../test/hand-clock.js';
import { settled } from '../../../test/resting-worker.js';
import { defineHandler, type HandlerOptions } from '../../handler/handler.js';
import { Registry } from '../../handler/registry.js';
import type { Job } from '../../job/job.js';
import { BatchSizes } from './batch-sizes.js';

const Anything = {
  '~standard': { version: 1, vendor: 'test', validate: (value: unknown) => ({ value }) },
} as const;

type Options = Partial<Pick<HandlerOptions<typeof Anything>, 'batch' | 'group'>>;

function sizesOf(options: Options, clock = handClock(), refused = ''): BatchSizes<unknown> {
  const kind = 'k';
  const handler = defineHandler({ kind, queue: 'q', payload: Anything, run: () => {}, ...options });
  return new BatchSizes(new Registry([handler]), clock, { hasFailed: (publicId) => publicId === refused });
}

/** How many jobs the next claim may take. */
async function next(sizes: BatchSizes<unknown>): Promise<number> {
  const { limit, end } = await sizes.search('q');
  end();
  return limit;
}

const job = (change: Partial<Job> = {}): Job => ({
  id: 1n,
  publicId: 'a',
  queue: 'q',
  kind: 'k',
  key: null,
  payload: null,
  priority: 0,
  status: 'new',
  attempt: 0,
  maxAttempts: 5,
  crashes: 0,
  redrives: 0,
  metadata: {},
  limits: '',
  createdAt: new Date(0),
  waitedMs: 0,
  ...change,
});

test('a claim takes twice as many when it found as many as it might, and no more than the handler says', async () => {
  const sizes = sizesOf({ batch: 5 });
  const limits: number[] = [];
  for (let time = 0; time < 4; time++) {
    const limit = await next(sizes);
    limits.push(limit);
    sizes.found('q', limit, limit);
  }
  expect(limits).toEqual([1, 2, 4, 5]);
});

test('a claim that finds fewer makes the next ones as small, and one at least', async () => {
  const sizes = sizesOf({ batch: 100 });
  sizes.found('q', 32, 32);
  expect(await next(sizes)).toBe(64);
  sizes.found('q', 64, 7);
  expect(await next(sizes)).toBe(7);
  sizes.found('q', 7, 0);
  expect(await next(sizes)).toBe(1);
  sizes.found('q', 64, 64);
  sizes.reset('q');
  expect(await next(sizes)).toBe(1);
});

test('a handler that does not ask for a batch has its jobs taken by themselves', async () => {
  const sizes = sizesOf({});
  sizes.found('q', 500, 500);
  expect(await next(sizes)).toBe(1);
  expect(sizes.isBatchable(job())).toBe(false);
});

test('where several keys share a run, a job that was attempted before is taken by itself', () => {
  const sizes = sizesOf({ group: { keys: 10 } });
  expect(sizes.isBatchable(job())).toBe(true);
  expect(sizes.isBatchable(job({ attempt: 1 }))).toBe(false);
});

test('a job that has crashed a process is taken by itself, and one whose handler is not here', () => {
  const sizes = sizesOf({ batch: 10 });
  expect(sizes.isBatchable(job())).toBe(true);
  expect(sizes.isBatchable(job({ crashes: 1 }))).toBe(false);
  expect(sizes.isBatchable(job({ kind: 'another' }))).toBe(false);
});

test('a job whose settlement was refused is taken by itself', () => {
  const sizes = sizesOf({ batch: 10 }, handClock(), 'refused');
  expect(sizes.isBatchable(job())).toBe(true);
  expect(sizes.isBatchable(job({ publicId: 'refused' }))).toBe(false);
});

test('where several may be taken, one slot of the process looks at a time', async () => {
  const sizes = sizesOf({ batch: 10 });
  sizes.found('q', 5, 5);
  const first = await sizes.search('q');
  let isThere = false;
  const second = sizes.search('q').then((search) => {
    isThere = true;
    return search;
  });
  await new Promise((resolve) => setImmediate(resolve));
  expect(isThere).toBe(false);
  first.end();
  first.end();
  expect((await second).limit).toBe(10);
});

test('a slot that hangs in its look keeps the others from theirs for a moment, and then they take one job each', async () => {
  const clock = handClock();
  const sizes = sizesOf({ batch: 10 }, clock);
  sizes.found('q', 5, 5);
  const hanging = await sizes.search('q');
  const limits: number[] = [];
  const look = () => sizes.search('q').then(({ limit }) => limits.push(limit));
  const looks = [look(), look()];
  await settled();
  clock.advance(199);
  await settled();
  expect(limits).toEqual([]);
  clock.advance(1);
  await Promise.all(looks);
  await look();
  expect(limits).toEqual([1, 1, 1]);
  hanging.end();
  await look();
  expect(limits).toEqual([1, 1, 1, 10]);
});

test('who waits for others that do not hang waits for each of them', async () => {
  const clock = handClock();
  const sizes = sizesOf({ batch: 10 }, clock);
  sizes.found('q', 5, 5);
  const [first, second, third] = Array.from({ length: 3 }, () => sizes.search('q'));
  for (const search of [first, second]) {
    const { end } = (await search) ?? {};
    await settled();
    clock.advance(150);
    await settled();
    end?.();
  }
  expect((await third)?.limit).toBe(10);
});
