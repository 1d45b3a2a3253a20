import {
  complete,
  createRowlock,
  defineHandler,
  fail,
  failedJob,
  increment,
  type Logger,
  pause,
  type RunContext,
  retry,
  snooze,
} from '@rowlock/core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { runHandler } from '../src/index.js';
import { DATABASES, type Tx } from './databases.js';

const AnyJson = z.json();

const Mail = { kind: 'mail', payload: z.object({ to: z.string() }), limit: 'a limit of a plugin' } as const;

const Thank = { kind: 'thank', payload: z.null() };

function returning(result: () => unknown) {
  return defineHandler({ kind: 'work', payload: AnyJson, run: () => Object(result)() });
}

test.each<[what: string, result: () => unknown, expected: object]>([
  ['nothing', () => undefined, { outcome: 'complete', output: null, delayMs: null }],
  ['a value', () => ({ a: 1 }), { outcome: 'complete', output: { a: 1 } }],
  ['complete()', async () => complete(7), { outcome: 'complete', output: 7, error: null }],
  ['fail()', () => fail(new Error('no')), { outcome: 'fail', error: { message: 'no' }, output: null }],
  ['retry()', () => retry('later', { delay: '5m' }), { outcome: 'retry', delayMs: 300_000 }],
  ['retry() at once', () => retry('later', { delay: 0 }), { outcome: 'retry', delayMs: 0 }],
  ['snooze()', () => snooze('1h'), { outcome: 'snooze', delayMs: 3_600_000, error: null }],
  ['pause()', () => pause({ until: new Date(Date.now() + 60_000) }), { outcome: 'pause' }],
  ['what is no JSON', () => 1n, { outcome: 'retry', error: { message: expect.stringContaining('JSON') } }],
  [
    'an error that is thrown',
    () => {
      throw Object.assign(new Error('boom'), { code: 'E_BOOM' });
    },
    { outcome: 'retry', error: { code: 'E_BOOM', message: 'boom' } },
  ],
])('%s is the outcome that a worker writes', async (_, result, expected) => {
  expect(await runHandler(returning(result), null)).toMatchObject(expected);
});

test('a payload that the schema refuses is refused, and the handler has its output', async () => {
  const handler = defineHandler({
    kind: 'work',
    payload: z.object({ at: z.coerce.date() }),
    run: ({ job }) => job.payload.at.getUTCFullYear(),
  });
  expect((await runHandler(handler, { at: '2026-11-28T00:00:00Z' })).output).toBe(2026);
  await expect(runHandler(handler, { at: 'never' })).rejects.toMatchObject({
    code: 'ROWLOCK_INVALID_PAYLOAD',
  });
});

test('the context is what a worker gives', async () => {
  const scheduledFor = new Date('2026-11-28T03:00:00Z');
  const lines: unknown[] = [];
  const note = (fields: object, message: string): void => void lines.push({ ...fields, message });
  const log: Logger = { debug() {}, info: note, warn: note, error: note };
  const handler = defineHandler({
    kind: 'work',
    payload: AnyJson,
    attempts: 3,
    run({ job, key, signal, timeLeft, progress, log: own }) {
      progress({ done: 1 });
      progress.update([increment('done', 2)]);
      own.info({}, 'halfway');
      const { attempt, earlierRuns, maxAttempts, metadata, tick } = job;
      const hasTime = timeLeft() > 0 && !signal.aborted;
      return complete({
        attempt,
        earlierRuns,
        maxAttempts,
        metadata,
        key,
        hasTime,
        at: tick?.scheduledFor.toISOString(),
      });
    },
  });
  const run = await runHandler(handler, null, {
    ...{ key: 'order 7', metadata: { by: 'ada' }, attempt: 3, log },
    tick: { schedule: 'nightly', scheduledFor, lateMs: 0 },
  });
  expect(run).toMatchObject({
    outcome: 'complete',
    output: {
      ...{
        attempt: 3,
        earlierRuns: 2,
        maxAttempts: 3,
        metadata: { by: 'ada' },
        key: 'order 7',
        hasTime: true,
      },
      at: scheduledFor.toISOString(),
    },
    progress: { done: 3 },
  });
  expect(lines).toEqual([expect.objectContaining({ attempt: 3, key: 'order 7', message: 'halfway' })]);
});

