import { complete, defineHandler, fail, type Outcome, type RunContext, retry, snooze } from '@rowlock/core';
import { expect } from 'vitest';
import { allSettled } from '../all-settled.js';
import type { JobRow } from '../driver-harness.js';
import type { Stage } from '../stage.js';
import { theme } from '../theme.js';
import { aborted, within } from '../until.js';
import { ANumber, AnyJson, openWorker, SOON, startWorker } from '../worker-process.js';

const HOUR_MS = 3_600_000;

/** What a handler returns whose author has no types. */
function untyped(result: unknown): Outcome {
  return JSON.parse('{}', () => result);
}

export const outcomes = theme('outcomes', (test) => {
  test('an invalid payload fails its own job and no other of the group', async (stage) => {
    const { queue, key, putMany } = stage;
    const seen: number[] = [];
    const handler = defineHandler({
      kind: 'work',
      queue,
      payload: ANumber,
      onInvalidPayload: 'fail',
      group: true,
      run: ({ jobs }) => void seen.push(...jobs.map(({ payload }) => payload)),
    });
    await putMany([1, 'two', 3, { four: 4 }].map((payload) => ({ key, payload })));
    await startWorker(stage, [handler]);
    const rows = await allSettled(stage);
    expect(seen).toEqual([1, 3]);
    expect(rows.map(({ status }) => status)).toEqual(['complete', 'error', 'complete', 'error']);
    expect(rows[1]?.error).toMatchObject({ code: 'ROWLOCK_INVALID_PAYLOAD' });
  });

  test('what a handler throws is in the row with its place and its causes, whatever characters they have', async (stage) => {
    const { queue, put } = stage;
    const cause = Object.assign(new Error('caf\u00e9 \u2713 \u{1f600}'), { code: 'E_INNER' });
    const handler = defineHandler({
      kind: 'work',
      queue,
      payload: AnyJson,
      run: () => {
        throw new TypeError('outer', { cause });
      },
    });
    await put({ maxAttempts: 1 });
    await startWorker(stage, [handler]);
    const [row] = await allSettled(stage);
    expect(row?.error).toMatchObject({ code: 'TypeError', message: 'outer' });
    const [head, ...frames] = row?.error?.stack?.split(/\n(?=Caused by)/) ?? [];
    expect(head).toMatch(/^ +at .*outcomes/m);
    expect(frames.join('\n')).toMatch(/^Caused by E_INNER: caf\u00e9 \u2713 \u{1f600}\n +at .*outcomes/u);
  });

  test('each job of a group ends as the handler says of it', async (stage) => {
    const { queue, key, putMany, reader } = stage;
    const handler = defineHandler({
      kind: 'work',
      queue,
      payload: ANumber,
      group: true,
      run: ({ jobs }) => {
        const outcomes: readonly Outcome[] = [
          complete({ done: true }),
          fail(new Error('never')),
          retry(new Error('later'), { delay: '1h' }),
          snooze('2h'),
        ];
        return new Map(jobs.map(({ publicId, payload }) => [publicId, outcomes[payload] ?? complete()]));
      },
      retry: { base: '1h' },
    });
    await putMany([0, 1, 2, 3].map((payload) => ({ key, payload })));
    const { worker } = await openWorker(stage, [handler]);
    const told: [string, string[]][] = [];
    for (const name of ['settled', 'completed', 'failed'] as const)
      worker.on(name, (_, endings) => void told.push([name, [...endings.keys()]]));
    const over = new Promise<void>((resolve) => worker.on('failed', () => resolve()));
    await worker.start();
    await within('the run', over);
    const [done, failed, retried, snoozed] = await reader.jobs(queue);
    expect(done).toMatchObject({ status: 'complete', output: { done: true }, attempt: 1 });
    expect(failed).toMatchObject({ status: 'error', error: { message: 'never' }, attempt: 1 });
    expect(retried).toMatchObject({ status: 'new', error: { message: 'later' }, attempt: 1 });
    expect(snoozed).toMatchObject({ status: 'new', error: null, attempt: 0 });
    expect(told).toEqual([
      ['settled', [done, failed, retried, snoozed].map((row) => row?.publicId)],
      ['completed', [done?.publicId]],
      ['failed', [failed?.publicId]],
    ]);
    const pause = (row: JobRow | undefined): number =>
      (row?.availableAt.getTime() ?? 0) - (row?.startedAt?.getTime() ?? 0);
    expect(pause(retried)).toBeGreaterThanOrEqual(HOUR_MS - 1);
    expect(pause(snoozed)).toBeGreaterThanOrEqual(2 * HOUR_MS - 1);
  });

  test('what a handler wrote is undone, and all its jobs retried, when it returns what is no outcome of each', async <
    Tx,
  >(stage: Stage<Tx>) => {
    const { queue, key, reader, putMany, createNotes } = stage;
    const notes = await createNotes();
    let begun = 0;
    const handler = defineHandler({
      kind: 'work',
      queue,
      payload: AnyJson,
      group: true,
      retry: SOON,
      async run({ tx, job, jobs }: RunContext<unknown, Tx>) {
        const run = ++begun;
        await notes.write(tx, `run ${run}`);
        if (run === 1) return new Map([[job.publicId, complete()]]);
        if (run === 2) return untyped(new Date());
        return new Map(jobs.map(({ publicId }) => [publicId, complete()]));
      },
    });
    const [first, second] = await putMany([{ key }, { key }]);
    await startWorker(stage, [handler]);
    // The second run may be of one of them: their pauses are of different length.
    const rows = await allSettled(stage);
    expect(rows).toMatchObject([first, second].map(() => ({ status: 'complete', crashes: 0 })));
    expect(Math.max(...rows.map(({ attempt }) => attempt))).toBe(3);
    for (const { publicId, attempt } of rows) {
      const outcomes = (await reader.runs(publicId)).map(({ outcome }) => outcome);
      expect(outcomes).toEqual([...Array.from({ length: attempt - 1 }, () => 'retry'), 'complete']);
    }
    const kept = await notes.all();
    expect(kept).not.toContain('run 1');
    expect(kept).not.toContain('run 2');
    expect(kept).toContain('run 3');
  });

  test('a handler that returns a value has completed its jobs with it, also with one that looks like an outcome', async (stage) => {
    const { queue, key, putMany } = stage;
    class Receipt {
      constructor(
        readonly event: string,
        readonly output: number,
      ) {}
    }
    const results = [
      null,
      0,
      'text',
      [1, { two: 2 }],
      { event: 'fail', error: 'x' },
      new Receipt('retry', 1),
    ];
    const single = defineHandler({
      kind: 'single',
      queue,
      payload: ANumber,
      run: async ({ job }) => results[job.payload] ?? null,
    });
    const grouped = defineHandler({
      kind: 'grouped',
      queue,
      payload: ANumber,
      group: true,
      run: ({ jobs }) => ({ jobs: jobs.length }),
    });
    await putMany(results.map((_, payload) => ({ kind: 'single', payload })));
    await putMany([1, 2].map((payload) => ({ kind: 'grouped', key, payload })));
    await startWorker(stage, [single, grouped]);
    const rows = await allSettled(stage);
    expect(rows.map(({ status, attempt }) => `${status} ${attempt}`)).toEqual(rows.map(() => 'complete 1'));
    expect(rows.map(({ output }) => output)).toEqual([
      ...results.slice(0, -1),
      { event: 'retry', output: 1 },
      { jobs: 2 },
      { jobs: 2 },
    ]);
  });

  test('a handler that throws is tried again, and fails when its attempts are used up', async (stage) => {
    const { queue, reader, put } = stage;
    const attempts: number[] = [];
    const handler = defineHandler({
      kind: 'work',
      queue,
      payload: AnyJson,
      retry: SOON,
      attempts: 3,
      run({ job }) {
        attempts.push(job.attempt);
        throw Object.assign(new Error(`attempt ${job.attempt}`), { code: 'E_SHEET' });
      },
    });
    const job = await put({ maxAttempts: 3 });
    await startWorker(stage, [handler]);
    const [row] = await allSettled(stage);
    expect(attempts).toEqual([1, 2, 3]);
    expect(row).toMatchObject({
      status: 'error',
      attempt: 3,
      crashes: 0,
      error: { code: 'E_SHEET', message: 'attempt 3' },
    });
    expect((await reader.runs(job.publicId)).map(({ outcome }) => outcome)).toEqual([
      'retry',
      'retry',
      'fail',
    ]);
  });

  test('whatever a handler throws or fails with is kept in the row, as far as it can be', async (stage) => {
    const { queue, putMany } = stage;
    const refuse = (): never => {
      throw new Error('out of reach');
    };
    const reasons: readonly (() => unknown)[] = [
      () => Object.assign(new Error('a\0b\ud800c'), { name: 'x\0' }),
      () => Object.assign(new Error(), { message: { rows: 2 } }),
      () => Object.defineProperty(new Error('told'), 'name', { get: refuse }),
      () => new Proxy({}, { get: refuse, getPrototypeOf: refuse }),
      () => Symbol('s'),
    ];
    const handler = defineHandler({
      kind: 'work',
      queue,
      payload: ANumber,
      retry: SOON,
      attempts: 1,
      run({ job: { payload } }) {
        const reason = reasons[payload % reasons.length]?.();
        if (payload < reasons.length) throw reason;
        return fail(reason);
      },
    });
    const payloads = [...reasons, ...reasons].keys();
    await putMany([...payloads].map((payload) => ({ payload, maxAttempts: 1 })));
    await startWorker(stage, [handler]);
    const rows = await allSettled(stage);
    const stored = [
      { code: 'x\uFFFD', message: 'a\uFFFDb\uFFFDc' },
      { code: 'Error', message: '{"rows":2}' },
      { code: 'Error', message: 'told' },
      { code: 'ROWLOCK_HANDLER' },
      { code: 'ROWLOCK_HANDLER', message: 'Symbol(s)' },
    ];
    expect(rows).toMatchObject(
      [...stored, ...stored].map((error) => ({ status: 'error', attempt: 1, crashes: 0, error })),
    );
  });

  test('a snooze does not count as an attempt', async (stage) => {
    const { queue, put } = stage;
    const attempts: number[] = [];
    const handler = defineHandler({
      kind: 'work',
      queue,
      payload: AnyJson,
      run({ job }) {
        attempts.push(job.attempt);
        return attempts.length < 4 ? snooze(1) : complete();
      },
    });
    await put({ maxAttempts: 1 });
    await startWorker(stage, [handler]);
    const [row] = await allSettled(stage);
    expect(attempts).toEqual([1, 1, 1, 1]);
    expect(row).toMatchObject({ status: 'complete', attempt: 1 });
  });

  test('what a handler wrote is undone when it throws, and kept when it completes', async <
    Tx,
  >(stage: Stage<Tx>) => {
    const { database, queue, put, createNotes } = stage;
    const notes = await createNotes();
    const handler = defineHandler({
      kind: 'work',
      queue,
      payload: AnyJson,
      retry: SOON,
      async run({ tx, job }: RunContext<unknown, Tx>) {
        await notes.write(tx, `attempt ${job.attempt}`);
        if (job.attempt === 1) throw new Error('after its write');
        if (job.attempt === 2) await database.run(tx, 'INSERT INTO no_such_table VALUES (1)');
      },
    });
    await put();
    await startWorker(stage, [handler]);
    const [row] = await allSettled(stage);
    expect(row).toMatchObject({ status: 'complete', attempt: 3 });
    expect(await notes.all()).toEqual(['attempt 3']);
  });

  test('a handler that swallows a failed statement does not stop the queue', async <Tx>(stage: Stage<Tx>) => {
    const { database, queue, put } = stage;
    const handler = defineHandler({
      kind: 'work',
      queue,
      payload: AnyJson,
      retry: SOON,
      async run({ tx, job }: RunContext<unknown, Tx>) {
        if (job.attempt === 1) await database.run(tx, 'INSERT INTO no_such_table VALUES (1)').catch(() => {});
        return complete(job.attempt);
      },
    });
    await put();
    await startWorker(stage, [handler]);
    const [row] = await allSettled(stage);
    expect(row?.status).toBe('complete');
  });

  test('a handler that takes too long is told, and its job tried again or failed', async (stage) => {
    const { queue, put } = stage;
    const reasons: unknown[] = [];
    const handler = defineHandler({
      kind: 'work',
      queue,
      payload: AnyJson,
      timeout: 20,
      retry: SOON,
      async run({ signal, timeLeft }) {
        expect(timeLeft()).toBeLessThanOrEqual(20);
        const reason = await aborted(signal);
        reasons.push(reason);
        throw reason;
      },
    });
    await put({ maxAttempts: 2 });
    await startWorker(stage, [handler]);
    const [row] = await allSettled(stage);
    expect(reasons).toMatchObject([{ code: 'ROWLOCK_TIMEOUT' }, { code: 'ROWLOCK_TIMEOUT' }]);
    expect(row).toMatchObject({ status: 'error', attempt: 2, error: { code: 'ROWLOCK_TIMEOUT' } });
  });
});
