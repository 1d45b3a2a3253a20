import type { Handler, RunContext } from '@rowlock/core';
import { expect, expectTypeOf, test } from 'vitest';
import { defineHandler, type PostgresTransaction } from '../src/index.js';

interface Payload {
  readonly at: Date;
}

const payload: { readonly '~standard': Props } = {
  '~standard': { version: 1, vendor: 'test', validate: () => ({ value: { at: new Date(0) } }) },
};

interface Props {
  readonly version: 1;
  readonly vendor: string;
  readonly validate: () => { readonly value: Payload };
  readonly types?: { readonly input: unknown; readonly output: Payload };
}

test("a function's tx and payload are typed without type arguments", () => {
  const Work = defineHandler({
    kind: 'work',
    payload,
    run({ tx, job }) {
      expectTypeOf(tx).toEqualTypeOf<PostgresTransaction>();
      expectTypeOf(job.payload).toEqualTypeOf<Payload>();
    },
  });
  expect(Work.kind).toBe('work');
  expectTypeOf(Work).toExtend<Handler<typeof payload, PostgresTransaction>>();
});

test('a class may take this tx, or one of any type, and no other', () => {
  class Fitting {
    run(_: RunContext<Payload, PostgresTransaction>): void {}
  }
  class Indifferent {
    run(_: { job: { payload: Payload } }): void {}
  }
  class Foreign {
    run(_: RunContext<Payload, { readonly foreign: true }>): void {}
  }
  defineHandler({ kind: 'work', payload, use: Fitting });
  defineHandler({ kind: 'work', payload, use: Indifferent });
  // @ts-expect-error: the driver's transactions have no such member.
  defineHandler({ kind: 'work', payload, use: Foreign });
});