test('the last attempt of what throws is a failure', async () => {
  const handler = defineHandler({
    kind: 'work',
    payload: AnyJson,
    attempts: 2,
    run() {
      throw new Error('no');
    },
  });
  expect(await runHandler(handler, null, { attempt: 1 })).toMatchObject({ outcome: 'retry' });
  expect(await runHandler(handler, null, { attempt: 2 })).toMatchObject({ outcome: 'fail', delayMs: null });
  const plain = defineHandler({ kind: 'work', payload: AnyJson, run: () => Promise.reject(new Error('no')) });
  const defaults = {
    retry: { base: '1h', factor: 1 },
    onFailed: { kind: 'failed', payload: failedJob },
  } as const;
  const { outcome, delayMs } = await runHandler(plain, null, { defaults, attempt: 4 });
  expect(outcome).toBe('retry');
  expect(delayMs).toBeGreaterThanOrEqual(1_800_000);
  expect(await runHandler(plain, null, { defaults: { ...defaults, attempts: 1 } })).toMatchObject({
    outcome: 'fail',
  });
  await expect(runHandler(handler, null, { attempt: 3 })).rejects.toThrow('attempt');
});

test('a grouped run has an outcome for each job', async () => {
  const handler = defineHandler({
    kind: 'work',
    payload: z.number(),
    group: true,
    run: ({ jobs }) =>
      new Map(
        jobs.map(({ publicId, payload }) => [publicId, payload === 2 ? fail('two') : complete(payload)]),
      ),
  });
  const { jobs } = await runHandler(handler, 1, { key: 'a', group: [2, 3] });
  expect(jobs.map(({ outcome, output }) => [outcome, output])).toEqual([
    ['complete', 1],
    ['fail', null],
    ['complete', 3],
  ]);
  await expect(runHandler(handler, 1, { group: [2] })).rejects.toThrow('key');
});

test('an abort cancels the job, and the timeout of the handler counts', async () => {
  const untilAborted = async ({ signal }: RunContext<unknown>) => {
    await new Promise((resolve) => signal.addEventListener('abort', resolve));
    signal.throwIfAborted();
  };
  const stop = new AbortController();
  const handler = defineHandler({
    kind: 'work',
    payload: AnyJson,
    run(context) {
      setImmediate(() => stop.abort());
      return untilAborted(context);
    },
  });
  expect(await runHandler(handler, null, { signal: stop.signal })).toMatchObject({
    outcome: 'cancelled',
    error: { code: 'ROWLOCK_CANCELLED' },
  });
  const short = defineHandler({ kind: 'work', payload: AnyJson, timeout: 10, run: untilAborted });
  expect(await runHandler(short, null)).toMatchObject({
    outcome: 'retry',
    error: { code: 'ROWLOCK_TIMEOUT' },
  });
});

test('what is enqueued is in the answer, and written nowhere', async () => {
  const handler = defineHandler({
    kind: 'work',
    payload: AnyJson,
    async run({ enqueue, enqueueMany }) {
      await enqueue(Mail, { payload: { to: 'ada' }, delay: '1m', key: 'ada' });
      await enqueueMany(Mail, [{ payload: { to: 'bob' }, unique: 'bob' }]);
      throw new Error('no');
    },
  });
  const { outcome, enqueued } = await runHandler(handler, null);
  expect(outcome).toBe('retry');
  expect(enqueued).toMatchObject([
    { kind: 'mail', payload: { to: 'ada' }, delayMs: 60_000, key: 'ada', outcome: 'enqueued' },
    { kind: 'mail', payload: { to: 'bob' }, uniqueKey: 'bob' },
  ]);
});

