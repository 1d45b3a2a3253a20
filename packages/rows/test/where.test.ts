import { expect, test } from 'vitest';
import { columnsOf } from '../src/where.js';

test('a column has a value, or is null', () => {
  const where = { id: 7n, name: 'Ada', active: true, size: 1.5, left: null };
  expect(columnsOf(where)).toEqual(Object.entries(where));
});

test.each([{}, { id: undefined }, { id: Number.NaN }, { id: {} }, { id: new Date() }, { id: 'a\0' }, null])(
  '%j is refused: it could find other rows than those that are meant',
  (where) => {
    expect(() => columnsOf(Object(where))).toThrow(
      expect.objectContaining({ code: 'ROWLOCK_INVALID_INPUT' }),
    );
  },
);

test('a number that is none is named', () => {
  expect(() => columnsOf({ id: Number.NaN })).toThrow(/not NaN\.$/);
});
