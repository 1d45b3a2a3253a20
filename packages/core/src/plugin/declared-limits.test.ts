import { expect, test } from 'vitest';
import { declaredSizes } from './declared-limits.js';
import { definePlugin } from './plugin.js';

/** Values from JavaScript are not typed. */
const untyped: (definition: unknown) => unknown = definePlugin as never;

test('plugins may declare one limit with one size', () => {
  const plugins = [
    { name: 'a', limits: { mail: 3, db: 1 } },
    { name: 'b', limits: { mail: 3 } },
    { name: 'c' },
  ];
  expect(declaredSizes(plugins.map((plugin) => definePlugin(plugin)))).toEqual(
    new Map([
      ['mail', 3],
      ['db', 1],
    ]),
  );
});

test('two sizes of one limit are refused, with the names of both plugins', () => {
  const plugins = [
    { name: 'a', limits: { mail: 3 } },
    { name: 'b', limits: { mail: 4 } },
  ];
  expect(() => declaredSizes(plugins)).toThrow(
    'The plugins "a" and "b" declare the limit "mail" with the sizes 3 and 4. Agree on one.',
  );
});

test.each([
  [[], 'limits of the plugin "a" must be an object'],
  [null, 'limits of the plugin "a" must be an object'],
  [{ '': 1 }, 'The name of a limit of the plugin "a"'],
  [{ mail: 0 }, 'The size of the limit "mail" of the plugin "a"'],
  [{ mail: '3' }, 'The size of the limit "mail" of the plugin "a"'],
])('limits %j are refused', (limits, message) => {
  expect(() => untyped({ name: 'a', limits })).toThrow(message);
});
