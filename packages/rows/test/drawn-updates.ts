import type { Json, Operation } from '@rowlock/core';
import fc from 'fast-check';

/** Few, so that operations meet what is there. Each is read in its own way by some language of paths. */
const NAMES = [
  'a',
  'b',
  'a.b',
  '0',
  'a-1',
  '',
  '"',
  "'",
  '\\n',
  '$',
  '*',
  '[0]',
  '{',
  ',',
  '__proto__',
  'constructor',
];
const MORE_NAMES = [
  'é',
  '😀',
  '\n',
  '\u0007',
  '\u2028',
  ' ',
  'null',
  'NULL',
  '\\u0041',
  '/',
  '~1',
  '%',
  '?',
  ':x',
  '$1',
];

/**
 * Begins with a hyphen: MariaDB does not read it. Ends with a backslash: where Node 24 has once parsed the name `\`, it
 * takes the name `"` after the same members for it.
 */
const EXCEPT = /^-|\\$/;

/**
 * Any character, not `unit: 'binary'`: the library has that one build a map of all of Unicode, in a second of each process that
 * imports this file.
 */
const character = fc
  .integer({ min: 1, max: 0x10_ff_ff })
  .filter((codePoint) => codePoint < 0xd8_00 || codePoint > 0xdf_ff)
  .map((codePoint) => String.fromCodePoint(codePoint));

const name = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom('a', 'b') },
  { weight: 3, arbitrary: fc.constantFrom(...NAMES, ...MORE_NAMES) },
  {
    weight: 1,
    arbitrary: fc.string({ unit: character, maxLength: 4 }).filter((text) => !EXCEPT.test(text)),
  },
);

/** Around the bounds of exact sums, and numbers that databases keep in types of their own. */
const NUMBERS = [
  0,
  1,
  -1,
  0.1,
  0.2,
  0.000001,
  1.5,
  999_999_999.999_999,
  -999_999_999.5,
  1e9,
  2 ** 53 - 1,
  -(2 ** 53 - 1),
  2 ** 53,
  0.30000000000000004,
  0.0000001,
  1e21,
  1e-7,
  5e-324,
  1.7976931348623157e308,
  2 ** 63,
  2 ** 64,
  2 ** 31,
];

const number = fc.oneof(
  fc.constantFrom(...NUMBERS),
  fc.integer({ min: -100, max: 100 }),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
);

const addend = fc.oneof(
  fc.constantFrom(1, -1, 0, 0.1, 0.2, -0.5, 0.000001, 999_999_999.999_999, 2 ** 53 - 1, -(2 ** 53 - 1)),
  fc.integer({ min: -100, max: 100 }),
  fc.integer({ min: -100_000, max: 100_000 }).map((whole) => whole / 1_000),
);

const { json } = fc.letrec<{ json: Json }>((tie) => ({
  json: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.oneof(fc.constant(null), fc.boolean(), number, name),
    fc.array(tie('json'), { maxLength: 4 }),
    fc.dictionary(name, tie('json'), { maxKeys: 4, noNullPrototype: true }),
  ),
}));

const object = fc.dictionary(name, json, { maxKeys: 4, noNullPrototype: true });

const path = fc.array(
  fc.oneof({ weight: 4, arbitrary: name }, { weight: 1, arbitrary: fc.nat({ max: 4 }) }),
  { maxLength: 4 },
);

const operation: fc.Arbitrary<Operation> = fc.oneof(
  fc.record({ do: fc.constant('increment' as const), path, by: addend }),
  fc.record({ do: fc.constant('append' as const), path, items: fc.array(json, { maxLength: 3 }) }),
  fc.record({ do: fc.constant('merge' as const), path, patch: object }),
  fc.record({ do: fc.constant('set' as const), path, value: json }),
  fc.record({ do: fc.constant('remove' as const), path: path.filter(({ length }) => length > 0) }),
);

/** What a column has before, or undefined for SQL's NULL, and operations on it. Objects are the most frequent. */
export const updates = fc.record({
  before: fc.oneof(
    { weight: 5, arbitrary: object },
    { weight: 2, arbitrary: json },
    { weight: 1, arbitrary: fc.constant(undefined) },
  ),
  operations: fc.array(operation, { minLength: 1, maxLength: 5 }),
});
