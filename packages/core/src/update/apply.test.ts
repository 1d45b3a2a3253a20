import { describe, expect, test } from 'vitest';
import type { Json, JsonObject } from '../job/json.js';
import { apply } from './apply.js';
import { append, increment, merge, remove, set } from './operations.js';

/** Every example of RFC 7396 with an object as the patch. https://www.rfc-editor.org/rfc/rfc7396#appendix-A */
const RFC_7396: readonly (readonly [Json, JsonObject, Json])[] = [
  [{ a: 'b' }, { a: 'c' }, { a: 'c' }],
  [{ a: 'b' }, { b: 'c' }, { a: 'b', b: 'c' }],
  [{ a: 'b' }, { a: null }, {}],
  [{ a: 'b', b: 'c' }, { a: null }, { b: 'c' }],
  [{ a: ['b'] }, { a: 'c' }, { a: 'c' }],
  [{ a: 'c' }, { a: ['b'] }, { a: ['b'] }],
  [{ a: { b: 'c' } }, { a: { b: 'd', c: null } }, { a: { b: 'd' } }],
  [{ a: [{ b: 'c' }] }, { a: [1] }, { a: [1] }],
  [{ e: null }, { a: 1 }, { e: null, a: 1 }],
  [[1, 2], { a: 'b', c: null }, { a: 'b' }],
  [{}, { a: { bb: { ccc: null } } }, { a: { bb: {} } }],
];

describe('merge', () => {
  test.each(RFC_7396)('%j with %j is %j', (before, patch, after) => {
    expect(apply([merge([], patch)], before)).toEqual(after);
    expect(apply([merge('in', patch)], { in: before })).toEqual({ in: after });
  });
});

test('__proto__ is a member as any other, and nothing is polluted', () => {
  const patch: JsonObject = JSON.parse('{"__proto__": {"polluted": true}}');
  const operations = [merge('a', patch), increment(['__proto__', 'n']), set(['b', '__proto__'], 1)];
  expect(JSON.stringify(apply(operations, {}))).toBe(
    '{"a":{"__proto__":{"polluted":true}},"__proto__":{"n":1},"b":{"__proto__":1}}',
  );
  expect(Object({}).polluted).toBeUndefined();
  expect(() => apply([increment('constructor.n'), increment('toString')], {})).not.toThrow();
});

test('the JSON before stays as it was', () => {
  const before = { a: { b: [1, { c: 2 }] } };
  const text = JSON.stringify(before);
  apply(
    [append('a.b', [2]), set(['a', 'b', 1, 'c'], 3), remove(['a', 'b', 0]), merge('a', { b: null })],
    before,
  );
  expect(JSON.stringify(before)).toBe(text);
});

test('a refusal names its operation', () => {
  expect(() => apply([set('a', 1), increment('b'), append('a', [])], null)).toThrow(
    expect.objectContaining({
      code: 'ROWLOCK_UPDATE_REFUSED',
      operation: 2,
      reason: 'not-an-array',
      message:
        'Operation 2 of the update is refused, as an array is needed where there is another value. Nothing was written.',
    }),
  );
});
