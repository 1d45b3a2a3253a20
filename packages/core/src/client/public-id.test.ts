import { expect, test } from 'vitest';
import { publicIdOf } from './public-id.js';

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
