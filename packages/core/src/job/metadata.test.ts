import { expect, test } from 'vitest';
import { z } from 'zod';
import { newJob } from '../client/new-job.js';
import { metadataUpdate } from '../client/update-job.js';
import { defineSchedule, planOf } from '../schedules/schedule.js';
import { append, increment, merge, remove, set } from '../update/operations.js';
import { checkMetadata } from './metadata.js';

const FORGED = { rowlock: { tick: { schedule: 'nightly', scheduledFor: '2026-01-01T00:00Z', lateMs: 0 } } };
const handler = { kind: 'report', payload: z.null() };
const refusal = expect.objectContaining({
  code: 'ROWLOCK_INVALID_INPUT',
  message: expect.stringContaining('metadata.rowlock is Rowlock’s own'.replace('’', "'")),
});

test("the name that is Rowlock's own is refused, wherever metadata is given", async () => {
  expect(() => checkMetadata(FORGED)).toThrow(refusal);
  expect(() => checkMetadata(JSON.parse('{"a": 1, "rowlock": null}'))).toThrow(refusal);
  expect(() => newJob(handler, { payload: null, metadata: FORGED }, undefined)).toThrow(refusal);
  await expect(
    planOf('nightly', defineSchedule({ handler, payload: null, every: '1h', metadata: FORGED })),
  ).rejects.toThrow(refusal);
});

test.each([
  set('rowlock', 1),
  set(['rowlock', 'tick'], FORGED.rowlock.tick),
  merge('rowlock', { tick: null }),
  merge([], FORGED),
  merge([], { rowlock: null }),
  set([], FORGED),
  remove('rowlock.tick'),
  increment('rowlock.tick.lateMs'),
  append('rowlock', [1]),
])('an update does not come to it: %j', (operation) => {
  expect(() => metadataUpdate([set('a', 1), operation], false)).toThrow(refusal);
});

test('other names may have it as a part, and inside of them it is free', () => {
  expect(checkMetadata({ 'rowlock.x': 1, Rowlock: 2, a: { rowlock: 3 } })).toEqual({
    'rowlock.x': 1,
    Rowlock: 2,
    a: { rowlock: 3 },
  });
  expect(metadataUpdate([set('a.rowlock', 1), merge('a', { rowlock: 1 })], false).operations).toHaveLength(2);
});
