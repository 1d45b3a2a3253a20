import { AsyncLocalStorage } from 'node:async_hooks';
import {
  complete,
  defineHandler,
  definePlugin,
  type EnqueueMiddleware,
  fail,
  type Plugin,
  type RunContext,
  type RunMiddleware,
  retry,
  snooze,
} from '@rowlock/core';
import { expect } from 'vitest';
import { allSettled } from '../all-settled.js';
import { HandClock } from '../hand-clock.js';
import type { Stage } from '../stage.js';
import { theme } from '../theme.js';
import { aborted, gate, until, within } from '../until.js';
import { ANumber, AnyJson, clientOf, openWorker, SOON, startWorker } from '../worker-process.js';

const storage = new AsyncLocalStorage<string>();

/** A handler's timeout, where the clock goes on by hand. */
const TIMEOUT_MS = 60_000;

function around<Tx>(run: RunMiddleware<Tx>, name = 'around'): Plugin<Tx> {
  return definePlugin({ name, middleware: { run } });
}

/** Adds to each job what the call was made with. */
const marks: EnqueueMiddleware = ({ jobs }, next) => {
  for (const job of jobs) job.addMetadata({ mark: storage.getStore() ?? 'none' });
  return next();
};
const marking = definePlugin({ name: 'marking', middleware: { enqueue: marks } });

