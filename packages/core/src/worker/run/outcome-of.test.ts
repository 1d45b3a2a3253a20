import { describe, expect, test } from 'vitest';
import { job } from '../../../test/empty-database.js';
import { complete, fail, retry, snooze } from '../../handler/outcome.js';
import { outcomeOf } from './outcome-of.js';

test.each([
  complete({ did: 1 }),
  complete(),
  retry('later'),
  retry(new Error('x'), { delay: '1s' }),
  snooze('1h'),
  fail('x'),
])('an outcome is taken as it is: %j', (outcome) => {
  expect(outcomeOf(outcome, job(1n))).toEqual(outcome);
  expect(outcomeOf(new Map([['job 1', outcome]]), job(1n))).toEqual(outcome);
});

test.each([undefined, null])('nothing is complete(): %s', (nothing) => {
  expect(outcomeOf(nothing, job(1n))).toEqual(complete());
});

class Receipt {
  constructor(readonly paid: number) {}
  total(): number {
    return this.paid;
  }
}

test.each([
  ['text', 'complete'],
  ['false', false],
  ['a number', 0],
  ['a list', [1, [null]]],
  ['an object', { id: 1, at: { place: ['here'] } }],
  ['an object without a prototype', Object.assign(Object.create(null), { id: 1 })],
  ['a row with a column of that name', { id: 1, event: 'click', delayMs: 5 }],
  ['a row that looks like an outcome', { event: 'complete', output: 1 }],
  ['a row that looks like a failure', { event: 'fail', error: 'x' }],
])('a JSON value is what its jobs are completed with: %s', (_, value) => {
  expect(outcomeOf(value, job(1n))).toEqual(complete(value));
});

test('an object of a class is kept without its methods, and a member that is undefined is left out', () => {
  expect(outcomeOf(new Receipt(7), job(1n))).toEqual(complete({ paid: 7 }));
  expect(outcomeOf({ paid: 7, tip: undefined }, job(1n))).toStrictEqual(complete({ paid: 7 }));
});

const circle: { self?: unknown } = {};
circle.self = circle;

describe('what is not JSON is an error that says what was returned', () => {
  test.each([
    ['a Date', new Date(0), /^The handler returned Date, which is not JSON\. It must return JSON, complete/],
    ['a Set', new Set([1]), /returned Set, which/],
    ['an error', new TypeError('x'), /returned TypeError, which/],
    ['a function', () => complete(), /returned function, which/],
    ['a symbol', Symbol('x'), /returned symbol, which/],
    ['a bigint', 1n, /returned bigint, which/],
    ['no number', Number.NaN, /returned NaN, which/],
    ['no end', Number.NEGATIVE_INFINITY, /returned -Infinity, which/],
    ['bytes', Buffer.from('x'), /returned Buffer, which/],
    ['a circle', circle, /returned object, which refers to itself or is nested too deeply, at "self\.self/],
    ['a Date in a row', { rows: [{ at: new Date(0) }] }, /returned Date at "rows\.0\.at", which/],
    ['a Map in a list', [new Map()], /returned Map at "0", which/],
    ['a hole in a list', [undefined], /returned undefined at "0", which/],
    ['an outcome in a list', [complete()], /returned Outcome at "0", which/],
    ['what writes itself', { price: { toJSON: () => 1 } }, /returned Object at "price", which/],
    ['too much', 'x'.repeat(1_100_000), /must have at most 1048576 bytes/],
    ['too many digits', Array.from({ length: 5_000 }, () => 1e308), /must have at most 1048576 bytes/],
    ['what no database stores', 'a\0b', /holds a NUL character/],
  ])('%s', (_, value, sentence) => {
    expect(() => outcomeOf(value, job(1n))).toThrow(sentence);
    expect(() => outcomeOf({ ...complete(), output: value }, job(1n))).toThrow(sentence);
    expect(() => outcomeOf(new Map([['job 1', { ...complete(), output: value }]]), job(1n))).toThrow(
      sentence,
    );
  });
});

test.each([
  ['without the job', new Map([['job 2', complete()]]), 'returned no outcome for job job 1'],
  ['with a value', new Map([['job 1', true]]), 'a Map with boolean for job job 1'],
  ['with what looks like an outcome', new Map([['job 1', { event: 'snooze', delayMs: 1 }]]), 'a Map with'],
])('a map must have an outcome for each job: %s', (_, result, sentence) => {
  expect(() => outcomeOf(result, job(1n))).toThrow(sentence);
});

test('what cannot be read is an error', () => {
  const result = {
    get event() {
      throw new Error('out of reach');
    },
  };
  expect(() => outcomeOf(result, job(1n))).toThrow('out of reach');
});
