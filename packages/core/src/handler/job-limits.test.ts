import { expect, test } from 'vitest';
import { z } from 'zod';
import type { Limit } from '../job/limits.js';
import { defineHandler } from './handler.js';
import { checkSizes, limitsOfJob } from './job-limits.js';

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

test('a function that returns nothing limits nothing, and so does no rule', () => {
  const handler = defineHandler({ kind: 'a', payload, run, limit: () => undefined });
  expect(limitsOfJob(handler, {}, null)).toEqual([]);
  expect(limitsOfJob({ kind: 'a' }, {}, null)).toEqual([]);
});

test('a rule of another form is refused, at once where it is no function', () => {
  const wrong = untyped<Limit>('7');
  const message = 'limit of the handler of "a" must be { name, max }';
  expect(() => defineHandler({ kind: 'a', payload, run, limit: wrong })).toThrow(message);
  const late = defineHandler({ kind: 'a', payload, run, limit: () => wrong });
  expect(() => limitsOfJob(late, {}, null)).toThrow(message);
  expect(() => defineHandler({ kind: 'a', payload, run, limit: { name: 'db', max: 0 } })).toThrow(
    '1 to 1000',
  );
});

test('a name alone has the size that was declared, in a list and from a function too', () => {
  const sizes = new Map([['db', 3]]);
  const db = { name: 'db', max: 3 };
  expect(limitsOfJob({ kind: 'a', limit: 'db' }, {}, null, sizes)).toEqual([db]);
  const mail = { name: 'mail', max: 1 };
  expect(limitsOfJob({ kind: 'a', limit: ['db', mail] }, {}, null, sizes)).toEqual([db, mail]);
  expect(limitsOfJob({ kind: 'a', limit: () => 'db' }, {}, null, sizes)).toEqual([db]);
  expect(limitsOfJob({ kind: 'a', limit: { name: 'db', max: 9 } }, {}, null, sizes)).toEqual([
    { name: 'db', max: 9 },
  ]);
});

test('a name alone without a size is refused, and by the definition only if it is none', () => {
  const handler = defineHandler({ kind: 'a', payload, run, limit: 'db' });
  const message = 'The limit "db" of the handler of "a" has no size: no plugin here declares it.';
  expect(() => limitsOfJob(handler, {}, null)).toThrow(message);
  expect(() => checkSizes(handler, new Map([['mail', 1]]))).toThrow(message);
  checkSizes(handler, new Map([['db', 1]]));
  expect(() => defineHandler({ kind: 'a', payload, run, limit: '' })).toThrow('1 to 128 characters');
});

test('a limit and a batch do not go together', () => {
  const define = () => defineHandler({ kind: 'a', payload, run, limit: { name: 'db', max: 1 }, batch: 10 });
  expect(define).toThrow('batch is for handlers without a limit');
});
