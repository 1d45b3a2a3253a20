import { expect, expectTypeOf, test } from 'vitest';
import { z } from 'zod';
import { createRowlock, defineHandler } from '../src/index.js';
import { emptyDatabase, NOTHING } from './empty-database.js';

// Handlers that enqueue, and the Rowlock that has them, in one file. A handler that called `rowlock.enqueue` here, and
// returned what depends on it, would not compile: TS7022.

const Mail = defineHandler({ kind: 'mail', payload: z.object({ to: z.string() }), run: () => {} });

const Ship = defineHandler({
  kind: 'ship',
  payload: z.object({ customer: z.string() }),
  async run({ job, enqueue }) {
    // @ts-expect-error: the schema wants text.
    void (() => enqueue(Mail, { payload: { to: 7 } }));
    const { publicId } = await enqueue(Mail, { payload: { to: job.payload.customer } });
    return { mail: publicId };
  },
});

const Countdown = defineHandler({
  kind: 'countdown',
  payload: z.object({ left: z.number() }),
  async run({ job, enqueue }) {
    const { left } = job.payload;
    if (left > 0) await enqueue(Countdown, { payload: { left: left - 1 } });
    return { left };
  },
});

const Chain = defineHandler({
  kind: 'chain',
  payload: z.object({ left: z.number() }),
  // The result depends on an enqueue of the handler's own kind, so it needs its type here.
  async run({ job, enqueueMany }): Promise<{ next: string | null }> {
    const [next] = await enqueueMany(Chain, [{ payload: { left: job.payload.left - 1 } }]);
    return { next: next?.publicId ?? null };
  },
});

const tick = { kind: 'tick', payload: z.object({ left: z.number() }) };
const Tick = defineHandler({
  ...tick,
  async run({ job, enqueue }) {
    const { publicId } = await enqueue(tick, { payload: { left: job.payload.left - 1 } });
    return { next: publicId };
  },
});

const { driver } = emptyDatabase({ claim: () => undefined, survey: () => NOTHING });
const rowlock = createRowlock({ driver, handlers: [Mail, Ship, Countdown, Chain, Tick] });

test('a handler that enqueues has the type of its output, also where it enqueues its own kind', () => {
  type OutputOf<Handler> = Handler extends { readonly types?: { readonly output: infer Output } }
    ? Output
    : never;
  expectTypeOf<OutputOf<typeof Ship>>().toEqualTypeOf<{ mail: string }>();
  expectTypeOf<OutputOf<typeof Countdown>>().toEqualTypeOf<{ left: number }>();
  expectTypeOf<OutputOf<typeof Chain>>().toEqualTypeOf<{ next: string | null }>();
  expectTypeOf<OutputOf<typeof Tick>>().toEqualTypeOf<{ next: string }>();
  expect(rowlock.worker().queues).toEqual(['default']);
});
