import type { Handler, RunContext } from '@rowlock/core';
import { expect, expectTypeOf, test } from 'vitest';
import { z } from 'zod';
import { defineHandler, type MemoryTransaction } from '../src/index.js';

const payload = z.object({ at: z.coerce.date() });

test("a function's tx and payload are typed without type arguments", () => {
  const Work = defineHandler({
    kind: 'work',
    payload,
    run({ tx, job }) {
      expectTypeOf(tx).toEqualTypeOf<MemoryTransaction>();
      expectTypeOf(job.payload).toEqualTypeOf<{ at: Date }>();
    },
  });
  expect(Work.kind).toBe('work');
  expectTypeOf(Work).toExtend<Handler<typeof payload, MemoryTransaction>>();
});

test('a class may take this tx, or one of any type, and no other', () => {
  class Fitting {
    run(_: RunContext<{ at: Date }, MemoryTransaction>): void {}
  }
  class Indifferent {
    run(_: { job: { payload: { at: Date } } }): void {}
  }
  class Foreign {
    run(_: RunContext<{ at: Date }, { readonly foreign: true }>): void {}
  }
  defineHandler({ kind: 'work', payload, use: Fitting });
  defineHandler({ kind: 'work', payload, use: Indifferent });
  // @ts-expect-error: the driver's transactions have no such member.
  defineHandler({ kind: 'work', payload, use: Foreign });
});
