import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { defineHandler } from '../handler/handler.js';
import { checkDeclared, type Limit, limitsOfJob } from './limit.js';

const payload = z.object({ tenant: z.string() });
const run = (): void => {};

/** As JavaScript passes it. */
function untyped<Type>(json: string): Type {
  return JSON.parse(json);
}

test('one limit, several, and a function of the payload', () => {
  const one = defineHandler({ kind: 'a', payload, run, limit: { name: 'db', max: 3 } });
  expect(limitsOfJob(one, {}, null)).toEqual([{ name: 'db', max: 3 }]);
  const several = [
    { name: 'db', max: 3 },
    { name: 'mail', max: 1 },
  ];
  expect(limitsOfJob(defineHandler({ kind: 'a', payload, run, limit: several }), {}, null)).toEqual(several);
  const each = defineHandler({
    kind: 'a',
    payload,
    run,
    limit: ({ payload: { tenant }, key }) => ({ name: `${tenant} ${key}`, max: 2 }),
  });
  expect(limitsOfJob(each, { tenant: 'acme' }, 'k')).toEqual([{ name: 'acme k', max: 2 }]);
});

test('a limit has a size, or starts in a time, or both; one start at once is the default', () => {
  const limit = [
    { name: 'maps', starts: 60, per: '1m' },
    { name: 'mail', max: 2, starts: 1, per: 500, burst: 9 },
  ] as const;
  expect(limitsOfJob({ kind: 'a', limit }, {}, null)).toEqual([
    { name: 'maps', starts: 60, perMs: 60_000, burst: 1 },
    { name: 'mail', max: 2, starts: 1, perMs: 500, burst: 9 },
  ]);
});

test('a function that returns nothing limits nothing, and so does no rule', () => {
  const handler = defineHandler({ kind: 'a', payload, run, limit: () => undefined });
  expect(limitsOfJob(handler, {}, null)).toEqual([]);
  expect(limitsOfJob({ kind: 'a' }, {}, null)).toEqual([]);
});

test.each([
  ['7', 'limit of the handler of "a" must be { name, max }'],
  ['{"max":1}', 'limit of the handler of "a" must be { name, max }'],
  ['{"name":"db"}', 'The limit "db" of the handler of "a" needs max, or starts and per, or both.'],
  ['{"name":"db","max":1,"per":"1m"}', "has per without starts: write { starts: 60, per: '1m' }."],
  ['{"name":"db","max":1,"burst":2}', "has burst without starts: write { starts: 60, per: '1m' }."],
  ['{"name":"db","starts":1}', "has starts without per: write { starts: 60, per: '1m' }."],
  ['{"name":"db","limit":1,"per":"1m"}', 'has no "limit". There are max, starts, per, burst.'],
])('the rule %s is refused', (json, message) => {
  const limit = untyped<Limit>(json);
  expect(() => limitsOfJob({ kind: 'a', limit: () => limit }, {}, null)).toThrow(message);
  expect(() => defineHandler({ kind: 'a', payload, run, limit })).toThrow(message);
});

test('numbers out of range are refused by the definition', () => {
  const define = (limit: Limit) => () => defineHandler({ kind: 'a', payload, run, limit });
  expect(define({ name: 'db', max: 0 })).toThrow(
    'max of the limit "db" must be a whole number from 1 to 1000',
  );
  expect(define({ name: 'db', starts: 1, per: '32d' })).toThrow('per of the limit "db", in milliseconds,');
  expect(define({ name: '', max: 1 })).toThrow('1 to 128 characters');
});

test('a name alone has the numbers that were declared, in a list and from a function too', () => {
  const db = { name: 'db', max: 3 };
  const declared = new Map([['db', db]]);
  expect(limitsOfJob({ kind: 'a', limit: 'db' }, {}, null, declared)).toEqual([db]);
  const mail = { name: 'mail', max: 1 };
  expect(limitsOfJob({ kind: 'a', limit: ['db', mail] }, {}, null, declared)).toEqual([db, mail]);
  expect(limitsOfJob({ kind: 'a', limit: () => 'db' }, {}, null, declared)).toEqual([db]);
  expect(limitsOfJob({ kind: 'a', limit: { name: 'db', max: 9 } }, {}, null, declared)).toEqual([
    { name: 'db', max: 9 },
  ]);
});

test('a name alone that nobody declares is refused, and by the definition only if it is none', () => {
  const handler = defineHandler({ kind: 'a', payload, run, limit: 'db' });
  const message = 'The limit "db" of the handler of "a" has no numbers: no plugin here declares it.';
  expect(() => limitsOfJob(handler, {}, null)).toThrow(message);
  expect(() => checkDeclared(handler, new Map([['mail', { name: 'mail', max: 1 }]]))).toThrow(message);
  checkDeclared(handler, new Map([['db', { name: 'db', max: 1 }]]));
  expect(() => defineHandler({ kind: 'a', payload, run, limit: '' })).toThrow('1 to 128 characters');
});

test('a limit and a batch do not go together', () => {
  const define = () => defineHandler({ kind: 'a', payload, run, limit: { name: 'db', max: 1 }, batch: 10 });
  expect(define).toThrow('batch is for handlers without a limit');
});

test("a limit's function that answers later is refused, and its failure ends no process", async () => {
  const later = async () => {
    throw new Error('the settings are away');
  };
  const handler = { kind: 'a', limit: Object(later) };
  expect(() => limitsOfJob(handler, {}, null)).toThrow(/or a function that returns them/);
  // Node reports a rejection that nobody handles at the end of a turn, and vitest fails then.
  await setImmediate();
});
