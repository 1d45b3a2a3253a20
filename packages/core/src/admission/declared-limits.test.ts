import { expect, test } from 'vitest';
import { definePlugin } from '../plugin/plugin.js';
import { declaredLimits } from './declared-limits.js';

/** Values from JavaScript are not typed. */
const untyped: (definition: unknown) => unknown = definePlugin as never;

test('plugins may declare one limit with the same numbers', () => {
  const mail = { max: 3, starts: 60, per: '1m' } as const;
  const plugins = [
    { name: 'a', limits: { mail, db: { max: 1 } } },
    { name: 'b', limits: { mail: { ...mail, burst: 1 } } },
    { name: 'c' },
  ];
  expect(declaredLimits(plugins.map((plugin) => definePlugin(plugin)))).toEqual(
    new Map([
      ['mail', { name: 'mail', max: 3, starts: 60, perMs: 60_000, burst: 1 }],
      ['db', { name: 'db', max: 1 }],
    ]),
  );
});

test('different numbers of one limit are refused, with the names of both plugins', () => {
  const plugins = [
    { name: 'a', limits: { mail: { max: 3 } } },
    { name: 'b', limits: { mail: { max: 4 } } },
  ];
  expect(() => declaredLimits(plugins)).toThrow(
    'The plugins "a" and "b" declare the limit "mail" with different numbers. Agree on them.',
  );
});

test.each([
  [[], 'limits of the plugin "a" must be an object'],
  [null, 'limits of the plugin "a" must be an object'],
  [{ '': { max: 1 } }, 'The name of a limit'],
  [{ mail: { max: 0 } }, 'max of the limit "mail"'],
  [{ mail: 3 }, 'The limit "mail" of the plugin "a" must be an object'],
  [{ mail: { size: 3 } }, 'The limit "mail" of the plugin "a" has no "size"'],
])('limits %j are refused', (limits, message) => {
  expect(() => untyped({ name: 'a', limits })).toThrow(message);
});
