import { AsyncLocalStorage } from 'node:async_hooks';
import { setImmediate as turn } from 'node:timers/promises';
import { complete, defineHandler, definePlugin, fail, type RunContext, retry } from '@rowlock/core';
import { expect } from 'vitest';
import { allSettled } from '../all-settled.js';
import { BATCH, BEFORE, Meeting, ONE_SLOT, putBatch, Sizes } from '../batch.js';
import { eachSettledOnce } from '../each-settled-once.js';
import { HandClock } from '../hand-clock.js';
import { RunLog } from '../run-log.js';
import type { Stage } from '../stage.js';
import { theme } from '../theme.js';
import { aborted, gate, until, within } from '../until.js';
import {
  ANumber,
  AnyJson,
  clientOf,
  openWorker,
  SOON,
  startWorker,
  type WorkerProcess,
} from '../worker-process.js';

/** A handler's timeout, where the clock goes on by hand. */
const TIMEOUT_MS = 60_000;
/** As core has it: how long a handler may go on after its signal. */
const GRACE_MS = 5_000;

export const batches = theme('batches', (test) => {
  test('jobs of a batch run at the same time in one transaction, and each is seen to run', async (stage) => {
    const { database, queue, reader, view } = stage;
    const meeting = new Meeting();
    const finish = gate();
    const handler = defineHandler({
      kind: 'work',
      queue,
      payload: AnyJson,
      batch: 100,
      timeout: '10m',
      async run({ job, progress }) {
        if (job.payload === null) return;
        progress({ of: job.payload });
        await meeting.join();
        await finish.promise;
        return complete({ did: job.payload });
      },
    });
    const jobs = await putBatch(stage);
    await startWorker(stage, [handler], { ...ONE_SLOT, name: 'the worker' });
    await within('all of the batch', meeting.isComplete);
    const views = await until('the progress of all is seen', async () => {
      const found = await Promise.all(jobs.map((job) => view(job)));
      return found.every(({ progress }) => progress !== null) && found;
    });
    expect(views.map(({ status, worker, progress }) => ({ status, worker, progress }))).toEqual(
      jobs.map(({ payload }) => ({ status: 'in-progress', worker: 'the worker', progress: { of: payload } })),
    );
    expect(new Set(views.map(({ runId }) => runId)).size).toBe(1);
    // The worker's other work has short ones of its own.
    await until('one transaction is open', async () => (await database.openTransactions()).length === 1);
    expect((await reader.jobs(queue)).slice(BEFORE).map(({ status }) => status)).toEqual(
      jobs.map(() => 'new'),
    );

    finish.open();
    const rows = (await allSettled(stage)).slice(BEFORE);
    expect(rows.map(({ output }) => output)).toEqual(jobs.map(({ payload }) => ({ did: payload })));
    expect(rows.map(({ runId }) => runId)).toEqual(views.map(({ runId }) => runId));
    await eachSettledOnce(stage, rows);
  });

  test('one that throws, fails, takes too long or is cancelled does not harm the others of its batch', async (stage) => {
    const { queue, reader } = stage;
    const [meeting, told] = [new Meeting(), gate()];
    const clock = new HandClock();
    const handler = defineHandler({
      kind: 'work',
      queue,
      payload: AnyJson,
      batch: 100,
      timeout: TIMEOUT_MS,
      async run({ job, signal }) {
        if (job.payload === null) return;
        await meeting.join();
        if (job.payload === 0) throw new Error('thrown');
        if (job.payload === 1) return fail(new Error('failed'));
        if (job.payload === 2) throw await aborted(signal);
        if (job.payload === 3) {
          const reason = await aborted(signal);
          told.open();
          throw reason;
        }
        return complete({ attempt: job.attempt });
      },
    });
    const jobs = await putBatch(stage, () => ({ maxAttempts: 1 }));
    await startWorker(stage, [handler], { concurrency: 1, clock });
    await within('all of the batch', meeting.isComplete);
    expect(await clientOf(stage, [handler]).cancel(jobs[3]?.publicId ?? '')).toBe('signalled');
    await within('the cancelled one is told', told.promise);
    clock.advance(TIMEOUT_MS);
    const [thrown, failed, late, cancelled, ...others] = (await allSettled(stage)).slice(BEFORE);
    expect(thrown).toMatchObject({ status: 'error', attempt: 1, error: { message: 'thrown' } });
    expect(failed).toMatchObject({ status: 'error', attempt: 1, error: { message: 'failed' } });
    expect(late).toMatchObject({ status: 'error', attempt: 1, error: { code: 'ROWLOCK_TIMEOUT' } });
    expect(cancelled).toMatchObject({
      status: 'cancelled',
      attempt: 0,
      error: { code: 'ROWLOCK_CANCELLED' },
    });
    expect(others.map(({ status, output }) => ({ status, output }))).toEqual(
      others.map(() => ({ status: 'complete', output: { attempt: 1 } })),
    );
    const outcomes = jobs.map(async (job) => (await reader.runs(job.publicId)).map(({ outcome }) => outcome));
    expect(await Promise.all(outcomes)).toEqual([
      ['fail'],
      ['fail'],
      ['fail'],
      ['abandon'],
      ...others.map(() => ['complete']),
    ]);
  });

  test('each run of a batch has its own middleware, and one that throws does not harm the others', async <
    Tx,
  >(stage: Stage<Tx>) => {
    const { queue, createNotes } = stage;
    const notes = await createNotes();
    const storage = new AsyncLocalStorage<unknown>();
    const meeting = new Meeting();
    const marks = definePlugin<Tx>({
      name: 'marks',
      middleware: {
        async run({ job, tx }, next) {
          if (typeof job.payload !== 'number') return next();
          const result = await storage.run(job.payload, next);
          await notes.write(tx, `middleware of ${job.payload}`);
          if (job.payload === 0) throw new Error('thrown');
          return result;
        },
      },
    });
    const handler = defineHandler({
      kind: 'work',
      queue,
      payload: AnyJson,
      batch: 100,
      async run({ job, tx }: RunContext<unknown, Tx>) {
        if (typeof job.payload !== 'number') return null;
        await meeting.join();
        await notes.write(tx, `handler of ${job.payload}`);
        return { store: String(storage.getStore()) };
      },
    });
    await putBatch(stage, () => ({ maxAttempts: 1 }));
    await startWorker(stage, [handler], { ...ONE_SLOT, plugins: [marks] });
    const [thrown, ...others] = (await allSettled(stage)).slice(BEFORE);
    expect(thrown).toMatchObject({ status: 'error', error: { code: 'ROWLOCK_PLUGIN' } });
    const places = others.map((_, place) => place + 1);
    expect(others.map(({ output }) => output)).toEqual(places.map((place) => ({ store: String(place) })));
    expect((await notes.all()).toSorted()).toEqual(
      places.flatMap((place) => [`handler of ${place}`, `middleware of ${place}`]).toSorted(),
    );
  });

  test('a handler cannot cancel another job of its batch through its tx, which settles both', async <
    Tx,
  >(stage: Stage<Tx>) => {
    const { queue } = stage;
    const meeting = new Meeting();
    const client = clientOf<Tx>(stage, []);
    const answers: unknown[] = [];
    const handler = defineHandler({
      kind: 'work',
      queue,
      payload: AnyJson,
      batch: 100,
      async run({ job, tx }: RunContext<unknown, Tx>) {
        if (job.payload === null) return;
        await meeting.join();
        if (job.payload !== 0) return;
        answers.push(await client.cancel(jobs[1]?.publicId ?? '', { tx }).catch(({ code }) => code));
      },
    });
    const jobs = await putBatch(stage);
    await startWorker(stage, [handler], ONE_SLOT);
    const rows = await allSettled(stage);
    expect(answers).toEqual(['ROWLOCK_INVALID_INPUT']);
    await eachSettledOnce(stage, rows);
    expect(new Set(rows.map(({ status }) => status))).toEqual(new Set(['complete']));
  });

  test('what a failed run of a batch wrote is undone, and what the others wrote is kept', async <
    Tx,
  >(stage: Stage<Tx>) => {
    const { database, queue, createNotes } = stage;
    const notes = await createNotes();
    const meeting = new Meeting();
    const handler = defineHandler({
      kind: 'work',
      queue,
      payload: AnyJson,
      batch: 100,
      async run({ job, tx }: RunContext<unknown, Tx>) {
        if (typeof job.payload !== 'number') return;
        await meeting.join();
        await notes.write(tx, `first of ${job.payload}`);
        if (job.payload === 1) await database.run(tx, 'INSERT INTO no_such_table VALUES (1)');
        await turn();
        await notes.write(tx, `second of ${job.payload}`);
        if (job.payload === 2 || job.payload === BATCH - 1) throw new Error('failed');
      },
    });
    const jobs = await putBatch(stage, () => ({ maxAttempts: 1 }));
    await startWorker(stage, [handler], ONE_SLOT);
    const rows = (await allSettled(stage)).slice(BEFORE);
    const failed = new Set([1, 2, BATCH - 1]);
    expect(rows.map(({ status }) => status)).toEqual(
      jobs.map((_, place) => (failed.has(place) ? 'error' : 'complete')),
    );
    const kept = [0, 3, 4, 5, 6].flatMap((place) => [`first of ${place}`, `second of ${place}`]);
    expect((await notes.all()).toSorted()).toEqual(kept.toSorted());
  });

  test('when the connection of a batch is lost, the runs that wait for their transaction lose the claim at once', async <
    Tx,
  >(stage: Stage<Tx>) => {
    const { database, queue } = stage;
    const meeting = new Meeting();
    const handler = defineHandler({
      kind: 'work',
      queue,
      payload: AnyJson,
      batch: 100,
      retry: SOON,
      async run({ job, tx, signal }: RunContext<unknown, Tx>) {
        if (job.payload === null || job.attempt > 1) return;
        if (job.payload === 0) await database.run(tx, 'SELECT 1 AS one');
        await meeting.join();
        if (job.payload !== 0) await database.run(tx, 'SELECT 1 AS one');
        else {
          // The others ask for it first.
          await turn();
          await opened.process.disconnect();
          throw await aborted(signal);
        }
      },
    });
    await putBatch(stage);
    const opened: WorkerProcess<Tx> = await openWorker(stage, [handler], ONE_SLOT);
    const { worker } = opened;
    const [lost, left]: [unknown[], unknown[]] = [[], []];
    const allLost = gate();
    worker.on('leftBehind', (run) => left.push(run));
    worker.on('lost', (run) => {
      lost.push(run);
      if (lost.length === BATCH) allLost.open();
    });
    await worker.start();
    await within('the loss of all', allLost.promise);
    expect(left).toEqual([]);
    const rows = await allSettled(stage);
    expect(new Set(rows.map(({ status }) => status))).toEqual(new Set(['complete']));
  });

  test('keys exclude each other inside a batch, across batches and across workers, and start in the order of their jobs', async (stage) => {
    const { key, queue, putMany } = stage;
    const runLog = new RunLog();
    const started = new Map<string | null, number[]>();
    const handler = defineHandler({
      kind: 'work',
      queue,
      payload: ANumber,
      batch: 10,
      async run(context) {
        runLog.begin(context.key, context.jobs);
        started.set(context.key, [...(started.get(context.key) ?? []), context.job.payload]);
        for (let turns = 0; turns < 5; turns++) await turn();
        runLog.end(context.key);
      },
    });
    const keys = Array.from({ length: 9 }, (_, place) => (place === 0 ? null : `${key}-${place}`));
    const jobs = Array.from({ length: 20 }, (_, place) => place);
    await putMany(
      jobs.flatMap((payload) => keys.map((each) => ({ key: each, payload, priority: payload % 3 }))),
    );
    for (let workers = 0; workers < 3; workers++) await startWorker(stage, [handler], { concurrency: 3 });
    const rows = await allSettled(stage);
    expect(runLog.overlaps).toEqual([]);
    for (const each of keys) if (each !== null) expect(started.get(each), each).toEqual(jobs);
    expect(started.get(null)?.toSorted((a, b) => a - b)).toEqual(jobs);
    await eachSettledOnce(stage, rows);
  });

  test('a serial queue, all of one key, stays serial in batches of two workers', async (stage) => {
    const { key, queue, putMany } = stage;
    const runLog = new RunLog();
    const started: number[] = [];
    const handler = defineHandler({
      kind: 'work',
      queue,
      payload: ANumber,
      batch: 100,
      async run(context) {
        runLog.begin(context.key, context.jobs);
        started.push(context.job.payload);
        await turn();
        runLog.end(context.key);
      },
    });
    const jobs = Array.from({ length: 150 }, (_, place) => place);
    await putMany(jobs.map((payload) => ({ key, payload })));
    // The first one's batches grow before the other one comes between them.
    const sizes = new Sizes();
    const { worker } = await openWorker(stage, [handler], ONE_SLOT, sizes.of);
    await worker.start();
    await within('a batch', sizes.isShared);
    await startWorker(stage, [handler], { concurrency: 2 });
    await eachSettledOnce(stage, await allSettled(stage));
    expect(runLog.overlaps).toEqual([]);
    expect(started).toEqual(jobs);
  });

  test('a run of a batch takes all of its group, and each job once', async (stage) => {
    const { key, queue, putMany } = stage;
    const runs: (readonly number[])[] = [];
    const handler = defineHandler({
      kind: 'work',
      queue,
      payload: ANumber,
      group: true,
      batch: 10,
      run: ({ jobs }) => void runs.push(jobs.map(({ payload }) => payload)),
    });
    const [keys, perKey] = [12, 5];
    await putMany(
      Array.from({ length: keys * perKey }, (_, place) => ({
        key: `${key}-${place % keys}`,
        payload: place,
      })),
    );
    await startWorker(stage, [handler], ONE_SLOT);
    await allSettled(stage);
    const groups = Array.from({ length: keys }, (_, first) =>
      Array.from({ length: perKey }, (_, round) => first + round * keys),
    );
    expect(runs).toEqual(groups);
  });

  test('a run that waits for its turn to write pays nothing for one that has the turn and never ends', async <
    Tx,
  >(stage: Stage<Tx>) => {
    const { database, queue } = stage;
    const meeting = new Meeting();
    const clock = new HandClock();
    const handler = defineHandler({
      kind: 'work',
      queue,
      payload: AnyJson,
      batch: 100,
      timeout: TIMEOUT_MS,
      retry: { base: '1h' },
      async run({ job, tx }: RunContext<unknown, Tx>) {
        if (job.payload === null) return;
        if (job.payload === 0) await database.run(tx, 'SELECT 1 AS one');
        if (job.earlierRuns === 0) await meeting.join();
        const written = database.run(tx, 'SELECT 1 AS one');
        if (job.payload === 0) await new Promise(() => {});
        await written;
      },
    });
    await putBatch(stage);
    const { worker } = await openWorker(stage, [handler], { ...ONE_SLOT, clock });
    const left: unknown[] = [];
    worker.on('leftBehind', ({ jobs }) => left.push(jobs));
    await worker.start();
    await within('all are there', meeting.isComplete);
    await turn();
    clock.advance(TIMEOUT_MS);
    clock.advance(GRACE_MS);
    const outstanding = async () =>
      (await stage.reader.jobs(queue)).filter(({ status }) => status !== 'complete');
    await until('all but one have ended', async () => (await outstanding()).length === 1);
    const rows = await stage.reader.jobs(queue);
    expect(rows.filter(({ status }) => status === 'complete').map(({ attempt }) => attempt)).toEqual(
      Array.from({ length: rows.length - 1 }, () => 1),
    );
    expect(rows.find(({ payload }) => payload === 0)).toMatchObject({
      attempt: 1,
      error: { code: 'ROWLOCK_TIMEOUT' },
    });
    expect(left).toHaveLength(1);
  });

  test('in a batch as well a job of another kind in between keeps its turn, and parts the group', async (stage) => {
    const { key, queue, putMany } = stage;
    const runs: (readonly number[])[] = [];
    const common = {
      queue,
      payload: ANumber,
      batch: 10,
      run: ({ jobs }: RunContext<number, unknown>) => void runs.push(jobs.map(({ payload }) => payload)),
    };
    const update = defineHandler({ ...common, kind: 'update', group: true });
    const rename = defineHandler({ ...common, kind: 'rename' });
    const before = Array.from({ length: BEFORE }, () => ({ kind: 'rename', payload: 0 }));
    const kinds = ['update', 'rename', 'update'];
    await putMany([...before, ...kinds.map((kind, place) => ({ kind, key, payload: place + 1 }))]);
    await startWorker(stage, [update, rename], ONE_SLOT);
    const rows = (await allSettled(stage)).slice(BEFORE);
    expect(runs.slice(BEFORE)).toEqual([[1], [2], [3]]);
    expect(new Set(rows.map(({ runId }) => runId)).size).toBe(1);
  });

  test('in batches as well an update waits for its create, also while that is between two attempts', async (stage) => {
    const { key, queue, putMany } = stage;
    const history = new Map<string | null, string[]>();
    const note = (each: string | null, what: string): void => {
      history.set(each, [...(history.get(each) ?? []), what]);
    };
    const common = { queue, payload: AnyJson, batch: 20 };
    const create = defineHandler({
      ...common,
      kind: 'create',
      run({ job, key: each }) {
        note(each, `create ${job.attempt}`);
        return job.attempt < 2 ? retry(new Error('not yet'), { delay: 20 }) : complete();
      },
    });
    const update = defineHandler({
      ...common,
      kind: 'update',
      after: ['create'],
      run: ({ key: each }) => note(each, 'update'),
    });
    const keys = Array.from({ length: 10 }, (_, place) => `${key}-${place}`);
    for (const kind of ['create', 'update', 'update'])
      await putMany(keys.map((each) => ({ kind, key: each })));
    for (let workers = 0; workers < 2; workers++)
      await startWorker(stage, [create, update], { concurrency: 2 });
    await allSettled(stage);
    for (const each of keys)
      expect(history.get(each), each).toEqual(['create 1', 'create 2', 'update', 'update']);
  });

  test('one run has the jobs of several keys in the order of their ids, and they are settled together', async <
    Tx,
  >(stage: Stage<Tx>) => {
    const { queue, createNotes } = stage;
    const notes = await createNotes();
    const runs: object[] = [];
    const handler = defineHandler({
      kind: 'work',
      queue,
      payload: AnyJson,
      group: { keys: 100 },
      async run({ key, jobs, tx }: RunContext<unknown, Tx>) {
        runs.push({ key, jobs: jobs.map(({ payload, key: of }) => [payload, of]) });
        await notes.write(tx, `${jobs.length}`);
        return new Map(jobs.map(({ publicId, payload }) => [publicId, complete({ did: Number(payload) })]));
      },
    });
    const keys = ['a', 'b', 'a', null, 'c', 'b', null, 'a'];
    const jobs = await putBatch(stage, (place) => ({ key: keys[place] ?? null }));
    await startWorker(stage, [handler], ONE_SLOT);
    const rows = (await allSettled(stage)).slice(BEFORE);
    expect(runs.at(-1)).toEqual({ key: null, jobs: keys.map((key, place) => [place, key]) });
    expect(runs).toHaveLength(4);
    expect(await notes.all()).toEqual(['1', '2', '4', '8']);
    expect(rows.map(({ output }) => output)).toEqual(jobs.map(({ payload }) => ({ did: payload })));
    expect(new Set(rows.map(({ runId }) => runId)).size).toBe(1);
    await eachSettledOnce(stage, rows);
  });

  test('when a run of several keys fails, the next runs have one key each, and one key alone ends in an error', async (stage) => {
    const { queue } = stage;
    const failed: number[] = [];
    const handler = defineHandler({
      kind: 'work',
      queue,
      payload: AnyJson,
      group: { keys: 100 },
      retry: { base: '1ms' },
      run({ jobs }) {
        if (!jobs.some(({ payload }) => payload === 3)) return null;
        failed.push(jobs.length);
        throw new Error('three');
      },
    });
    await putBatch(stage, (place) => ({ key: `k${place}`, maxAttempts: 2 }));
    await startWorker(stage, [handler], ONE_SLOT);
    const rows = (await allSettled(stage)).slice(BEFORE);
    expect(failed).toEqual([8, 1]);
    expect(rows.map(({ status, attempt }) => `${status} ${attempt}`)).toEqual(
      rows.map((_, place) => (place === 3 ? 'error 2' : 'complete 2')),
    );
  });

  test('a job of another kind keeps its turn in its key, beside a run of several keys', async (stage) => {
    const { queue, putMany } = stage;
    const order: string[] = [];
    const noted = ({ jobs }: RunContext<number, unknown>) =>
      void order.push(...jobs.map(({ key, payload }) => `${key}${payload}`));
    const common = { queue, payload: ANumber, run: noted };
    const update = defineHandler({ ...common, kind: 'update', group: { keys: 100 } });
    const rename = defineHandler({ ...common, kind: 'rename' });
    const jobs = Array.from({ length: 12 }, (_, place) => ({
      kind: place % 4 === 2 ? 'rename' : 'update',
      key: 'abc'[place % 3] ?? 'a',
      payload: place,
    }));
    await putMany(jobs);
    for (let workers = 0; workers < 2; workers++) await startWorker(stage, [update, rename]);
    await allSettled(stage);
    for (const key of 'abc')
      expect(order.filter((each) => each.startsWith(key))).toEqual(
        jobs.flatMap((each) => (each.key === key ? [`${key}${each.payload}`] : [])),
      );
  });
});
