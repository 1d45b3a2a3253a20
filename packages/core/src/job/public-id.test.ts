import { expect, test } from 'vitest';
import { newPublicId, publicIdOf } from './public-id.js';

const ID = '0192c5f0-7d3a-4b1c-9e2f-5a6b7c8d9e0f';

test.each([ID, ID.toUpperCase(), `${ID.slice(0, 18).toUpperCase()}${ID.slice(18)}`])(
  '%s is one id',
  (given) => {
    expect(publicIdOf(given)).toBe(ID);
  },
);

test.each(['', 'id', ID.slice(1), ` ${ID}`, `{${ID}}`, ID.replaceAll('-', ''), `${ID}\n`])(
  '%j is none',
  (given) => {
    expect(publicIdOf(given)).toBeUndefined();
  },
);

test('new ids are of the time, in its order, and random beyond it', () => {
  const before = Date.now();
  const ids = Array.from({ length: 1_000 }, newPublicId);
  const hex = ids.map((id) => id.replaceAll('-', ''));
  for (const [place, id] of hex.entries()) {
    const at = Number.parseInt(id.slice(0, 12), 16);
    expect(at).toBeGreaterThanOrEqual(before);
    expect(at).toBeLessThanOrEqual(Date.now());
    expect(id.slice(0, 12) >= (hex[place - 1] ?? '').slice(0, 12)).toBe(true);
    expect(id[12]).toBe('7');
    expect(publicIdOf(ids[place] ?? '')).toBe(ids[place]);
  }
  // Ids of one millisecond say nothing about each other: not even their first random digits go up.
  const random = hex.map((id) => id.slice(13, 16));
  expect(random).not.toEqual(random.toSorted());
});