test('a class is built by the resolve of the program', async () => {
  class Double {
    constructor(private readonly factor: number) {}
    run({ job }: { job: { payload: number } }) {
      return this.factor * job.payload;
    }
  }
  const handler = defineHandler({ kind: 'double', payload: z.number(), use: Double });
  let disposed = 0;
  const run = await runHandler(handler, 21, {
    resolve: () => ({ handler: Object(new Double(2)), dispose: () => void disposed++ }),
  });
  expect(run.output).toBe(42);
  expect(disposed).toBe(1);
  await expect(runHandler(handler, 21)).rejects.toThrow('class Double');
});

test('a handler that needs tx is told so', async () => {
  const handler = defineHandler<z.ZodType, Promise<void>, Tx>({
    kind: 'work',
    payload: AnyJson,
    run: async ({ tx }: RunContext<unknown, Tx>) => void (await tx.query('SELECT 1')),
  });
  expect(await runHandler(handler, null)).toMatchObject({
    outcome: 'retry',
    error: { code: 'ROWLOCK_INVALID_INPUT', message: expect.stringContaining('{ tx }') },
  });
});

describe.each(['postgres', 'mysql'] as const)("with %s's transaction", (name) => {
  let opened: Awaited<ReturnType<(typeof DATABASES)[typeof name]>>;
  beforeAll(async () => {
    opened = await DATABASES[name]();
    await opened.tx.query('CREATE TABLE note (text varchar(100))');
  });
  afterAll(() => opened.end());

  const Note = defineHandler<z.ZodObject<{ text: z.ZodString; next: z.ZodString }>, Promise<number>, Tx>({
    kind: 'note',
    payload: z.object({ text: z.string(), next: z.string() }),
    async run({ job, tx, enqueue }: RunContext<{ text: string; next: string }, Tx>) {
      const { text, next } = job.payload;
      await tx.query(`INSERT INTO note VALUES ('${text}')`);
      await enqueue(Thank, { payload: null });
      if (next === 'throw') throw new Error('no');
      if (next === 'swallow') await tx.query('SELECT nothing FROM nowhere').catch(() => {});
      return next === 'no JSON' ? Object(1n) : 1;
    },
  });

  test('what it writes is there, unless it throws, and all is gone with the transaction', async () => {
    const { tx, rows, table } = opened;
    const rowlock = createRowlock({ driver: opened.driver() });
    await rowlock.migrate();
    await tx.query('BEGIN');
    const outcomes: string[] = [];
    for (const next of ['return', 'throw', 'no JSON'])
      outcomes.push((await runHandler(Note, { text: next, next }, { tx, rowlock: Object(rowlock) })).outcome);
    expect(outcomes).toEqual(['complete', 'retry', 'retry']);
    expect(await rows('SELECT text FROM note')).toEqual([{ text: 'return' }]);
    expect(await rows(`SELECT kind FROM ${table('job')}`)).toEqual([{ kind: 'thank' }]);
    await tx.query('ROLLBACK');
    expect(await rows('SELECT text FROM note')).toEqual([]);
    expect(await rows(`SELECT kind FROM ${table('job')}`)).toEqual([]);
    await rowlock.close();
  });

  test('a failed statement that is swallowed counts as it does in a worker', async () => {
    await opened.tx.query('BEGIN');
    const { outcome } = await runHandler(Note, { text: 'a', next: 'swallow' }, { tx: opened.tx });
    expect(outcome).toBe(name === 'postgres' ? 'retry' : 'complete');
    await opened.tx.query('ROLLBACK');
  });

  test('a connection without a transaction is refused', async () => {
    await expect(runHandler(Note, { text: 'a', next: '' }, { tx: opened.tx })).rejects.toThrow(
      'open transaction',
    );
    await opened.tx.query('DELETE FROM note');
  });
});