export const plugins = theme('plugins', (test) => {
  test('middleware is around a run, in its async context and its transaction, the first plugin outermost', async <
    Tx,
  >(stage: Stage<Tx>) => {
    const { queue, key, put, createNotes } = stage;
    const notes = await createNotes();
    const seen: unknown[] = [];
    const named = (name: string): Plugin<Tx> =>
      around<Tx>(async ({ job, tx, ...run }, next) => {
        seen.push([name, job.queue, job.kind, run.key, job.payload, job.metadata, storage.getStore()]);
        await notes.write(tx, `${name} before`);
        const result = await storage.run(`${storage.getStore()} in ${name}`, next);
        await notes.write(tx, `${name} after`);
        return result;
      }, name);
    const handler = defineHandler({
      kind: 'work',
      queue,
      payload: ANumber,
      async run({ job, tx }: RunContext<number, Tx>) {
        await notes.write(tx, 'handler');
        return { double: 2 * job.payload, store: storage.getStore() };
      },
    });
    const job = await put({ key, payload: 7, metadata: { user: 'ada' } });
    await startWorker(stage, [handler], { plugins: [named('a'), named('b')] });
    expect(await allSettled(stage)).toMatchObject([
      { status: 'complete', output: { double: 14, store: 'undefined in a in b' } },
    ]);
    const given = [queue, 'work', key, 7, job.metadata];
    expect(seen).toEqual([
      ['a', ...given, undefined],
      ['b', ...given, 'undefined in a'],
    ]);
    expect(await notes.all()).toEqual(['a before', 'b before', 'handler', 'b after', 'a after']);
  });

  test('what a handler throws passes through the middleware, and what both wrote is undone', async <
    Tx,
  >(stage: Stage<Tx>) => {
    const { queue, put, createNotes } = stage;
    const notes = await createNotes();
    const caught: unknown[] = [];
    const watches = around<Tx>(async ({ tx, job }, next) => {
      if (job.attempt === 1) await notes.write(tx, 'undone, of the middleware');
      try {
        return await next();
      } catch (error) {
        caught.push(error);
        throw error;
      }
    });
    const failure = Object.assign(new Error('It failed.'), { code: 'E_WORK' });
    const handler = defineHandler({
      kind: 'work',
      queue,
      payload: AnyJson,
      retry: SOON,
      async run({ tx, job }: RunContext<unknown, Tx>) {
        if (job.attempt === 1) await notes.write(tx, 'undone, of the handler');
        throw failure;
      },
    });
    await put({ maxAttempts: 2 });
    await startWorker(stage, [handler], { plugins: [watches] });
    expect(await allSettled(stage)).toMatchObject([
      { status: 'error', attempt: 2, error: { code: 'E_WORK', message: 'It failed.' } },
    ]);
    expect(caught).toEqual([failure, failure]);
    expect(await notes.all()).toEqual([]);
  });

  for (const place of ['before', 'after'] as const) {
    test(`a middleware that throws ${place} the handler fails the run by its plugin's name`, async <
      Tx,
    >(stage: Stage<Tx>) => {
      const { queue, put, createNotes } = stage;
      const notes = await createNotes();
      let called = 0;
      const breaks = around<Tx>(async (_, next) => {
        if (place === 'after') await next();
        throw new Error('out of order');
      }, 'audit');
      const handler = defineHandler({
        kind: 'work',
        queue,
        payload: AnyJson,
        async run({ tx }: RunContext<unknown, Tx>) {
          called += 1;
          await notes.write(tx, 'undone');
        },
      });
      await put({ maxAttempts: 1 });
      await startWorker(stage, [handler], { plugins: [breaks] });
      expect(await allSettled(stage)).toMatchObject([
        {
          status: 'error',
          attempt: 1,
          error: {
            code: 'ROWLOCK_PLUGIN',
            message: 'The plugin "audit": its run middleware threw: out of order',
          },
        },
      ]);
      expect(called).toBe(place === 'after' ? 1 : 0);
      expect(await notes.all()).toEqual([]);
    });
  }

  test('an outcome of a middleware counts: without the handler, or in place of an error, whose writes are undone', async <
    Tx,
  >(stage: Stage<Tx>) => {
    const { queue, putMany, reader, createNotes } = stage;
    const notes = await createNotes();
    const called: unknown[] = [];
    const decides = around<Tx>(async ({ job, tx }, next) => {
      if (job.payload === 'closed') return fail(new Error('Closed today.'));
      try {
        await notes.write(tx, `middleware of ${job.payload}`);
        return await next();
      } catch {
        return snooze('1h');
      }
    });
    const handler = defineHandler({
      kind: 'work',
      queue,
      payload: AnyJson,
      async run({ job, tx }: RunContext<unknown, Tx>) {
        called.push(job.payload);
        await notes.write(tx, `handler of ${job.payload}`);
        if (job.payload === 'busy') throw new Error('429');
      },
    });
    const jobs = await putMany(['closed', 'busy', 'open'].map((payload) => ({ payload })));
    const { worker } = await openWorker(stage, [handler], { plugins: [decides], concurrency: 1 });
    const settled = gate();
    let count = 0;
    worker.on('settled', () => {
      count += 1;
      if (count === jobs.length) settled.open();
    });
    await worker.start();
    await within('the runs', settled.promise);
    expect(await reader.jobs(queue)).toMatchObject([
      { status: 'error', attempt: 1, error: { message: 'Closed today.' } },
      { status: 'new', attempt: 0, error: null },
      { status: 'complete', attempt: 1 },
    ]);
    expect(called).toEqual(['busy', 'open']);
    expect(await notes.all()).toEqual(['middleware of open', 'handler of open']);
  });

  test('a group has its middleware once, with all of its jobs, and each keeps its own outcome', async (stage) => {
    const { queue, key, putMany, reader } = stage;
    const seen: unknown[] = [];
    const watches = around(async ({ jobs }, next) => {
      seen.push(jobs.map(({ payload }) => payload));
      return next();
    });
    const handler = defineHandler({
      kind: 'work',
      queue,
      payload: ANumber,
      onInvalidPayload: 'fail',
      group: true,
      run: ({ jobs }) =>
        new Map(
          jobs.map(({ publicId, payload }) => [
            publicId,
            payload === 2 ? retry(new Error('later'), { delay: '1h' }) : complete({ payload }),
          ]),
        ),
    });
    await putMany([1, 'two', 2, 3].map((payload) => ({ key, payload })));
    const { worker } = await openWorker(stage, [handler], { plugins: [watches] });
    const settled = new Promise<void>((resolve) => worker.on('settled', () => resolve()));
    await worker.start();
    await within('the run', settled);
    expect(await reader.jobs(queue)).toMatchObject([
      { status: 'complete', output: { payload: 1 } },
      { status: 'error', error: { code: 'ROWLOCK_INVALID_PAYLOAD' } },
      { status: 'new', error: { message: 'later' } },
      { status: 'complete', output: { payload: 3 } },
    ]);
    expect(seen).toEqual([[1, 2, 3]]);
  });

  test.once(
    'no middleware takes a job out of a run, adds one, or changes one',
    async <Tx>(stage: Stage<Tx>) => {
      const { queue, key, putMany } = stage;
      const refused: unknown[] = [];
      const changing = around<Tx>(({ jobs }, next) => {
        for (const change of [
          () => Reflect.apply(Array.prototype.pop, jobs, []),
          () => Reflect.apply(Array.prototype.reverse, jobs, []),
          () => Reflect.apply(Array.prototype.push, jobs, [jobs[0]]),
        ])
          try {
            change();
          } catch (error) {
            refused.push(error);
          }
        refused.push(Reflect.set(jobs[0], 'publicId', 'another'));
        return next();
      });
      const handler = defineHandler({
        kind: 'work',
        queue,
        payload: ANumber,
        group: true,
        run: ({ jobs }: RunContext<number, Tx>) => jobs.map(({ payload }) => payload),
      });
      await putMany([1, 2].map((payload) => ({ key, payload })));
      await startWorker(stage, [handler], { plugins: [changing] });
      const output = [1, 2];
      expect(await allSettled(stage)).toMatchObject([{ output }, { output }]);
      const error = expect.any(TypeError);
      expect(refused).toEqual([error, error, error, false]);
    },
  );

  test('a job that is refused before its handler would be called has no middleware', async (stage) => {
    const { queue, put } = stage;
    let called = 0;
    const watches = around((_, next) => {
      called += 1;
      return next();
    });
    const handler = defineHandler({
      kind: 'work',
      queue,
      payload: ANumber,
      onInvalidPayload: 'fail',
      run: () => {},
    });
    await put({ payload: 'text' });
    await startWorker(stage, [handler], { plugins: [watches] });
    expect(await allSettled(stage)).toMatchObject([{ status: 'error' }]);
    expect(called).toBe(0);
  });

  test('a timeout and a cancellation reach the middleware by the signal, and its end is waited for', async (stage) => {
    const { queue, putMany } = stage;
    const [bothRun, clock] = [gate(), new HandClock()];
    const ends: unknown[] = [];
    let running = 0;
    const watches = around(async ({ job, signal }, next) => {
      try {
        return await next();
      } finally {
        await null;
        ends.push([job.payload, signal.aborted]);
      }
    });
    const handler = defineHandler({
      kind: 'work',
      queue,
      payload: AnyJson,
      timeout: TIMEOUT_MS,
      async run({ signal }) {
        running += 1;
        if (running === 2) bothRun.open();
        throw await aborted(signal);
      },
    });
    const [, cancelled] = await putMany(
      ['late', 'cancelled'].map((payload) => ({ payload, maxAttempts: 1 })),
    );
    const { rowlock } = await startWorker(stage, [handler], { plugins: [watches], clock });
    await within('both run', bothRun.promise);
    expect(await rowlock.cancel(cancelled?.publicId ?? '')).toBe('signalled');
    await until('the cancelled one has ended', async () => ends.length === 1);
    clock.advance(TIMEOUT_MS);
    await until('the late one has ended', async () => ends.length === 2);
    expect(ends).toEqual([
      ['cancelled', true],
      ['late', true],
    ]);
    clock.advance(1_000);
    expect(await allSettled(stage)).toMatchObject([
      { status: 'error', error: { code: 'ROWLOCK_TIMEOUT' } },
      { status: 'cancelled', error: { code: 'ROWLOCK_CANCELLED' } },
    ]);
  });

  test('a handler is not called by a middleware that waited for longer than its run may go on', async (stage) => {
    const { queue, put } = stage;
    const [waits, clock] = [gate(), new HandClock()];
    let called = 0;
    const slow = around(async ({ signal }, next) => {
      waits.open();
      await aborted(signal);
      return next();
    });
    const handler = defineHandler({
      kind: 'work',
      queue,
      payload: AnyJson,
      timeout: TIMEOUT_MS,
      run() {
        called += 1;
      },
    });
    await put({ maxAttempts: 1 });
    await startWorker(stage, [handler], { plugins: [slow], clock });
    await within('the middleware', waits.promise);
    clock.advance(TIMEOUT_MS);
    expect(await allSettled(stage)).toMatchObject([{ status: 'error', error: { code: 'ROWLOCK_TIMEOUT' } }]);
    expect(called).toBe(0);
  });

  test('metadata that a middleware adds is in the rows of every way to enqueue', async <
    Tx,
  >(stage: Stage<Tx>) => {
    const { queue, reader, caller } = stage;
    const follow = { kind: 'follow', queue: `${queue}-follow`, payload: AnyJson };
    // What a job was marked with, its run hands on to the jobs that it enqueues.
    const handsOn = around<Tx>(({ job }, next) => storage.run(`from ${job.metadata.mark}`, next));
    const handler = defineHandler({
      kind: 'work',
      queue,
      payload: AnyJson,
      async run({ tx, enqueue, enqueueMany }: RunContext<unknown, Tx>) {
        await enqueue(follow, { payload: 'context' });
        await enqueueMany(follow, [{ payload: 'context, many' }]);
        await rowlock.enqueue(follow, { payload: 'tx' }, { tx });
      },
    });
    const { rowlock, worker } = await openWorker(stage, [handler], { plugins: [handsOn, marking] });
    const aside = { ...follow, queue: `${queue}-aside` };
    await storage.run('many', () =>
      rowlock.enqueueMany(
        aside,
        [1, 2, 3].map((payload) => ({ payload, metadata: { mine: payload } })),
      ),
    );
    await Promise.all(
      [4, 5, 6].map((payload) =>
        storage.run(`gathered ${payload}`, () => rowlock.enqueue(aside, { payload })),
      ),
    );
    const application = await caller();
    await storage.run('joined', () => rowlock.enqueue(aside, { payload: 7 }, { tx: application.tx }));
    await application.commit();
    const rows = await reader.jobs(aside.queue);
    expect(rows.map(({ payload, metadata }) => [payload, metadata]).toSorted()).toEqual([
      ...[1, 2, 3].map((payload) => [payload, { mine: payload, mark: 'many' }]),
      ...[4, 5, 6].map((payload) => [payload, { mark: `gathered ${payload}` }]),
      [7, { mark: 'joined' }],
    ]);

    await storage.run('request', () => rowlock.enqueue(handler, { payload: 0 }));
    await worker.start();
    await allSettled(stage);
    const follows = await reader.jobs(follow.queue);
    expect(follows.map(({ payload, metadata }) => [payload, metadata])).toEqual(
      ['context', 'context, many', 'tx'].map((payload) => [payload, { mark: 'from request' }]),
    );
  });

  test.once('a duplicate has its middleware, and leaves the first job as it is', async (stage) => {
    const { queue, key, reader } = stage;
    const outcomes: unknown[] = [];
    const watches = definePlugin({
      name: 'watching',
      middleware: { enqueue: async (_, next) => void outcomes.push(...(await next())) },
    });
    const rowlock = clientOf(stage, [], [watches, marking]);
    const work = { kind: 'work', queue, payload: AnyJson };
    const first = await storage.run('first', () => rowlock.enqueue(work, { payload: 1, unique: key }));
    const second = await storage.run('second', () => rowlock.enqueue(work, { payload: 2, unique: key }));
    expect(second).toEqual({ outcome: 'duplicate', publicId: first.publicId });
    expect(outcomes).toEqual([first, second]);
    expect(await reader.jobs(queue)).toMatchObject([{ payload: 1, metadata: { mark: 'first' } }]);
  });

  test.once(
    'a middleware that refuses an enqueue writes nothing, and leaves the transaction of the call alive',
    async (stage) => {
      const { queue, reader, caller } = stage;
      const refuses = definePlugin({
        name: 'quota',
        middleware: {
          async enqueue({ jobs }, next) {
            if (jobs.length > 1) throw new Error('Too many.');
            return next();
          },
        },
      });
      const rowlock = clientOf(stage, [], [refuses]);
      const work = { kind: 'work', queue, payload: AnyJson };
      const application = await caller();
      const calls = [{}, { tx: application.tx }].map((call) =>
        rowlock.enqueueMany(work, [{ payload: 1 }, { payload: 2 }], call),
      );
      for (const call of calls)
        await expect(call).rejects.toMatchObject({
          code: 'ROWLOCK_PLUGIN',
          plugin: 'quota',
          message: 'The plugin "quota": its enqueue middleware threw: Too many.',
        });
      await rowlock.enqueue(work, { payload: 3 }, { tx: application.tx });
      await application.commit();
      expect((await reader.jobs(queue)).map(({ payload }) => payload)).toEqual([3]);
    },
  );

  test('a job has the size of a limit that a plugin declares, if its handler names the limit alone', async (stage) => {
    const { key, queue, reader } = stage;
    const plugin = definePlugin({ name: 'mailer', limits: { [key]: { max: 1 } } });
    const [running, finish] = [gate(), gate()];
    let most = 0;
    let now = 0;
    const handler = defineHandler({
      kind: 'work',
      queue,
      payload: AnyJson,
      limit: key,
      async run() {
        most = Math.max(most, ++now);
        running.open();
        await finish.promise;
        now -= 1;
      },
    });
    const rowlock = clientOf(stage, [handler], [plugin]);
    await rowlock.enqueueMany(handler, [{ payload: 1 }, { payload: 2 }]);
    expect((await reader.jobs(queue)).map(({ limits }) => limits)).toEqual(
      ['1', '2'].map(() => JSON.stringify({ [key]: 1 })),
    );
    await startWorker(stage, [handler], { plugins: [plugin], concurrency: 2 });
    await within('a job runs', running.promise);
    finish.open();
    await allSettled(stage);
    expect(most).toBe(1);
    expect(() => clientOf(stage, [handler])).toThrow(`The limit ${JSON.stringify(key)}`);
  });
});
