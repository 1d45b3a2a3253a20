import { expect, test } from 'vitest';
import { percentile, recoveries } from '../src/history/recovery.js';
import { runsOf } from '../src/history/runs.js';
import { Story } from './story.js';

function found({ events, tables }: Story): number[] {
  return recoveries(events, runsOf(events), tables);
}

test("from a worker's death to the next run of each job that it interrupted", () => {
  const story = new Story().enqueued('a').enqueued('b', 'other').begins('one', 'r1', ['a']);
  story.begins('one', 'r2', ['b'], 'other').says('conductor', { what: 'killing', worker: 'one' });
  story.passes(99).does('two', 'r3', ['a']).passes(96).does('two', 'r4', ['b'], 'other');
  expect(found(story)).toEqual([100, 200]);
});

test('what was settled before the death, or by the dead, was not interrupted', () => {
  const story = new Story().enqueued('a').enqueued('b').does('one', 'r1', ['a']).begins('one', 'r2', ['b']);
  story.says('conductor', { what: 'killing', worker: 'one' }).row('b', 'complete', 'r2');
  expect(found(story)).toEqual([]);
});

test('after an outage, from the moment that the server takes connections', () => {
  const story = new Story().enqueued('a').begins('one', 'r1', ['a']).says('conductor', { what: 'down' });
  story.passes(5_000).says('conductor', { what: 'accepting' }).passes(49).does('two', 'r2', ['a']);
  expect(found(story)).toEqual([50]);
});

test('percentiles are figures that were met', () => {
  expect(percentile([], 0.5)).toBeUndefined();
  expect(percentile([3, 1, 2], 0.5)).toBe(2);
  expect(percentile([3, 1, 2], 0.95)).toBe(3);
});
