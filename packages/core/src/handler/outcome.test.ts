import { describe, expectTypeOf, test } from 'vitest';
import { z } from 'zod';
import type { Json } from '../job/json.js';
import { defineHandler, type RunContext } from './handler.js';
import { complete, fail, type HandlerResult, type Outcome, retry } from './outcome.js';

interface Receipt {
  readonly paid: number;
  readonly note?: string;
  readonly lines: readonly Line[];
}

interface Line {
  readonly item: string;
  readonly tax: number | null;
}

class Parcel {
  constructor(readonly to: { readonly name: string }) {}
}

const receipt: Receipt = { paid: 1, lines: [] };
const names = ['Ada'];
const payload = z.object({ name: z.string() });
const common = { kind: 'work', payload };

/** The output of a handler's jobs, for the compiler. */
function output<Output>(_: { readonly types?: { readonly output: Output } }): Output[] {
  return [];
}

describe('complete()', () => {
  test('takes JSON, interfaces and classes whose members are JSON', () => {
    expectTypeOf(complete()).toEqualTypeOf<Outcome<null>>();
    expectTypeOf(complete('done')).toEqualTypeOf<Outcome<'done'>>();
    expectTypeOf(complete({ rows: names })).toEqualTypeOf<Outcome<{ rows: string[] }>>();
    expectTypeOf(complete(receipt)).toEqualTypeOf<Outcome<Receipt>>();
    expectTypeOf(complete([receipt])).toEqualTypeOf<Outcome<[Receipt]>>();
    expectTypeOf(complete(new Parcel({ name: 'Ada' }))).toEqualTypeOf<Outcome<Parcel>>();
    const json: Json = [];
    expectTypeOf(complete<Json>(json)).toEqualTypeOf<Outcome>();
  });

  test('refuses what JSON does not keep, wherever it is', () => {
    // @ts-expect-error: a Date becomes text.
    complete(new Date());
    // @ts-expect-error: so does one in a list.
    complete({ lines: [{ at: new Date() }] });
    // @ts-expect-error: a Map becomes an empty object.
    complete(new Map([['a', 1]]));
    // @ts-expect-error: a method is left out.
    complete({ total: () => 1 });
    // @ts-expect-error: JSON has no bigint.
    complete({ id: 1n });
    // @ts-expect-error: an undefined item becomes null.
    complete([1, undefined]);
    // @ts-expect-error: nothing is known of it.
    complete(JSON.parse('1') as unknown);
  });
});

describe('a handler', () => {
  test('returns a value, an outcome of one, a map of outcomes, or nothing', () => {
    const plain = defineHandler({ ...common, run: ({ job }) => ({ hello: job.payload.name }) });
    expectTypeOf(output(plain)).toEqualTypeOf<{ hello: string }[]>();
    const later = defineHandler({ ...common, run: async () => receipt });
    expectTypeOf(output(later)).toEqualTypeOf<Receipt[]>();
    const outcome = defineHandler({
      ...common,
      async run({ job }) {
        if (job.attempt === 1) return retry('busy');
        if (job.attempt === 2) return fail('gone');
        if (job.attempt === 3) return;
        return complete(new Parcel({ name: job.payload.name }));
      },
    });
    expectTypeOf(output(outcome)).toEqualTypeOf<(Parcel | null)[]>();
    const each = defineHandler({
      ...common,
      group: true,
      run: ({ jobs }) => new Map(jobs.map(({ publicId, attempt }) => [publicId, complete({ attempt })])),
    });
    expectTypeOf(output(each)).toEqualTypeOf<{ attempt: number }[]>();
    const nothing = defineHandler({ ...common, run: () => {} });
    expectTypeOf(output(nothing)).toEqualTypeOf<null[]>();
    const thrown = defineHandler({
      ...common,
      run: async () => {
        throw new Error('never');
      },
    });
    expectTypeOf(output(thrown)).toEqualTypeOf<never[]>();
    const any = defineHandler({ ...common, run: async (): Promise<HandlerResult> => undefined });
    expectTypeOf(output(any)).toEqualTypeOf<Json[]>();
  });

  test('may be a class', () => {
    class Greet {
      async run({ job }: RunContext<z.output<typeof payload>>) {
        return complete(job.payload.name.length);
      }
    }
    expectTypeOf(output(defineHandler({ ...common, use: Greet }))).toEqualTypeOf<number[]>();
  });

  test('returns nothing that is not JSON', () => {
    // @ts-expect-error: a Date.
    defineHandler({ ...common, run: () => new Date() });
    // @ts-expect-error: a Date in the object of a promise.
    defineHandler({ ...common, run: async () => ({ at: new Date() }) });
    // @ts-expect-error: a map of values.
    defineHandler({ ...common, run: async () => new Map([['job', 1]]) });
    // @ts-expect-error: a function.
    defineHandler({ ...common, run: () => () => 1 });
    // @ts-expect-error: nothing is known of it.
    defineHandler({ ...common, run: (): unknown => 1 });
  });
});
