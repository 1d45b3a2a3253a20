import { expect, expectTypeOf, test } from 'vitest';
import { z } from 'zod';
import { emptyDatabase, NOTHING } from '../../test/empty-database.js';
import { createRowlock, defineHandler, failedJob, type Json } from '../index.js';

const anything = z.any();
const run = () => {};
const { driver } = emptyDatabase({ claim: () => undefined, survey: () => NOTHING });

test('the payload of the handler is a failed job, or a form of one', () => {
  const Report = defineHandler({
    kind: 'report',
    payload: failedJob,
    run: ({ job }) => expectTypeOf(job.payload.payload).toEqualTypeOf<Json>(),
  });
  const own = z.looseObject({ ...keys, payload: z.object({ to: z.string() }) });
  const Own = defineHandler({ kind: 'own', payload: own, run });
  const Other = defineHandler({ kind: 'other', payload: z.object({ to: z.string() }), run });
  defineHandler({ kind: 'one', payload: anything, onFailed: Report, run });
  defineHandler({ kind: 'two', payload: anything, onFailed: Own, run });
  // @ts-expect-error: its payload is no failed job.
  defineHandler({ kind: 'three', payload: anything, onFailed: Other, run });
});

const keys = {
  publicId: z.string(),
  queue: z.string(),
  kind: z.string(),
  key: z.string().nullable(),
  attempts: z.number(),
  error: z.object({ code: z.string(), message: z.string() }),
};

test('failedJob accepts failed jobs alone', () => {
  const { validate } = failedJob['~standard'];
  const failed = { publicId: 'id', kind: 'mail', error: { code: 'E_MAIL', message: 'no' } };
  expect(validate(failed)).toEqual({ value: failed });
  for (const other of [null, 'mail', {}, { ...failed, error: null }])
    expect(validate(other)).toMatchObject({ issues: [{ message: 'must be of a failed job' }] });
});

test.each([
  [() => 'report', /must be a handler whose payload is failedJob/],
  [() => ({ kind: 'report' }), /must be a Standard Schema/],
  [() => ({ kind: 'report', payload: failedJob, limit: () => undefined }), /a limit that is a function/],
])('what no settlement could enqueue is refused: %s', (given, message) => {
  const definition = Object({ kind: 'work', payload: anything, onFailed: given(), run });
  expect(() => defineHandler(definition)).toThrow(message);
});

test('handlers whose failures would follow each other for ever are refused', () => {
  const back = { kind: 'one', payload: failedJob };
  const two = defineHandler({ kind: 'two', payload: failedJob, onFailed: back, run });
  const one = defineHandler({ kind: 'one', payload: failedJob, onFailed: two, run });
  const zero = defineHandler({ kind: 'zero', payload: anything, onFailed: one, run });
  expect(() => createRowlock({ driver, handlers: [zero, one, two] })).toThrow(
    'onFailed leads from "one" back to "one"',
  );
  createRowlock({ driver, handlers: [zero, one] });
});

test('a limit of what follows, by a name that no plugin declares, is refused', () => {
  const report = { kind: 'report', payload: failedJob, limit: 'pager' };
  const work = defineHandler({ kind: 'work', payload: anything, onFailed: report, run });
  expect(() => createRowlock({ driver, handlers: [work] })).toThrow(/pager/);
});
