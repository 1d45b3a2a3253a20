import type { WakeUp } from '@rowlock/core/driver';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { CommitWatch } from '../src/workers/commit-watch.js';

const committed = new Set<number>();
const find = vi.fn(async (rings: readonly number[]) => rings.filter((ring) => committed.has(ring)));
const call = vi.fn(async (_: readonly WakeUp[]) => {});
let watch: CommitWatch;

beforeEach(() => {
  vi.useFakeTimers();
  committed.clear();
  watch = new CommitWatch(find, call);
});

afterEach(() => {
  watch.stop();
  vi.useRealTimers();
  vi.resetAllMocks();
  find.mockImplementation(async (rings) => rings.filter((ring) => committed.has(ring)));
});

function watchMany(): void {
  for (let ring = 1; ring <= 300; ring++) watch.watch(ring, { queue: `queue ${ring % 2}` });
}

test('many transactions are looked for as often as one, and their workers called once', async () => {
  watchMany();
  await vi.advanceTimersByTimeAsync(1_000);
  expect(find.mock.calls.length).toBeLessThan(20);
  expect(call).not.toHaveBeenCalled();
  for (let ring = 1; ring <= 299; ring++) committed.add(ring);
  await vi.advanceTimersByTimeAsync(250);
  expect(call.mock.calls).toEqual([[[{ queue: 'queue 1' }, { queue: 'queue 0' }]]]);
  await vi.advanceTimersByTimeAsync(250);
  expect(find.mock.lastCall).toEqual([[300]]);
});

test('a new one is looked for soon, while others have waited for long', async () => {
  watchMany();
  await vi.advanceTimersByTimeAsync(10_000);
  watch.watch(301, { queue: 'q' });
  await vi.advanceTimersByTimeAsync(0);
  committed.add(301);
  await vi.advanceTimersByTimeAsync(1);
  expect(call.mock.calls).toEqual([[[{ queue: 'q' }]]]);
});

test('one that comes during a look is looked for behind it', async () => {
  watch.watch(1, { queue: 'q' });
  await vi.advanceTimersByTimeAsync(10_000);
  let answer: (seen: number[]) => void = () => {};
  find.mockClear().mockImplementationOnce(() => new Promise((resolve) => (answer = resolve)));
  await vi.advanceTimersByTimeAsync(250);
  committed.add(2);
  watch.watch(2, { queue: 'r' });
  await vi.advanceTimersByTimeAsync(250);
  expect(find).toHaveBeenCalledOnce();
  answer([]);
  await vi.advanceTimersByTimeAsync(1);
  expect(call.mock.calls).toEqual([[[{ queue: 'r' }]]]);
});

test('a look that fails is made again, and none once the transactions have lasted too long', async () => {
  find.mockRejectedValueOnce(new Error('no connection'));
  watchMany();
  committed.add(1);
  await vi.advanceTimersByTimeAsync(5);
  expect(call).toHaveBeenCalledOnce();
  await vi.advanceTimersByTimeAsync(31_000);
  find.mockClear();
  await vi.advanceTimersByTimeAsync(10_000);
  expect(find).not.toHaveBeenCalled();
});
