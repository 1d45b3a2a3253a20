import { describe, expect, test } from 'vitest';
import { backoffDelay, withBackoff } from '../src/backoff.js';
import { GoogleRequestError, GoogleUnavailableError } from '../src/index.js';

/** A call that fails with these, then succeeds, on a clock that moves only while it sleeps. */
function scripted(...failures: { status?: number; reason?: string; retryAfter?: string; config?: object }[]) {
  let time = 1_000;
  const waits: number[] = [];
  const parts = {
    now: () => time,
    random: () => 0.5,
    sleep: async (ms: number) => {
      waits.push(ms);
      time += ms;
    },
  };
  let made = 0;
  const call = async () => {
    const failure = failures[made++];
    if (!failure) return 'done';
    const { status, reason, retryAfter, config = {} } = failure;
    const headers = new Headers(retryAfter === undefined ? {} : { 'retry-after': retryAfter });
    const response = status && { status, headers, data: { error: { errors: [{ reason }] } } };
    throw Object.assign(new Error('refused'), { response, config });
  };
  return { call, parts, waits, made: () => made };
}

describe('the pause', () => {
  test.each([
    [0, 0, 1000],
    [0, 1, 2000],
    [3, 0.5, 8500],
    [5, 1, 33_000],
    [9, 1, 64_000],
  ])('before try %i with luck %f is %i ms', (tries, random, ms) => {
    expect(backoffDelay(tries, random)).toBe(ms);
  });
});

describe('a call', () => {
  test.each([
    { status: 429 },
    { status: 500 },
    { status: 503 },
    { status: 403, reason: 'userRateLimitExceeded' },
    { status: 403, reason: 'rateLimitExceeded' },
    { config: {} },
  ])('is made again after %j, each time later', async (failure) => {
    const { call, parts, waits } = scripted(failure, failure, failure);
    expect(await withBackoff('It', call, {}, { parts })).toBe('done');
    expect(waits).toEqual([1500, 2500, 4500]);
  });

  test('waits as long as Google asks, when that is longer', async () => {
    const { call, parts, waits } = scripted(
      { status: 429, retryAfter: '7' },
      { status: 429, retryAfter: '1' },
    );
    await withBackoff('It', call, {}, { parts });
    expect(waits).toEqual([7000, 2500]);
  });

  test.each([{ status: 400 }, { status: 401 }, { status: 403, reason: 'forbidden' }, { status: 404 }])(
    'is not made again after %j',
    async (failure) => {
      const { call, parts, made } = scripted(failure);
      await expect(withBackoff('It', call, {}, { parts })).rejects.toBeInstanceOf(GoogleRequestError);
      expect(made()).toBe(1);
    },
  );

  test('ends when its deadline would pass, and says when to come back', async () => {
    const { call, parts, made } = scripted(...Array.from({ length: 9 }, () => ({ status: 503 })));
    const error = await withBackoff('It', call, { deadline: 1_000 + 5_000 }, { parts }).catch(
      (e: unknown) => e,
    );
    expect(error).toBeInstanceOf(GoogleUnavailableError);
    expect(error).toMatchObject({
      code: 'ROWLOCK_GOOGLE_UNAVAILABLE',
      retryAfterMs: 4500,
      cause: { status: 503 },
    });
    expect(made()).toBe(3);
  });

  test('tries once more before its deadline when a quota is used up, with time left for what follows', async () => {
    const refusals = (failure: { status: number; reason?: string; retryAfter?: string }) =>
      scripted(...Array.from({ length: 9 }, () => failure));
    const limits = { deadline: 1_000 + 59_000 };
    for (const failure of [{ status: 429 }, { status: 403, reason: 'userRateLimitExceeded' }]) {
      const { call, parts, waits } = refusals(failure);
      const running = withBackoff('It', call, limits, { parts });
      await expect(running).rejects.toMatchObject({ isQuota: true, retryAfterMs: 64_000 });
      expect(waits).toEqual([1500, 2500, 4500, 8500, 16_500, 15_500]);
    }
    for (const failure of [{ status: 503 }, { status: 403, reason: 'sharingRateLimitExceeded' }]) {
      const { call, parts, waits } = refusals(failure);
      const running = withBackoff('It', call, limits, { parts });
      await expect(running).rejects.toMatchObject({ isQuota: false });
      expect(waits).toEqual([1500, 2500, 4500, 8500, 16_500]);
    }
    const { call, parts, waits } = refusals({ status: 429, retryAfter: '50' });
    await expect(withBackoff('It', call, limits, { parts })).rejects.toMatchObject({ isQuota: true });
    expect(waits).toEqual([50_000]);
  });

  test('is not made again in the last seconds when a quota is used up: without an answer it would count as an attempt', async () => {
    const { call, parts, made } = scripted({ status: 429 }, { status: 429 });
    const running = withBackoff('It', call, { deadline: 1_000 + 6_000 }, { parts });
    await expect(running).rejects.toMatchObject({ isQuota: true });
    expect(made()).toBe(1);
  });

  test('that must not be made twice is made again only when it was certainly not done', async () => {
    const refused = scripted({ status: 429 });
    const options = { unrepeatable: true };
    expect(await withBackoff('It', refused.call, {}, { ...options, parts: refused.parts })).toBe('done');
    for (const failure of [{ status: 503 }, { config: {} }]) {
      const unclear = scripted(failure);
      const call = withBackoff('It', unclear.call, {}, { ...options, parts: unclear.parts });
      await expect(call).rejects.toBeInstanceOf(GoogleUnavailableError);
      expect(unclear.made()).toBe(1);
    }
  });

  test('ends with the reason of its signal, also while it waits', async () => {
    const { call, parts } = scripted({ status: 429 });
    const stop = new AbortController();
    const reason = new Error('stop now');
    const sleep = async () => stop.abort(reason);
    const running = withBackoff('It', call, { signal: stop.signal }, { parts: { ...parts, sleep } });
    await expect(running).rejects.toBe(reason);
  });
});
