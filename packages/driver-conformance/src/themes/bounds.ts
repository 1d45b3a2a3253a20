import { complete, type Driver, defineHandler, type RunContext, type RunInfo } from '@rowlock/core';
import { expect } from 'vitest';
import { allSettled } from '../all-settled.js';
import { HandClock } from '../hand-clock.js';
import { instead } from '../instead.js';
import type { Stage } from '../stage.js';
import { theme } from '../theme.js';
import { aborted, gate, until, within } from '../until.js';
import { AnyJson, openWorker, SOON, startWorker } from '../worker-process.js';

/** A handler's timeout, where the clock goes on by hand. */
const TIMEOUT_MS = 60_000;
/** As core has it: how long a handler may go on after its signal. */
const GRACE_MS = 5_000;
/** As core has it: what the server lets the transaction of such a handler last. */
const LIMIT_MS = TIMEOUT_MS + 15_000;
/** How long the server may take to answer where it never will. */
const ANSWER_MS = 4_000;

/** A Standard Schema that waits for an answer, and accepts what it is given. */
function asking(ask: (value: unknown) => Promise<void>) {
  const validate = async (value: unknown) => {
    await ask(value);
    return { value };
  };
  return { '~standard': { version: 1, vendor: 'test', validate } } as const;
}

export const bounds = theme('bounds', (test) => {
  test('a run that holds its transaction for half of its limit is told of, once', async (stage) => {
    const { queue, put } = stage;
    const [running, finish] = [gate(), gate()];
    const clock = new HandClock();
    const handler = defineHandler({
      kind: 'work',
      queue,
      payload: AnyJson,
      timeout: TIMEOUT_MS,
      async run() {
        running.open();
        await finish.promise;
      },
    });
    const job = await put({ key: stage.key });
    const { worker } = await openWorker(stage, [handler], { clock });
    const told: [RunInfo, number, number][] = [];
    worker.on('long', (...given) => told.push(given));
    await worker.start();
    await within('the handler', running.promise);
    clock.advance(LIMIT_MS / 2 - 1);
    expect(told).toEqual([]);
    clock.advance(1);
    clock.advance(1);
    expect(told).toMatchObject([[{ key: stage.key, jobs: [job.publicId] }, LIMIT_MS / 2, LIMIT_MS]]);
    finish.open();
    await allSettled(stage);
  });

  test('a handler that ignores its signal loses its transaction and its slot, and its job is retried', async <
    Tx,
  >(stage: Stage<Tx>) => {
    const { queue, put, row, createNotes } = stage;
    const notes = await createNotes();
    const [running, finish, late] = [gate(), gate(), gate<unknown>()];
    const clock = new HandClock();
    const handler = defineHandler({
      kind: 'deaf',
      queue,
      payload: AnyJson,
      timeout: TIMEOUT_MS,
      async run({ tx }: RunContext<unknown, Tx>) {
        await notes.write(tx, 'in time');
        running.open();
        await finish.promise;
        await notes.write(tx, 'a zombie').catch(late.open);
        return complete('a zombie');
      },
    });
    const other = defineHandler({ kind: 'other', queue, payload: AnyJson, run: () => {} });
    const deaf = await put({ kind: 'deaf', key: stage.key });
    const { worker } = await openWorker(stage, [handler, other], { clock, concurrency: 1 });
    const left: RunInfo[] = [];
    worker.on('leftBehind', (run) => left.push(run));
    const settled = gate();
    worker.on('settled', () => settled.open());
    await worker.start();
    await within('the handler', running.promise);
    clock.advance(TIMEOUT_MS);
    clock.advance(GRACE_MS - 1);
    expect(left).toEqual([]);
    clock.advance(1);
    await within('its job is settled', settled.promise);
    expect(left).toMatchObject([{ kind: 'deaf', jobs: [deaf.publicId] }]);
    expect(await row(deaf)).toMatchObject({ status: 'new', attempt: 1, error: { code: 'ROWLOCK_TIMEOUT' } });

    const next = await put({ kind: 'other' });
    worker.wake();
    await until('its slot serves another', async () => (await row(next)).status === 'complete');
    finish.open();
    expect(await within('the late write', late.promise)).toMatchObject({ code: 'TransactionOver' });
    expect(await notes.all()).toEqual([]);
    expect(await row(deaf)).toMatchObject({ status: 'new', output: null });
  });

  test('a schema that never answers has as long as its handler, and its job alone pays with an attempt', async (stage) => {
    const { queue, key, putMany, reader } = stage;
    const asked = gate();
    const clock = new HandClock();
    const payload = asking((value) => {
      if (value === 'quick') return Promise.resolve();
      asked.open();
      return new Promise(() => {});
    });
    const handler = defineHandler({
      kind: 'work',
      queue,
      payload,
      timeout: TIMEOUT_MS,
      group: true,
      retry: { base: '1h' },
      run: ({ jobs }) => jobs.length,
    });
    await putMany(['quick', 'slow', 'quick'].map((value) => ({ key, payload: value })));
    const { worker } = await openWorker(stage, [handler], { clock });
    const settled = gate();
    worker.on('settled', () => settled.open());
    await worker.start();
    await within('a schema is asked', asked.promise);
    clock.advance(TIMEOUT_MS);
    await within('the job is settled', settled.promise);
    const timedOut = { status: 'new', attempt: 1, error: { code: 'ROWLOCK_TIMEOUT' } };
    const complete = { status: 'complete', attempt: 1, output: 2, error: null };
    await until('the others have run', async () => (await reader.jobs(queue))[2]?.status === 'complete');
    expect(await reader.jobs(queue)).toMatchObject([complete, timedOut, complete]);
  });

  test("the time that a schema takes is of the handler's", async (stage) => {
    const { queue, put } = stage;
    const [asked, answer] = [gate(), gate()];
    const clock = new HandClock();
    const payload = asking(() => {
      asked.open();
      return answer.promise;
    });
    const handler = defineHandler({
      kind: 'work',
      queue,
      payload,
      timeout: TIMEOUT_MS,
      run: ({ timeLeft }) => complete(timeLeft()),
    });
    await put();
    await startWorker(stage, [handler], { clock });
    await within('the schema is asked', asked.promise);
    clock.advance(TIMEOUT_MS - 1);
    answer.open();
    expect(await allSettled(stage)).toMatchObject([{ status: 'complete', output: 1, attempt: 1 }]);
  });

  test('a worker that stops does not wait for a schema, and gives the jobs back', async (stage) => {
    const { queue, key, putMany, reader } = stage;
    const asked = gate();
    let questions = 0;
    const payload = asking(() => {
      questions += 1;
      asked.open();
      return new Promise(() => {});
    });
    const handler = defineHandler({ kind: 'work', queue, payload, group: true, run: () => {} });
    await putMany([{ key }, { key }]);
    const { worker } = await startWorker(stage, [handler]);
    await within('a schema is asked', asked.promise);
    await within('the worker has stopped', worker.stop({ drain: 0 }));
    const untouched = { status: 'new', attempt: 0, crashes: 0, error: null };
    expect(await reader.jobs(queue)).toMatchObject([untouched, untouched]);
    expect(questions).toBe(1);
  });

  test("a handler's statement that never ends is stopped, and the job is retried without a crash", async <
    Tx,
  >(stage: Stage<Tx>) => {
    const { database, reader, queue, put, createNotes } = stage;
    const notes = await createNotes();
    await reader.exec(`INSERT INTO ${notes.table} VALUES ('locked')`);
    const running = gate();
    const clock = new HandClock();
    const handler = defineHandler({
      kind: 'work',
      queue,
      payload: AnyJson,
      timeout: TIMEOUT_MS,
      retry: SOON,
      async run({ tx, job, signal }: RunContext<unknown, Tx>) {
        if (job.attempt > 1) return complete();
        await database.run(tx, 'SELECT 1 AS one');
        const stuck = [1, 2].map(() => database.run(tx, `DELETE FROM ${notes.table}`));
        running.open();
        await Promise.all(stuck).catch(() => {});
        await aborted(signal);
        await new Promise(() => {});
      },
    });
    const caller = await stage.caller();
    await database.run(caller.tx, `DELETE FROM ${notes.table}`);
    await put();
    const { worker } = await openWorker(stage, [handler], { clock });
    const settled = gate();
    worker.on('settled', () => settled.open());
    await worker.start();
    await within('the handler', running.promise);
    clock.advance(TIMEOUT_MS);
    clock.advance(GRACE_MS);
    await within('it is settled while the lock is still held', settled.promise);
    await startWorker(stage, [handler]);
    expect(await allSettled(stage)).toMatchObject([{ status: 'complete', attempt: 2, crashes: 0 }]);
    await caller.rollback();
  });

  test('a run whose claim is lost after its timeout says that it is lost, and settles nothing', async <
    Tx,
  >(stage: Stage<Tx>) => {
    const { database, queue, put, row } = stage;
    const [running, told] = [gate(), gate()];
    const clock = new HandClock();
    const handler = defineHandler({
      kind: 'work',
      queue,
      payload: AnyJson,
      timeout: TIMEOUT_MS,
      async run({ tx, signal }: RunContext<unknown, Tx>) {
        running.open();
        const reason = await aborted(signal);
        told.open();
        const isLost = () =>
          database.run(tx, 'SELECT 1 AS one').then(
            () => false,
            () => true,
          );
        await until('the claim is lost', isLost);
        throw reason;
      },
    });
    const before = await put();
    const { worker, process } = await openWorker(stage, [handler], { clock });
    const lost = gate<unknown>();
    worker.on('lost', (_, error) => lost.open(error));
    await worker.start();
    await within('the handler', running.promise);
    clock.advance(TIMEOUT_MS);
    await within('the timeout', told.promise);
    await process.kill();
    expect(await within('the loss', lost.promise)).toMatchObject({ code: LOST });
    expect(await row(before)).toEqual(before);
  });

  test('a worker that stops does not wait for a handler that ignores its signal', async <
    Tx,
  >(stage: Stage<Tx>) => {
    const { queue, put, row, reader } = stage;
    const running = gate();
    const clock = new HandClock();
    const handler = defineHandler({
      kind: 'work',
      queue,
      payload: AnyJson,
      async run() {
        running.open();
        await new Promise(() => {});
      },
    });
    const job = await put();
    const { worker } = await startWorker(stage, [handler], { clock });
    await within('the handler', running.promise);
    let isOver = false;
    const stopped = worker.stop({ drain: 1_000 }).finally(() => {
      isOver = true;
    });
    await until('its signal is aborted, and the grace over', async () => {
      clock.advance(1_000);
      return isOver;
    });
    await stopped;
    expect(await row(job)).toMatchObject({ status: 'new', attempt: 0, crashes: 0 });
    expect(await reader.runs(job.publicId)).toMatchObject([{ outcome: 'release' }]);
  });

  for (const claim of ['hold', 'lease'] as const) {
    test(`a worker that is cut off without a word settles nothing, and another runs its job: ${claim}`, async <
      Tx,
    >(stage: Stage<Tx>) => {
      const { queue, put, row, reader } = stage;
      const [running, finish] = [gate(), gate()];
      const runBy = (name: string, run: () => Promise<void>) =>
        defineHandler({
          kind: 'work',
          queue,
          payload: AnyJson,
          claim,
          retry: SOON,
          async run() {
            await run();
            return complete(name);
          },
        });
      const cutOff = runBy('the one cut off', async () => {
        running.open();
        await finish.promise;
      });
      const job = await put({ key: stage.key });
      const opened = await openWorker(
        stage,
        [cutOff],
        { concurrency: 1, answerMs: ANSWER_MS, cable: true },
        limitedTo(3_000),
      );
      const lost = gate<unknown>();
      opened.worker.on('lost', (_, error) => lost.open(error));
      await opened.worker.start();
      await within('the handler', running.promise);
      await opened.process.swallow();
      await startWorker(stage, [runBy('the next run', async () => {})]);
      expect(await allSettled(stage)).toMatchObject([{ output: 'the next run', crashes: 1 }]);
      finish.open();
      if (claim === 'lease') await opened.process.kill();
      else expect(await within('the loss', lost.promise)).toMatchObject({ code: LOST });
      expect(await row(job)).toMatchObject({ status: 'complete', output: 'the next run' });
      const outcomes = (await reader.runs(job.publicId)).map(({ outcome }) => outcome);
      expect(outcomes).toEqual(['reclaim', 'complete']);
      await opened.process.kill();
    });
  }

  test('every verb of a transaction that nobody answers on ends', async ({
    put,
    process,
    hold,
    claimSession,
    claim,
  }) => {
    await put();
    const { driver, swallow, kill } = await process({ answerMs: ANSWER_MS, cable: true });
    const { held } = await hold({}, driver);
    await swallow();
    const gone = { code: 'ConnectionLost' };
    await expect(within('the commit', held.commit())).rejects.toMatchObject(gone);
    expect(held.lost.aborted).toBe(true);
    await within('the rollback', held.rollback());
    await expect(
      within('what the pool is asked', driver.claims.noteRun({ runId: 'x', jobs: [1n] }, 1)),
    ).rejects.toMatchObject(gone);
    await kill();
    const next = claimSession();
    await until('the job is claimable again', () => claim(next));
  });
});

const LOST = expect.stringMatching(/ConnectionLost|CLAIM_LOST/);

/** The driver, but that the server takes what it claims away after `ms`. */
function limitedTo(ms: number): <Tx>(driver: Driver<Tx>) => Driver<Tx> {
  return (driver) =>
    instead(driver, {
      claims: {
        session() {
          const session = driver.claims.session({ idleLimitMs: ms });
          return instead(session, { lease: (runId, jobs) => session.lease(runId, jobs, ms) });
        },
      },
    });
}
