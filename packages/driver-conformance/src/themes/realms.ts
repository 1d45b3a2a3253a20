import { runInNewContext } from 'node:vm';
import { complete, defineHandler, fail, type Outcome } from '@rowlock/core';
import { expect } from 'vitest';
import { allSettled } from '../all-settled.js';
import { theme } from '../theme.js';
import { AnyJson, clientOf, startWorker } from '../worker-process.js';

/** A value of another realm, with an `Error`, a `Map` and a `Promise` of its own, as code has them under jest. */
function foreign<Value>(code: string, given: object = {}): Value {
  return runInNewContext(code, given);
}

/** A schema that accepts every value, except that its refusal comes as `code` makes it. */
function refusing(code: string) {
  return {
    '~standard': {
      version: 1,
      vendor: 'rowlock-conformance',
      validate: (): Promise<{ readonly value: unknown }> => foreign(code),
    },
  } as const;
}

const REFUSALS = [
  ['a promise', "Promise.resolve({ issues: [{ message: 'refused' }] })"],
  ['a thenable', "({ then: (resolve) => resolve({ issues: [{ message: 'refused' }] }) })"],
] as const;

export const realms = theme('realms', (test) => {
  test('an error of another realm keeps its code and its message', async (stage) => {
    const thrown = "Object.assign(new TypeError('not here'), { code: 'E_GONE' })";
    const handler = defineHandler({
      kind: 'work',
      queue: stage.queue,
      payload: AnyJson,
      run({ job }) {
        const error = foreign<Error>(thrown);
        if (job.payload === 'throw') throw error;
        return fail(error);
      },
    });
    await stage.putMany(['throw', 'fail'].map((payload) => ({ payload, maxAttempts: 1 })));
    await startWorker(stage, [handler]);
    const rows = await allSettled(stage);
    const expected = { status: 'error', error: { code: 'E_GONE', message: 'not here' } };
    expect(rows).toMatchObject([expected, expected]);
  });

  test('a Map of another realm has an outcome for each job', async (stage) => {
    const handler = defineHandler({
      kind: 'work',
      queue: stage.queue,
      payload: AnyJson,
      group: true,
      run({ jobs }) {
        const outcomes = jobs.map(({ publicId, payload }) => [publicId, complete(payload)]);
        return foreign<Map<string, Outcome>>('new Map(outcomes)', { outcomes });
      },
    });
    await stage.putMany([1, 2].map((payload) => ({ payload, key: stage.key, maxAttempts: 1 })));
    await startWorker(stage, [handler]);
    expect(await allSettled(stage)).toMatchObject([
      { status: 'complete', output: 1 },
      { status: 'complete', output: 2 },
    ]);
  });

  test('a promise of another realm is awaited', async (stage) => {
    const handler = defineHandler({
      kind: 'work',
      queue: stage.queue,
      payload: AnyJson,
      run: () => foreign<Promise<number>>('Promise.resolve().then(() => 7)'),
    });
    await stage.put({ maxAttempts: 1 });
    await startWorker(stage, [handler]);
    expect(await allSettled(stage)).toMatchObject([{ status: 'complete', output: 7 }]);
  });

  test('a Date of another realm is an instant', async (stage) => {
    const Work = defineHandler({ kind: 'work', queue: stage.queue, payload: AnyJson, run: () => {} });
    const runAt = foreign<Date>("new Date('2100-01-02T03:04:05Z')");
    const { publicId } = await clientOf(stage, [Work]).enqueue(Work, { payload: 0, runAt });
    expect((await stage.row({ publicId })).availableAt).toEqual(new Date('2100-01-02T03:04:05Z'));
  });

  for (const [name, code] of REFUSALS) {
    test(`a schema that refuses by ${name} of another realm refuses the enqueue`, async (stage) => {
      const Work = { kind: 'work', queue: stage.queue, payload: refusing(code) };
      await expect(clientOf(stage, []).enqueue(Work, { payload: 0 })).rejects.toMatchObject({
        code: 'ROWLOCK_INVALID_PAYLOAD',
      });
      expect(await stage.reader.jobs(stage.queue)).toEqual([]);
    });

    test(`a schema that refuses by ${name} of another realm refuses the job at its claim`, async (stage) => {
      let runs = 0;
      const handler = defineHandler({
        kind: 'work',
        queue: stage.queue,
        payload: refusing(code),
        onInvalidPayload: 'fail',
        run: () => void runs++,
      });
      await stage.put();
      await startWorker(stage, [handler]);
      expect(await allSettled(stage)).toMatchObject([
        { status: 'error', error: { code: 'ROWLOCK_INVALID_PAYLOAD', details: [{ message: 'refused' }] } },
      ]);
      expect(runs).toBe(0);
    });
  }
});
