import { expect, test } from 'vitest';
import type { Json } from '../job/json.js';
import { checkOperations } from './check-operation.js';
import type { Operation, Path } from './operation.js';
import { append, increment, merge, remove, set } from './operations.js';

const INVALID = expect.objectContaining({ code: 'ROWLOCK_INVALID_INPUT' });

test('operations are plain data, and a text is a path of names', () => {
  const operations = [
    increment('a.b'),
    append(['a.b', 0], ['x']),
    merge([], { a: null }),
    set('a', 1),
    remove(['a', '']),
  ];
  expect(operations).toEqual([
    { do: 'increment', path: ['a', 'b'], by: 1 },
    { do: 'append', path: ['a.b', 0], items: ['x'] },
    { do: 'merge', path: [], patch: { a: null } },
    { do: 'set', path: ['a'], value: 1 },
    { do: 'remove', path: ['a', ''] },
  ]);
  expect(checkOperations(JSON.parse(JSON.stringify(operations)))).toEqual(operations);
});

test('a value is kept as JSON', () => {
  const at = new Date(0);
  expect(set('a', Object({ at, none: undefined }))).toMatchObject({ value: { at: at.toJSON() } });
});

test.each<[string, Path]>([
  ['an index below 0', ['a', -1]],
  ['an index that is not whole', ['a', 0.5]],
  ['an index that is no number', ['a', Number.NaN]],
  ['an index beyond those of arrays', ['a', 2 ** 31]],
  ['a name with a NUL', ['a\0']],
  ['a name with half a surrogate pair', ['\ud800']],
  ['a name that is too long', ['a'.repeat(16_001)]],
  ['more than 16 parts', Array.from({ length: 17 }, () => 'a')],
  ['something else in it', ['a', Object(null)]],
  ['no list', Object(5)],
])('a path with %s is refused', (_, path) => {
  expect(() => increment(path)).toThrow(INVALID);
});

test.each([
  Number.NaN,
  Number.POSITIVE_INFINITY,
  2 ** 53,
  -(2 ** 53),
  1e9 + 0.5,
  0.000_000_1,
  1e-9,
  Object('1'),
  Object(1n),
])('an increment by %s is refused', (by) => {
  expect(() => increment('a', by)).toThrow(INVALID);
});

test.each<[string, () => Operation]>([
  ['append of no list', () => append('a', Object('items'))],
  ['merge of a list', () => merge('a', Object([]))],
  ['merge of null', () => merge('a', Object(null).none)],
  ['set of nothing', () => set('a', Object({}).none)],
  ['set of NaN', () => set('a', Number.NaN)],
  ['set of more than a MiB', () => set('a', 'x'.repeat(1_100_000))],
  ['a value that is nested too deeply at its place', () => set(['a', 'b'], nested(99))],
  ['remove of the whole', () => remove([])],
])('%s is refused', (_, make) => {
  expect(make).toThrow(INVALID);
});

test('a value may be nested as deeply as JSON in a job', () => {
  expect(set(['a', 'b'], nested(98))).toMatchObject({ do: 'set' });
});

test.each<[string, unknown]>([
  ['no list', increment('a')],
  ['an empty list', []],
  ['more than 100', Array.from({ length: 101 }, () => increment('a'))],
  ['something else', [null]],
  ['an unknown operation', [{ do: 'multiply', path: ['a'] }]],
  ['an operation without a path', [{ do: 'increment', by: 1 }]],
])('%s is no list of operations', (_, operations) => {
  expect(() => checkOperations(operations as readonly Operation[])).toThrow(INVALID);
});

/** JSON of so many levels, where a bare value is 1. */
function nested(levels: number): Json {
  let json: Json = 1;
  for (let level = 1; level < levels; level++) json = [json];
  return json;
}
