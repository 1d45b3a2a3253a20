import { setImmediate as turn } from 'node:timers/promises';
import {
  complete,
  type Driver,
  defineHandler,
  fail,
  type NewJob,
  type RunContext,
  retry,
} from '@rowlock/core';
import { expect } from 'vitest';
import { allSettled } from '../all-settled.js';
import { ANumber, AnyJson, clientOf, employ, type Hand, hire, SOON } from '../crew.js';
import { Diary } from '../diary.js';
import type { JobRow } from '../driver-harness.js';
import { eachSettledOnce } from '../each-settled-once.js';
import { instead } from '../instead.js';
import { seeded } from '../random.js';
import { scratchTable } from '../scratch-table.js';
import { slowClock } from '../slow-clock.js';
import type { Stage } from '../stage.js';
import { theme } from '../theme.js';
import { aborted, type Gate, gate, until, within } from '../until.js';

/** A slot's claims begin with one job, and each may take twice as many as the one before: after so many the next takes `BATCH`. */
const BEFORE = 7;
const BATCH = 8;

/** One slot, which has all the time it needs to begin the runs of a batch. */
const ONE_SLOT = { concurrency: 1, clock: slowClock } as const;

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
      async run({ job, progress }) {
        if (job.payload === null) return;
        progress({ of: job.payload });
        await meeting.join();
        await finish.promise;
        return complete({ did: job.payload });
      },
    });
    const jobs = await putBatch(stage);
    await employ(stage, [handler], { ...ONE_SLOT, name: 'the worker' });
    await within('all of the batch', meeting.isComplete);
    const views = await until('the progress of all is seen', async () => {
      const found = await Promise.all(jobs.map((job) => view(job)));
      return found.every(({ progress }) => progress !== null) && found;
    });
    expect(views.map(({ status, worker, progress }) => ({ status, worker, progress }))).toEqual(
      jobs.map(({ payload }) => ({ status: 'in-progress', worker: 'the worker', progress: { of: payload } })),
    );
    expect(new Set(views.map(({ processId }) => processId)).size).toBe(1);
    expect(await database.openTransactions()).toHaveLength(1);
    expect((await reader.jobs(queue)).slice(BEFORE).map(({ status }) => status)).toEqual(
      jobs.map(() => 'new'),
    );

    finish.open();
    const rows = (await allSettled(stage)).slice(BEFORE);
    expect(rows.map(({ output }) => output)).toEqual(jobs.map(({ payload }) => ({ did: payload })));
    expect(rows.map(({ processId }) => processId)).toEqual(views.map(({ processId }) => processId));
    await eachSettledOnce(stage, rows);
  });

  test('one that throws, fails, takes too long or is cancelled does not harm the others of its batch', async (stage) => {
    const { queue, reader } = stage;
    const meeting = new Meeting();
    const handler = defineHandler({
      kind: 'work',
      queue,
      payload: AnyJson,
      batch: 100,
      // By the slow clock some seconds: time to be cancelled in.
      timeout: 200,
      async run({ job, signal }) {
        if (job.payload === null) return;
        await meeting.join();
        if (job.payload === 0) throw new Error('thrown');
        if (job.payload === 1) return fail(new Error('failed'));
        if (job.payload === 2 || job.payload === 3) throw await aborted(signal);
        return complete({ attempt: job.attempt });
      },
    });
    const jobs = await putBatch(stage, () => ({ maxAttempts: 1 }));
    await employ(stage, [handler], ONE_SLOT);
    await within('all of the batch', meeting.isComplete);
    expect(await clientOf(stage, [handler]).cancel(jobs[3]?.publicId ?? '')).toBe('signalled');
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
    await employ(stage, [handler], ONE_SLOT);
    const rows = await allSettled(stage);
    expect(answers).toEqual(['ROWLOCK_INVALID_INPUT']);
    await eachSettledOnce(stage, rows);
    expect(new Set(rows.map(({ status }) => status))).toEqual(new Set(['complete']));
  });

  test('what a failed run of a batch wrote is undone, and what the others wrote is kept', async <
    Tx,
  >(stage: Stage<Tx>) => {
    const { database, queue, reader, defer } = stage;
    const table = await scratchTable(reader, queue, defer);
    const meeting = new Meeting();
    const handler = defineHandler({
      kind: 'work',
      queue,
      payload: AnyJson,
      batch: 100,
      async run({ job, tx }: RunContext<unknown, Tx>) {
        if (typeof job.payload !== 'number') return;
        await meeting.join();
        await database.run(tx, `INSERT INTO ${table} VALUES ('first of ${job.payload}')`);
        if (job.payload === 1) await database.run(tx, 'INSERT INTO no_such_table VALUES (1)');
        await turn();
        await database.run(tx, `INSERT INTO ${table} VALUES ('second of ${job.payload}')`);
        if (job.payload === 2 || job.payload === BATCH - 1) throw new Error('failed');
      },
    });
    const jobs = await putBatch(stage, () => ({ maxAttempts: 1 }));
    await employ(stage, [handler], ONE_SLOT);
    const rows = (await allSettled(stage)).slice(BEFORE);
    const failed = new Set([1, 2, BATCH - 1]);
    expect(rows.map(({ status }) => status)).toEqual(
      jobs.map((_, place) => (failed.has(place) ? 'error' : 'complete')),
    );
    const kept = [0, 3, 4, 5, 6].flatMap((place) => [`first of ${place}`, `second of ${place}`]);
    const notes = (await reader.exec(`SELECT note FROM ${table}`)).map(({ note }) => String(note));
    expect(notes.toSorted()).toEqual(kept.toSorted());
  });

  test('keys exclude each other inside a batch, across batches and across workers, and start in the order of their jobs', async (stage) => {
    const { key, queue, putMany } = stage;
    const diary = new Diary();
    const started = new Map<string | null, number[]>();
    const handler = defineHandler({
      kind: 'work',
      queue,
      payload: ANumber,
      batch: 10,
      async run(context) {
        diary.begin(context.key, context.jobs);
        started.set(context.key, [...(started.get(context.key) ?? []), context.job.payload]);
        for (let turns = 0; turns < 5; turns++) await turn();
        diary.end(context.key);
      },
    });
    const keys = Array.from({ length: 9 }, (_, place) => (place === 0 ? null : `${key}-${place}`));
    const jobs = Array.from({ length: 20 }, (_, place) => place);
    await putMany(
      jobs.flatMap((payload) => keys.map((each) => ({ key: each, payload, priority: payload % 3 }))),
    );
    for (let hands = 0; hands < 3; hands++) await employ(stage, [handler], { concurrency: 3 });
    const rows = await allSettled(stage);
    expect(diary.overlaps).toEqual([]);
    for (const each of keys) if (each !== null) expect(started.get(each), each).toEqual(jobs);
    expect(started.get(null)?.toSorted((a, b) => a - b)).toEqual(jobs);
    await eachSettledOnce(stage, rows);
  });

  test('a serial queue, all of one key, stays serial in batches of two workers', async (stage) => {
    const { key, queue, putMany } = stage;
    const diary = new Diary();
    const started: number[] = [];
    const handler = defineHandler({
      kind: 'work',
      queue,
      payload: ANumber,
      batch: 100,
      async run(context) {
        diary.begin(context.key, context.jobs);
        started.push(context.job.payload);
        await turn();
        diary.end(context.key);
      },
    });
    const jobs = Array.from({ length: 150 }, (_, place) => place);
    await putMany(jobs.map((payload) => ({ key, payload })));
    // The first one's batches grow before the other one comes between them.
    const sizes = new Sizes();
    const { worker } = await hire(stage, [handler], ONE_SLOT, sizes.of);
    await worker.start();
    await within('a batch', sizes.isShared);
    await employ(stage, [handler], { concurrency: 2 });
    await eachSettledOnce(stage, await allSettled(stage));
    expect(diary.overlaps).toEqual([]);
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
    await employ(stage, [handler], ONE_SLOT);
    await allSettled(stage);
    const groups = Array.from({ length: keys }, (_, first) =>
      Array.from({ length: perKey }, (_, round) => first + round * keys),
    );
    expect(runs).toEqual(groups);
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
        return job.attempt < 2 ? retry(new Error('not yet'), { after: 20 }) : complete();
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
    for (let hands = 0; hands < 2; hands++) await employ(stage, [create, update], { concurrency: 2 });
    await allSettled(stage);
    for (const each of keys)
      expect(history.get(each), each).toEqual(['create 1', 'create 2', 'update', 'update']);
  });

  test('a crash in a batch counts once for each of its jobs, and those are run alone after it', async (stage) => {
    const { queue, reader } = stage;
    const meeting = new Meeting();
    const common = { kind: 'work', queue, payload: AnyJson, batch: 100 } as const;
    const dying = defineHandler({
      ...common,
      async run({ job, signal }) {
        if (job.payload === null) return;
        await meeting.join();
        // A process that was killed goes no further.
        throw await aborted(signal);
      },
    });
    const jobs = await putBatch(stage);
    const { process } = await employ(stage, [dying], ONE_SLOT);
    await within('all of the batch', meeting.isComplete);
    await process.kill();

    let [running, most] = [0, 0];
    const surviving = defineHandler({
      ...common,
      async run() {
        running += 1;
        most = Math.max(most, running);
        await turn();
        running -= 1;
      },
    });
    await employ(stage, [surviving], ONE_SLOT);
    const rows = (await allSettled(stage)).slice(BEFORE);
    expect(rows.map(({ status, attempt, crashes }) => ({ status, attempt, crashes }))).toEqual(
      jobs.map(() => ({ status: 'complete', attempt: 2, crashes: 1 })),
    );
    expect(most).toBe(1);
    for (const { publicId } of jobs) {
      const outcomes = (await reader.runs(publicId)).map(({ outcome }) => outcome);
      expect(outcomes.filter((outcome) => outcome !== 'release')).toEqual(['reclaim', 'complete']);
    }
    await eachSettledOnce(stage, rows);
  });

  test('a job that has crashed in a batch does not pay for another one that kills the next batch', async (stage) => {
    const { queue, reader, putMany } = stage;
    const meeting = new Meeting();
    const common = { kind: 'work', queue, payload: AnyJson, batch: 100 } as const;
    const dying = defineHandler({
      ...common,
      async run({ job, signal }) {
        if (job.payload === null) return;
        await meeting.join();
        throw await aborted(signal);
      },
    });
    const crashed = await putBatch(stage);
    const first = await employ(stage, [dying], ONE_SLOT);
    await within('all of the batch', meeting.isComplete);
    await first.process.kill();

    // The next batch is half of jobs that have crashed, and half of others that come before them.
    const before = Array.from({ length: BEFORE }, () => ({ payload: null, priority: -2 }));
    const others = Array.from({ length: BATCH / 2 }, () => ({ payload: 'deadly', priority: -1 }));
    const deadly = (await putMany([...before, ...others])).slice(BEFORE);
    const dead = gate();
    const second: Hand<unknown> = await hire(
      stage,
      [
        defineHandler({
          ...common,
          async run({ job, signal }) {
            if (job.payload === null) return;
            dead.open();
            await second.process.kill();
            throw await aborted(signal);
          },
        }),
      ],
      ONE_SLOT,
    );
    await second.worker.start();
    await within('a death', dead.promise);

    await employ(stage, [defineHandler({ ...common, run: () => complete() })], ONE_SLOT);
    const rows = await allSettled(stage);
    const after = (jobs: readonly JobRow[]): readonly JobRow[] =>
      rows.filter(({ publicId }) => jobs.some((job) => job.publicId === publicId));
    expect(Math.max(...after(deadly).map(({ crashes }) => crashes))).toBe(1);
    for (const { publicId, attempt, crashes } of after(crashed)) {
      expect({ attempt, crashes }).toEqual({ attempt: 2, crashes: 1 });
      const outcomes = (await reader.runs(publicId)).map(({ outcome }) => outcome);
      expect(outcomes.filter((outcome) => outcome === 'reclaim')).toHaveLength(1);
    }
    await eachSettledOnce(stage, rows);
  });

  test('whoever dies in the middle of a batch: every job takes effect exactly once', async <
    Tx,
  >(stage: Stage<Tx>) => {
    const { database, queue, key, reader, putMany, defer } = stage;
    const table = await scratchTable(reader, queue, defer);
    const random = seeded(11);
    const handlerOf = (dies: () => Promise<void> | undefined) =>
      defineHandler({
        kind: 'work',
        queue,
        payload: AnyJson,
        batch: 20,
        retry: SOON,
        async run({ job, tx, signal }: RunContext<unknown, Tx>) {
          if (random() < 0.5) await turn();
          await database.run(tx, `INSERT INTO ${table} VALUES ('${job.publicId}')`);
          const death = dies();
          if (death === undefined) return complete();
          await death;
          throw await aborted(signal);
        },
      });
    await putMany(
      Array.from({ length: 120 }, (_, place) => ({
        key: place % 3 === 0 ? null : `${key}-${place % 17}`,
        maxAttempts: 50,
      })),
    );
    let deaths = 0;
    for (let generation = 0; generation < 5; generation++) {
      const dead = gate();
      const hand: Hand<Tx> = await hire(
        stage,
        [
          handlerOf(() => {
            if (random() > 0.07) return undefined;
            deaths += 1;
            dead.open();
            return hand.process.kill();
          }),
        ],
        { concurrency: 2 },
      );
      await hand.worker.start();
      await within('a death, or the end', Promise.race([dead.promise, allSettled(stage)]));
    }
    await employ(stage, [handlerOf(() => undefined)]);
    const rows = await allSettled(stage);
    expect(deaths).toBeGreaterThan(1);
    expect(rows.map(({ status }) => status)).toEqual(rows.map(() => 'complete'));
    const effects = (await reader.exec(`SELECT note FROM ${table}`)).map(({ note }) => String(note));
    expect(effects.toSorted()).toEqual(rows.map(({ publicId }) => publicId).toSorted());
    await eachSettledOnce(stage, rows);
  });

  test('stop without patience gives all of a batch back as they were', async (stage) => {
    const { queue, reader } = stage;
    const meeting = new Meeting();
    const handler = defineHandler({
      kind: 'work',
      queue,
      payload: AnyJson,
      batch: 100,
      async run({ job, signal }) {
        if (job.payload === null) return;
        await meeting.join();
        throw await aborted(signal);
      },
    });
    const before = await putBatch(stage);
    const { worker } = await employ(stage, [handler], ONE_SLOT);
    await within('all of the batch', meeting.isComplete);
    await within('the end', worker.stop({ drain: 0 }));
    expect((await reader.jobs(queue)).slice(BEFORE)).toEqual(before);
    for (const { publicId } of before)
      expect((await reader.runs(publicId)).map(({ outcome }) => outcome)).toEqual(['release']);
  });

  test('quick handlers are run in batches by themselves, one after the other in a slot', async (stage) => {
    const { queue, putMany } = stage;
    let [running, most] = [0, 0];
    const handler = defineHandler({
      kind: 'work',
      queue,
      payload: AnyJson,
      async run() {
        running += 1;
        most = Math.max(most, running);
        await turn();
        running -= 1;
      },
    });
    await putMany(Array.from({ length: 200 }, () => ({})));
    const sizes = new Sizes();
    const { worker } = await hire(stage, [handler], ONE_SLOT, sizes.of);
    await worker.start();
    await eachSettledOnce(stage, await allSettled(stage));
    expect(sizes.largest).toBeGreaterThan(1);
    expect(most).toBe(1);
  });

  test('a job that may not share a transaction has its turn while a load of batches lasts', async (stage) => {
    const { queue } = stage;
    const options = { queue, payload: AnyJson };
    const hasRun = gate();
    let isOver = false;
    const load = defineHandler({
      ...options,
      kind: 'load',
      batch: BATCH,
      async run() {
        if (!isOver) await client.enqueue(load, { payload: null });
      },
    });
    const leased = defineHandler({ ...options, kind: 'leased', claim: 'lease', run: () => hasRun.open() });
    const client = clientOf(stage, [load, leased]);
    await client.enqueueMany(
      load,
      Array.from({ length: 3 * BATCH }, () => ({ payload: null })),
    );
    const sizes = new Sizes();
    const { worker } = await hire(stage, [load, leased], { concurrency: 2 }, sizes.of);
    await worker.start();
    await within('a batch', sizes.isShared);
    await client.enqueue(leased, { payload: null, priority: -1 });
    await within('the job that may not share', hasRun.promise).finally(() => {
      isOver = true;
    });
    await eachSettledOnce(stage, await allSettled(stage));
  });

  test('a batch holds none that it will not run', async (stage) => {
    const { queue, begin, claimMany, putMany } = stage;
    const meeting = new Meeting(3);
    const finish = gate();
    const handler = defineHandler({
      kind: 'work',
      queue,
      payload: AnyJson,
      batch: 100,
      async run({ job }) {
        if (job.payload === null) return;
        await meeting.join();
        await finish.promise;
      },
    });
    const apart = defineHandler({ kind: 'apart', queue, payload: AnyJson, batch: 1, run: () => {} });
    await putMany([
      ...Array.from({ length: BEFORE }, () => ({ payload: null })),
      ...Array.from({ length: 3 }, (_, place) => ({ payload: place })),
      ...Array.from({ length: 2 }, () => ({ kind: 'apart' })),
    ]);
    await employ(stage, [handler, apart], ONE_SLOT);
    await within('all of the batch', meeting.isComplete);
    const held = await begin();
    expect(await claimMany(held, 10, { kinds: ['apart'] })).toHaveLength(2);
    await held.rollback();
    finish.open();
    await eachSettledOnce(stage, await allSettled(stage));
  });

  for (const [what, options, writes] of [
    ['`batch: 1` keeps jobs apart', { batch: 1 }, false],
    ['handlers that use the transaction are not run in batches unless they ask for it', {}, true],
  ] as const) {
    test(what, async <Tx>(stage: Stage<Tx>) => {
      const { database, queue, reader, putMany, defer } = stage;
      const table = await scratchTable(reader, queue, defer);
      const handler = defineHandler({
        kind: 'work',
        queue,
        payload: AnyJson,
        ...options,
        async run({ tx }: RunContext<unknown, Tx>) {
          if (writes) await database.run(tx, `INSERT INTO ${table} VALUES ('written')`);
        },
      });
      await putMany(Array.from({ length: 80 }, () => ({})));
      const sizes = new Sizes();
      const { worker } = await hire(stage, [handler], ONE_SLOT, sizes.of);
      await worker.start();
      await allSettled(stage);
      expect(sizes.largest).toBe(1);
    });
  }
});

