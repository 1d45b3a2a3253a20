import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { SharedLook } from '../src/shared-look.js';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** The first look takes so many milliseconds, the second the next number, and all others the last. It finds how many looks there were. */
function lookOf(...tookMs: number[]): SharedLook<number> {
  let looks = 0;
  return new SharedLook(async () => {
    const own = ++looks;
    await new Promise((resolve) => setTimeout(resolve, tookMs[own - 1] ?? tookMs.at(-1)));
    return own;
  });
}

/** What is found after so many milliseconds, while the time goes on. */
async function found(look: SharedLook<number>, afterMs = 0): Promise<number> {
  await vi.advanceTimersByTimeAsync(afterMs);
  const finding = look.get();
  await vi.advanceTimersByTimeAsync(1_000);
  return finding;
}

test('a quick look counts for 2 s', async () => {
  const look = lookOf(0);
  expect(await found(look)).toBe(1);
  expect(await found(look, 900)).toBe(1);
  expect(await found(look, 200)).toBe(2);
});

test('one slow look counts as a quick one does', async () => {
  const look = lookOf(1_000, 0, 1_000, 0);
  for (const looks of [1, 2, 3]) {
    expect(await found(look, 2_100)).toBe(looks);
    expect(await found(look)).toBe(looks);
  }
});

test('the second of two slow looks counts for 29 times as long as the quicker took', async () => {
  const look = lookOf(900, 1_000);
  expect(await found(look)).toBe(1);
  expect(await found(look, 2_100)).toBe(2);
  expect(await found(look, 25_000)).toBe(2);
  expect(await found(look, 200)).toBe(3);
});

test('a look that was begun before a change does not count after it', async () => {
  const look = lookOf(500);
  const before = look.get();
  look.forget();
  expect(await found(look)).toBe(2);
  expect(await before).toBe(1);
  expect(await found(look)).toBe(2);
});

test('a look that fails does not count', async () => {
  let isAway = true;
  const look = new SharedLook(async () => {
    if (isAway) throw new Error('away');
    return 1;
  });
  await expect(look.get()).rejects.toThrow('away');
  isAway = false;
  expect(await look.get()).toBe(1);
});

test('a look without an answer is given up after a minute, as its connection may have gone silent', async () => {
  const look = lookOf(1_000_000, 0);
  const first = look.get();
  first.catch(() => {});
  await vi.advanceTimersByTimeAsync(58_900);
  const second = look.get();
  second.catch(() => {});
  await vi.advanceTimersByTimeAsync(10_000);
  await expect(first).rejects.toThrow('no answer within 10 s');
  await expect(second).rejects.toThrow('no answer within 10 s');
  expect(await found(look)).toBe(2);
});
