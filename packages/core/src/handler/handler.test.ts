import { describe, expect, expectTypeOf, test } from 'vitest';
import { z } from 'zod';
import { type DefineHandler, defineHandler, type Handler } from './handler.js';
import { Registry } from './registry.js';

const payload = z.object({ name: z.string() });
const run = (): void => {};

/** Values from JavaScript are not typed. */
const untyped: (definition: object) => unknown = defineHandler as never;

test('an option left out has its default', () => {
  expect(defineHandler({ kind: 'greet', payload, run })).toMatchObject({
    queue: 'default',
    groupMax: 1,
    groupKeys: 1,
    after: [],
    claim: 'hold',
    batch: 1,
    attempts: undefined,
    backoff: { baseMs: 1_000, factor: 2, capMs: 3_600_000 },
    timeoutMs: 30_000,
  });
});

test('what an enqueue needs, attempts among it, may be shared and given pauses of its own', () => {
  const greet = { kind: 'greet', payload, attempts: 12 };
  expect(defineHandler({ ...greet, run })).toMatchObject({ attempts: 12 });
  expect(defineHandler({ ...greet, retry: { base: '2s' }, run })).toMatchObject({
    attempts: 12,
    backoff: { baseMs: 2_000 },
  });
});

test.each([1, 10_000])('a transaction may take %s of its jobs', (batch) => {
  expect(defineHandler({ kind: 'greet', payload, batch, run })).toMatchObject({ batch });
});

test('a payload is typed by its schema', () => {
  defineHandler({
    kind: 'greet',
    payload,
    run({ job }) {
      const name: string = job.payload.name;
      // @ts-expect-error: the schema has no such member.
      job.payload.surname;
      expect(name).toBeDefined();
    },
  });
});

test('a plugin for every database binds the type of tx that it is given', () => {
  const plugin = <Tx>(kind: string, use: (tx: Tx) => void): Handler<typeof payload, Tx> => {
    const define: DefineHandler<Tx> = defineHandler;
    return define({ kind, payload, run: ({ tx }) => use(tx) });
  };
  expectTypeOf(plugin('greet', (_: URL) => {})).toEqualTypeOf<Handler<typeof payload, URL>>();
});

test('code is what a definition needs', () => {
  // @ts-expect-error: Property 'run' is missing.
  expect(() => defineHandler({ kind: 'greet', payload })).toThrow(/needs its code: `run`, a function/);
});

describe('a mistake is refused when the handler is defined', () => {
  test.each([
    ['no kind', { kind: '' }, /kind must have 1 to 128/],
    ['a long queue', { queue: 'q'.repeat(200) }, /queue must have 1 to 128/],
    ['no schema', { payload: {} }, /must be a Standard Schema/],
    ['no code', { run: undefined }, /"greet" needs its code: `run`/],
    [
      'an option that is none',
      { retries: 3, retry: { limit: 3 } },
      /The handler of "greet" has no "retries"\. There are kind,/,
    ],
    ['no retry', { retry: null }, /retry of the handler of "greet" must be an object/],
    ['no group', { group: null }, /group must be true, false or/],
    ['no keys', { group: { keys: 0 } }, /group.keys must be a whole number from 1/],
    ['keys and a batch', { group: { keys: 2 }, batch: 2 }, /Leave one of them out/],
    ['keys and a lease', { group: { keys: 2 }, claim: 'lease' }, /group.keys is for claim: 'hold'/],
    [
      'keys and a limit',
      { group: { keys: 2 }, limit: { name: 'l', max: 1 } },
      /group.keys is for handlers without a limit/,
    ],
    ['a long timeout', { timeout: '2d' }, /timeout must be from 1 ms to 24 h, not 172800000 ms/],
    [
      'attempts at another place',
      { retry: { attempts: 4 } },
      /retry of the handler of "greet" has no "attempts"/,
    ],
    ['no attempts', { attempts: 0 }, /attempts must be a whole number from 1 to 1000/],
    ['half an attempt', { attempts: 1.5 }, /attempts must be a whole number/],
    ['a shrinking backoff', { retry: { factor: 0.5 } }, /retry.factor must be from 1/],
    ['a timeout without a unit', { timeout: '30' }, /timeout must be milliseconds or like/],
    ['no timeout at all', { timeout: 0 }, /timeout must be from 1/],
    ['an empty group', { group: { max: 0 } }, /group.max must be a whole number from 1/],
    ['an empty batch', { batch: 0 }, /batch must be a whole number from 1 to 10000/],
    ['a batch in other words', { batch: 'all' }, /batch must be a whole number/],
    ['leases in a batch', { claim: 'lease', batch: 2 }, /a lease is settled by itself/],
    ['a kind to wait for without a name', { after: [''] }, /Each of after/],
  ])('%s', (_, mistake, sentence) => {
    const definition: object = { kind: 'greet', payload, run, ...mistake };
    expect(() => untyped(definition)).toThrow(sentence);
  });
});

describe('a registry', () => {
  const greet = defineHandler({ kind: 'greet', queue: 'people', payload, run });
  const part = defineHandler({
    kind: 'part',
    queue: 'people',
    group: { max: 7 },
    timeout: '1m',
    payload,
    run,
  });

  test('knows kinds, and the queues once each', () => {
    const registry = new Registry([greet, part]);
    expect(registry).toMatchObject({
      kinds: ['greet', 'part'],
      queues: ['people'],
      largestGroup: 7,
      longestHeldRunMs: 60_000,
    });
    expect(registry.find('part')).toBe(part);
    const leased = defineHandler({ kind: 'leased', claim: 'lease', timeout: '1h', payload, run });
    expect(new Registry([greet, leased]).longestHeldRunMs).toBe(greet.timeoutMs);
  });

  test('of some queues knows their handlers alone, in their order', () => {
    const mend = defineHandler({ kind: 'mend', queue: 'boats', timeout: '2h', payload, run });
    const all = new Registry([greet, mend, part]);
    expect(all.of(['boats', 'people', 'boats']).kinds).toEqual(['greet', 'mend', 'part']);
    expect(all.of(['people'])).toMatchObject({ kinds: ['greet', 'part'], longestHeldRunMs: 60_000 });
    for (const [queues, message] of [
      [['people', 'ships'], 'No handler is of the queue "ships". Known: people, boats.'],
      [[], 'queues is empty. Known: people, boats.'],
    ] as const)
      expect(() => all.of(queues)).toThrow(
        expect.objectContaining({ code: 'ROWLOCK_INVALID_INPUT', message }),
      );
  });

  test('refuses a kind twice', () => {
    expect(() => new Registry([greet, greet])).toThrow(
      expect.objectContaining({ code: 'ROWLOCK_DUPLICATE_KIND' }),
    );
    expect(new Registry([greet]).find('leave')).toBeUndefined();
  });
});