/** Puts jobs, of which a slot takes the last ones in one batch. Returns the rows of those; their payloads are their places. */
async function putBatch<Tx>(
  { putMany }: Stage<Tx>,
  change: (place: number) => Partial<NewJob> = () => ({}),
): Promise<readonly JobRow[]> {
  const before = Array.from({ length: BEFORE }, () => ({ payload: null }));
  const batch = Array.from({ length: BATCH }, (_, place) => ({ payload: place, ...change(place) }));
  return (await putMany([...before, ...batch])).slice(BEFORE);
}

/** Where the runs of a batch wait until all of them are there: those that were not begun together would wait in vain. */
class Meeting {
  readonly #all: Gate = gate();
  readonly #size: number;
  #here = 0;

  constructor(size = BATCH) {
    this.#size = size;
  }

  get isComplete(): Promise<void> {
    return this.#all.promise;
  }

  join(): Promise<void> {
    this.#here += 1;
    if (this.#here === this.#size) this.#all.open();
    return this.#all.promise;
  }
}

/** How many jobs have shared a transaction, seen between a worker and its driver. */
class Sizes {
  largest = 0;
  readonly #shared: Gate = gate();

  /** Resolves when some share one. */
  get isShared(): Promise<void> {
    return this.#shared.promise;
  }

  readonly of = <Tx>(driver: Driver<Tx>): Driver<Tx> =>
    instead(driver, {
      startRuns: (runs) => {
        this.largest = Math.max(this.largest, ...runs.map(({ jobs }) => jobs.length));
        if (this.largest > 1) this.#shared.open();
        return driver.startRuns(runs);
      },
    });
}
