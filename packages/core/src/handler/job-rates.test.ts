import { expect, test } from 'vitest';
import { z } from 'zod';
import { defineHandler } from './handler.js';
import { type RateLimit, ratesOfJob } from './job-rates.js';

const payload = z.object({ user: z.string() });
const run = (): void => {};
const MAPS = { name: 'maps', limit: 60, per: '1m' } as const;

/** As JavaScript passes it. */
function untyped<Type>(json: string): Type {
  return JSON.parse(json);
}

test('one rate, several, and a function of the payload; one start at once is the default', () => {
  const one = defineHandler({ kind: 'a', payload, run, rate: MAPS });
  expect(ratesOfJob(one, {}, null)).toEqual([{ name: 'maps', limit: 60, perMs: 60_000, burst: 1 }]);
  const several = [MAPS, { name: 'mail', limit: 1, per: 500, burst: 9 }];
  expect(ratesOfJob(defineHandler({ kind: 'a', payload, run, rate: several }), {}, null)).toEqual([
    { name: 'maps', limit: 60, perMs: 60_000, burst: 1 },
    { name: 'mail', limit: 1, perMs: 500, burst: 9 },
  ]);
  const each = defineHandler({
    kind: 'a',
    payload,
    run,
    rate: ({ payload: { user }, key }) => ({ ...MAPS, name: `${user} ${key}` }),
  });
  expect(ratesOfJob(each, { user: 'ada' }, 'k')).toMatchObject([{ name: 'ada k' }]);
});

test('a function that returns nothing rates nothing, and so does no rule', () => {
  const handler = defineHandler({ kind: 'a', payload, run, rate: () => undefined });
  expect(ratesOfJob(handler, {}, null)).toEqual([]);
  expect(ratesOfJob({ kind: 'a' }, {}, null)).toEqual([]);
});

test('a rule of another form is refused, at once where it is no function', () => {
  const wrong = untyped<RateLimit>('{"name":"maps","limit":60}');
  const message = 'rate of the handler of "a" must be { name, limit, per }';
  expect(() => defineHandler({ kind: 'a', payload, run, rate: wrong })).toThrow(message);
  const late = defineHandler({ kind: 'a', payload, run, rate: () => wrong });
  expect(() => ratesOfJob(late, {}, null)).toThrow(message);
  expect(() => defineHandler({ kind: 'a', payload, run, rate: { ...MAPS, per: '32d' } })).toThrow('per');
});

test('a rate and a batch do not go together', () => {
  const define = () => defineHandler({ kind: 'a', payload, run, rate: MAPS, batch: 10 });
  expect(define).toThrow('batch is for handlers without a rate');
});
