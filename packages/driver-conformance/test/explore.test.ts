import { expect, test } from 'vitest';
import { atMost, playOn } from '../src/interleave/explore.js';
import type { Played } from '../src/interleave/play.js';

const BOUNDS = { orders: 8, ms: Number.POSITIVE_INFINITY, seed: 1 };

const ended: Played = {
  ...{ schedule: 'ab', steps: [], violations: [], fates: ['done'] },
  ...{ waits: 0, abandoned: false },
};

test('how much is to be played is a number above zero, or all', () => {
  expect(atMost('ORDERS', '8')).toBe(8);
  expect(atMost('SECONDS', '0.5')).toBe(0.5);
  expect(atMost('ORDERS', 'all')).toBe(Number.POSITIVE_INFINITY);
  for (const given of ['al', '2s', '', '0', '-1', 'NaN'])
    expect(() => atMost('ORDERS', given), given).toThrow(`ORDERS must be a number above zero or "all"`);
});

test('orders that are broken off do not count', async () => {
  let passes = 0;
  const pass = async (): Promise<Played> => ({ ...ended, abandoned: passes++ % 3 !== 0 });
  const explored = await playOn(pass, BOUNDS, 1, () => false);
  expect(explored.orders).toBe(BOUNDS.orders);
});

test('where every order is broken off, it ends and says so', async () => {
  const pass = async (): Promise<Played> => ({ ...ended, abandoned: true });
  await expect(playOn(pass, BOUNDS, 1, () => false)).rejects.toThrow('After 0 orders 1000 in a row');
});
