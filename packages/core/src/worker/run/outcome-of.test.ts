import { expect, test } from 'vitest';
import { job } from '../../../test/empty-database.js';
import { complete, fail, type HandlerResult, retry, snooze } from '../../handler/outcome.js';
import { outcomeOf } from './outcome-of.js';

/** What a handler returned whose author has no types. */
function untyped(result: unknown): HandlerResult {
  return JSON.parse('{}', () => result);
}

test.each([
  complete({ did: 1 }),
  complete(),
  retry('later'),
  retry(new Error('x'), { after: '1s' }),
  snooze('1h'),
  fail('x'),
])('an outcome is taken as it is: %j', (outcome) => {
  expect(outcomeOf(outcome, job(1n))).toEqual(outcome);
  expect(outcomeOf(new Map([['job 1', outcome]]), job(1n))).toEqual(outcome);
});

test.each([undefined, null])('nothing is complete(): %s', (nothing) => {
  expect(outcomeOf(untyped(nothing), job(1n))).toEqual(complete());
});

test.each([
  ['a row with a column of that name', { id: 1, event: 'click', delayMs: 5 }],
  ['a row that has an event of ours', { id: 1, event: 'complete' }],
  ["an event of core's own", { event: 'release' }],
  ['the name of a member of every object', { event: 'constructor' }],
  ['a snooze for no time at all', { event: 'snooze' }],
  ['a snooze for no number', { event: 'snooze', delayMs: Number.NaN }],
  ['a retry in the past', { event: 'retry', error: 'x', delayMs: -1 }],
  ['a failure without an error', { event: 'fail' }],
  ['text', 'complete'],
  ['a list', [complete()]],
  ['false', false],
  ['a function', () => complete()],
  ['a map without the job', new Map([['job 2', complete()]])],
  ['a map with something else', new Map([['job 1', true]])],
])('what is no outcome is an error: %s', (_, result) => {
  expect(() => outcomeOf(untyped(result), job(1n))).toThrow(
    /it must return complete|returned no outcome|must be milliseconds/,
  );
});

test('what cannot be read is an error', () => {
  const result = {
    get event() {
      throw new Error('out of reach');
    },
  };
  expect(() => outcomeOf(untyped(result), job(1n))).toThrow('out of reach');
});

test('an output that is no JSON fails the job', () => {
  expect(outcomeOf(untyped({ event: 'complete', output: 1n }), job(1n))).toMatchObject({ event: 'fail' });
});
