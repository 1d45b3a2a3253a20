import { describe, expect, test } from 'vitest';
import { checkJson, checkKey, checkName, checkWhole, LIMITS } from './input.js';

describe('names and keys', () => {
  test.each(['a', 'ö', '🛶', 'x'.repeat(128)])('%s is a name', (name) => checkName('kind', name));

  test.each(['', 'x'.repeat(129), 7, null, 'a\0b', '\ud800', 'a\udc00b'])('%j is none', (name) => {
    expect(() => checkName('kind', name)).toThrow(/^kind /);
  });

  test('a key may be longer than a name', () => {
    checkKey('key', 'x'.repeat(512));
    expect(() => checkKey('key', 'x'.repeat(513))).toThrow('key must have 1 to 512 characters, not 513.');
  });
});

describe('JSON', () => {
  const check = (value: unknown): unknown => checkJson('payload', value, 1_000);

  test.each([null, true, 0, -0.5, 'text', [], {}, { a: [1, { b: '🛶' }] }])('%j passes as it is', (value) => {
    expect(check(value)).toEqual(value);
  });

  test('brackets in text are no levels', () => {
    const text = { a: `\\"${'[{'.repeat(200)}` };
    expect(check(text)).toEqual(text);
  });

  test('what looks like a number in text has no digits to write out', () => {
    const text = Array.from({ length: 90 }, () => '1e+308');
    expect(check(text)).toEqual(text);
  });

  test('ninety-nine levels pass', () => {
    const deep: unknown = JSON.parse(`${'['.repeat(99)}1${']'.repeat(99)}`);
    expect(check(deep)).toEqual(deep);
  });

  test('dates become text and undefined members are left out, as JSON has it', () => {
    expect(check({ at: new Date(0), none: undefined })).toEqual({ at: '1970-01-01T00:00:00.000Z' });
  });

  test('__proto__ is a member like any other', () => {
    const copy = check(JSON.parse('{"__proto__": {"admin": true}}'));
    expect(Object.hasOwn(Object(copy), '__proto__')).toBe(true);
    expect(Object.getPrototypeOf(copy)).toBe(Object.prototype);
    expect(Object({}).admin).toBeUndefined();
  });

  test.each([
    ['a bigint', 1n],
    ['nothing', undefined],
    ['a function', () => {}],
    ['infinity', { a: Number.POSITIVE_INFINITY }],
    ['a NUL character', { a: ['x\0'] }],
    ['a NUL character in a name', { 'x\0': 1 }],
    ['half a surrogate pair', ['\ud83d']],
    ['a circle', circle()],
    ['a hundred levels', JSON.parse(`${'['.repeat(100)}1${']'.repeat(100)}`)],
    ['too much', 'x'.repeat(1_000)],
    ['too much, once the digits of its numbers are written out', [1e308, 1e308, 1e308, 1e308]],
  ])('%s is refused with a sentence', (_, value) => {
    expect(() => check(value)).toThrow(
      expect.objectContaining({
        code: 'ROWLOCK_INVALID_INPUT',
        message: expect.stringMatching(/^payload .+\.$/),
      }),
    );
  });
});

test.each([1.5, 0, 11, '3', Number.NaN])('%j is no whole number from 1 to 10', (value) => {
  expect(() => checkWhole('limit', value, 1, 10)).toThrow('limit must be a whole number from 1 to 10');
});

function circle(): object {
  const round: Record<string, unknown> = {};
  round.self = round;
  return round;
}

test('a name of a member is refused that not every database takes, and the longest that they do is not', () => {
  const long = 'x'.repeat(LIMITS.jsonNameCharacters);
  expect(checkJson('payload', { a: [{ [long]: 1 }] }, 1e6)).toEqual({ a: [{ [long]: 1 }] });
  expect(() => checkJson('payload', { a: [{ [`${long}x`]: 1 }] }, 1e6)).toThrow(
    'Each name of a member in payload must have at most 16000 characters, not 16001.',
  );
});
