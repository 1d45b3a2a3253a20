import { expect, test } from 'vitest';
import { z } from 'zod';
import type { Enqueueable } from '../handler/enqueueable.js';
import { defineHandler } from '../handler/handler.js';
import type { EnqueueOptions } from '../job/enqueue-options.js';
import * as module from './new-job.js';

/** Its result or its error, whether it comes at once or later. */
const newJobs = async (...given: Parameters<typeof module.newJobs>) => module.newJobs(...given);

const handler = { kind: 'work', queue: 'default', attempts: 5 };
const now = { ...handler, payload: z.object({ n: z.number() }) };
const later = { ...handler, payload: z.object({ n: z.number() }).refine(async ({ n }) => n > 0) };
const options = (...numbers: unknown[]) => numbers.map((n) => ({ payload: { n } }));

for (const [what, schema] of Object.entries({ 'at once': now, later })) {
  test(`a schema that answers ${what}: jobs in the order given`, async () => {
    const jobs = await newJobs(schema, options(1, 2, 3));
    expect(jobs.map(({ payload }) => payload)).toEqual([{ n: 1 }, { n: 2 }, { n: 3 }]);
  });

  test(`a schema that answers ${what}: one payload that it refuses refuses all`, async () => {
    await expect(newJobs(schema, options(1, 'two', 3))).rejects.toMatchObject({
      code: 'ROWLOCK_INVALID_PAYLOAD',
    });
  });
}

test.each(Object.entries({ 'at once': now, later }))(
  'a schema that answers %s refuses a payload before the function of a limit sees it',
  async (_, schema) => {
    const seen: unknown[] = [];
    const limit = ({ payload }: { readonly payload: unknown }) => {
      seen.push(payload);
      return { name: `n of ${payload}`, max: 1 };
    };
    await expect(newJobs({ ...schema, limit }, options('two'))).rejects.toMatchObject({
      code: 'ROWLOCK_INVALID_PAYLOAD',
    });
    expect(seen).toEqual([]);
    const [job] = await newJobs({ ...schema, limit }, options(2));
    expect(seen).toEqual([{ n: 2 }]);
    expect(job?.limits).toBe('{"n of [object Object]":1}');
  },
);

test.each([undefined, null, true, {}, { issues: 'none' }, { issues: null, value: 1 }])(
  'a schema that tells neither a value nor issues is refused by the name of its kind, now and later: %j',
  async (told) => {
    for (const answer of [told, Promise.resolve(told)]) {
      const untyped = Object({ '~standard': { version: 1, vendor: 'test', validate: () => answer } });
      await expect(newJobs({ kind: 'work', payload: untyped }, options(1))).rejects.toMatchObject({
        code: 'ROWLOCK_INVALID_INPUT',
        message: expect.stringMatching(/"work" has returned neither { value } nor { issues }/),
      });
    }
  },
);

const payload = z.object({ n: z.number() });

test('where nothing is said of it, a job is of the queue and has the attempts of a handler that says nothing', async () => {
  const [job] = await newJobs({ kind: 'work', payload }, options(1));
  const handler = defineHandler({ kind: 'work', payload, run: () => {} });
  expect([job]).toEqual(await newJobs(handler, options(1)));
  expect(job).toMatchObject({ queue: handler.queue, maxAttempts: 5 });
  const elsewhere = await newJobs({ kind: 'work', payload, queue: 'slow', attempts: 2 }, options(1));
  expect(elsewhere).toMatchObject([{ queue: 'slow', maxAttempts: 2 }]);
});

test('a key that is null is none', async () => {
  const [job] = await newJobs({ kind: 'work', payload }, [{ payload: { n: 1 }, key: null, unique: null }]);
  expect(job).toMatchObject({ key: null, unique: null });
});

test.each([
  { kind: '' },
  { kind: 'work\0' },
  { queue: 'q'.repeat(129) },
  { payload: JSON.parse('{}') },
  { attempts: 0 },
])('what no handler could be is refused: %j', async (wrong) => {
  const refused = newJobs({ kind: 'work', payload, ...wrong }, options(1));
  await expect(refused).rejects.toMatchObject({ code: 'ROWLOCK_INVALID_INPUT' });
});

test.each([
  [{ payload: { n: 1 }, tx: {} }, /tx is no option of the job's: pass it last/],
  [{ n: 1 }, /payload is missing: enqueue\(handler, \{ payload \}\)/],
  [undefined, /payload is missing/],
])('what is no option of a job is refused, and not passed over in silence: %j', async (wrong, sentence) => {
  const given: EnqueueOptions<unknown> = JSON.parse('{}', () => wrong);
  const refused = newJobs({ kind: 'work', payload }, [given]);
  await expect(refused).rejects.toMatchObject({ code: 'ROWLOCK_INVALID_INPUT', message: sentence });
});

test.each([undefined, null, 7])('what is no handler is refused: %j', async (wrong) => {
  const given: Enqueueable = JSON.parse('{}', () => wrong);
  await expect(newJobs(given, options(1))).rejects.toMatchObject({
    code: 'ROWLOCK_INVALID_INPUT',
    message: /^The first argument is a handler/,
  });
});

test('what is refused at once leaves no rejection behind of what is being checked still', async () => {
  const unhandled: unknown[] = [];
  const note = (error: unknown): void => void unhandled.push(error);
  process.on('unhandledRejection', note);
  const refused = newJobs(later, [...options(-1), { payload: { n: 1 }, priority: 0.5 }]);
  await expect(refused).rejects.toMatchObject({ code: 'ROWLOCK_INVALID_INPUT' });
  await new Promise(setImmediate);
  process.off('unhandledRejection', note);
  expect(unhandled).toEqual([]);
});

class Invoice {
  readonly #cents = 100;
  readonly lines = 2;
  get cents(): number {
    return this.#cents;
  }
}

test.each([
  ['a Date', z.date(), new Date(0)],
  ['a Map', z.map(z.string(), z.number()), new Map([['a', 1]])],
  ['a Set', z.set(z.number()), new Set([1])],
  ['an instance', z.instanceof(Invoice), new Invoice()],
  ["a getter of an instance's class", z.object({ cents: z.number() }), new Invoice()],
])('a payload is refused that its schema would not take once it is stored: %s', async (_, payload, at) => {
  const given = [{ payload: { at } }];
  await expect(newJobs({ ...handler, payload: z.object({ at: payload }) }, given)).rejects.toMatchObject({
    code: 'ROWLOCK_INVALID_PAYLOAD',
    issues: [{ path: expect.arrayContaining(['at']) }],
  });
});

test('a schema sees what is stored, and will be claimed', async () => {
  const seen: unknown[] = [];
  const payload = z.unknown().refine((value) => seen.push(value));
  const at = new Date(0);
  const [job] = await newJobs({ ...handler, payload }, [
    { payload: { at, gone: undefined, invoice: new Invoice() } },
  ]);
  expect(job?.payload).toEqual({ at: at.toJSON(), invoice: { lines: 2 } });
  expect(seen).toEqual([job?.payload]);
});

test('a payload is accepted that its schema takes from JSON', async () => {
  const payload = z.object({ at: z.coerce.date() });
  const [job] = await newJobs({ ...handler, payload }, [{ payload: { at: new Date(0) } }]);
  expect(job?.payload).toEqual({ at: '1970-01-01T00:00:00.000Z' });
  expect(payload.parse(job?.payload)).toEqual({ at: new Date(0) });
});
