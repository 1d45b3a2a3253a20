import { complete, type Driver, defineHandler, type RunContext } from '@rowlock/core';
import type { ClaimSession, RunsStarted } from '@rowlock/core/driver';
import { expect } from 'vitest';
import { allSettled } from '../all-settled.js';
import { claimInstead } from '../claim-instead.js';
import { instead } from '../instead.js';
import type { Stage } from '../stage.js';
import { theme } from '../theme.js';
import { aborted, gate, until, within } from '../until.js';
import { AnyJson, openWorker, SOON, startWorker, type WorkerProcess } from '../worker-process.js';

export const lostClaim = theme('lost claim', (test) => {
  test('a handler that would commit its own transaction fails with a sentence, and has written nothing', async <
    Tx,
  >(stage: Stage<Tx>) => {
    const { queue, put, row, database, createNotes } = stage;
    const notes = await createNotes();
    const handler = defineHandler({
      kind: 'work',
      queue,
      payload: AnyJson,
      claim: 'hold',
      retry: SOON,
      async run({ tx }: RunContext<unknown, Tx>) {
        await notes.write(tx, 'written');
        await database.run(tx, 'COMMIT');
      },
    });
    const job = await put({ maxAttempts: 2 });
    const { worker } = await openWorker(stage, [handler]);
    await worker.start();
    const settled = await until('the job has ended', async () => {
      const now = await row(job);
      return now.status === 'error' && now;
    });
    expect(settled).toMatchObject({
      attempt: 2,
      crashes: 0,
      error: { code: 'InvalidInput', message: expect.stringContaining('SAVEPOINT') },
    });
    expect(await notes.all()).toEqual([]);
  });

  test('a worker whose session was ended loses its claim, says so, and serves the job again', async <
    Tx,
  >(stage: Stage<Tx>) => {
    const { queue, put, createNotes } = stage;
    const notes = await createNotes();
    const running = gate();
    const reasons: unknown[] = [];
    const handler = defineHandler({
      kind: 'work',
      queue,
      payload: AnyJson,
      retry: SOON,
      async run({ tx, signal, job }: RunContext<unknown, Tx>) {
        await notes.write(tx, `attempt ${job.attempt}`);
        if (job.attempt > 1) return complete();
        running.open();
        reasons.push(await aborted(signal));
        return complete('a zombie');
      },
    });
    await put();
    const opened = await openWorker(stage, [handler]);
    const lost = new Promise<unknown>((resolve) => opened.worker.on('lost', (_, error) => resolve(error)));
    await opened.worker.start();
    await within('the handler', running.promise);
    await opened.process.disconnect();
    expect(await within('the loss', lost)).toMatchObject({
      code: expect.stringMatching(/ConnectionLost|CLAIM_LOST/),
    });
    const [row] = await allSettled(stage);
    expect(reasons).toMatchObject([{ code: 'ROWLOCK_CLAIM_LOST' }]);
    // The server ends connections one by one: the job may be claimed again on one that is still to be ended, and lose that
    // claim too. Each loss is counted once, and only the attempt that completed has written.
    const { crashes, attempt } = row ?? { crashes: 0, attempt: 0 };
    expect(crashes).toBeGreaterThanOrEqual(1);
    expect(row).toMatchObject({ status: 'complete', output: null, attempt: crashes + 1 });
    expect(await notes.all()).toEqual([`attempt ${attempt}`]);
  });

  test('a claim that is lost before its handler begins has no run', async <Tx>(stage: Stage<Tx>) => {
    const { queue, put, reader } = stage;
    const entered: boolean[] = [];
    const handler = defineHandler({
      kind: 'work',
      queue,
      payload: AnyJson,
      retry: SOON,
      run: ({ signal }) => void entered.push(signal.aborted),
    });
    const { publicId } = await put();
    const opened: WorkerProcess<Tx> = await openWorker(stage, [handler], { concurrency: 1 }, (driver) =>
      losesFirstClaim(driver, () => opened.process.disconnect()),
    );
    await opened.worker.start();
    await allSettled(stage);
    expect(entered).toEqual([false]);
    expect((await reader.runs(publicId)).map(({ outcome }) => outcome)).toEqual(['reclaim', 'complete']);
  });

  test('a zombie settles nothing', async (stage) => {
    const { queue, put, reader } = stage;
    const running = gate();
    const resume = gate();
    let deeds = 0;
    const handler = defineHandler({
      kind: 'work',
      queue,
      payload: AnyJson,
      retry: SOON,
      async run() {
        deeds += 1;
        if (deeds > 1) return complete('the next run');
        running.open();
        await resume.promise;
        return complete('the zombie');
      },
    });
    const job = await put();
    const dying = await openWorker(stage, [handler]);
    const lost = new Promise<void>((resolve) => dying.worker.on('lost', () => resolve()));
    await dying.worker.start();
    await within('the handler', running.promise);
    await dying.process.kill();
    await startWorker(stage, [handler]);
    await allSettled(stage);
    resume.open();
    await within('the zombie learns that it lost its claim', lost);
    expect(await stage.row(job)).toMatchObject({ status: 'complete', output: 'the next run' });
    expect((await reader.runs(job.publicId)).map(({ outcome }) => outcome)).toEqual(['reclaim', 'complete']);
  });

  for (const jobs of [1, 2]) {
    test(`a worker that begins a run of ${jobs} whose claim is lost does not make the run of the next worker a crash`, async (stage) => {
      const { queue, key, putMany, row, reader } = stage;
      const [begins, goOn, running] = [gate(), gate(), gate()];
      const handler = defineHandler({
        kind: 'work',
        queue,
        payload: AnyJson,
        group: jobs > 1,
        async run({ signal }) {
          running.open();
          throw await aborted(signal);
        },
      });
      const rows = await putMany(Array.from({ length: jobs }, () => ({ key })));
      // Of one slot: another one would take the job when its connections are back.
      const late = await openWorker(stage, [handler], { concurrency: 1 }, (driver) =>
        instead(driver, {
          claims: {
            startRuns(...call) {
              begins.open();
              const receipt = goOn.promise.then(() => driver.claims.startRuns(...call));
              return {
                visible: receipt.then(({ visible }) => visible),
                durable: async () => (await receipt).durable(),
              };
            },
          },
        }),
      );
      const lost = new Promise<void>((resolve) => late.worker.on('lost', () => resolve()));
      await late.worker.start();
      await within('the claim', begins.promise);
      const nextWorker = await startWorker(stage, [handler]);
      await late.process.disconnect();
      await within('the next run', running.promise);
      const outcomes = async () => {
        const runs = await Promise.all(rows.map(({ publicId }) => reader.runs(publicId)));
        return runs.map((each) => each.map(({ outcome }) => outcome));
      };
      // A handler may begin while the COMMIT of its record is on its way.
      await until('the next record is seen', async () =>
        (await outcomes()).every(({ length }) => length === 1),
      );
      const stopped = late.worker.stop({ drain: 0 });
      goOn.open();
      await within('the loss', lost);
      await stopped;
      expect(await outcomes()).toEqual(rows.map(() => [null]));
      await within('the end of the next worker', nextWorker.worker.stop({ drain: 0 }));
      for (const job of rows) expect(await row(job)).toMatchObject({ status: 'new', attempt: 0, crashes: 0 });
      expect(await outcomes()).toEqual(rows.map(() => ['release']));
    });
  }

  test('a settlement that comes back short is a lost claim, and nothing of it is kept', async (stage) => {
    const { queue, key, putMany, reader } = stage;
    const handler = defineHandler({
      kind: 'work',
      queue,
      payload: AnyJson,
      group: true,
      retry: SOON,
      run: () => {},
    });
    const rows = await putMany([{ key }, { key }]);
    const { worker } = await openWorker(stage, [handler], { concurrency: 1 }, firstSettlementShort);
    const lost = new Promise<unknown>((resolve) => worker.on('lost', (_, error) => resolve(error)));
    await worker.start();
    expect(await within('the loss', lost)).toMatchObject({ code: 'ROWLOCK_CLAIM_LOST' });
    await allSettled(stage);
    for (const { publicId } of rows) {
      expect((await reader.runs(publicId)).map(({ outcome }) => outcome)).toEqual(['reclaim', 'complete']);
    }
  });

  test('a job that kills every process it runs in ends as an error after its attempts', async <
    Tx,
  >(stage: Stage<Tx>) => {
    const { queue, key, reader, put } = stage;
    let deaths = 0;
    const attempts: number[] = [];
    const poison = await put({ kind: 'poison', key, maxAttempts: 3 });
    const innocent = await put({ kind: 'poison', key: `${key}-innocent`, payload: 'innocent' });
    while ((await stage.row(poison)).status === 'new') {
      expect(deaths).toBeLessThanOrEqual(3);
      const over = gate();
      const handler = defineHandler({
        kind: 'poison',
        queue,
        payload: AnyJson,
        async run({ job, signal }) {
          if (job.payload === 'innocent') return complete();
          attempts.push(job.attempt);
          deaths += 1;
          await opened.process.kill();
          over.open();
          throw await aborted(signal);
        },
      });
      const opened: WorkerProcess<Tx> = await openWorker(stage, [handler], { concurrency: 1 });
      opened.worker.on('settled', ({ jobs }) => {
        if (jobs.includes(poison.publicId)) over.open();
      });
      await opened.worker.start();
      await within('a death, or the end', over.promise);
    }
    expect(await stage.row(poison)).toMatchObject({
      status: 'error',
      attempt: 3,
      crashes: 3,
      error: { code: 'ROWLOCK_CRASHED' },
    });
    expect(attempts).toEqual([1, 2, 3]);
    const records = await reader.runs(poison.publicId);
    expect(records.map(({ outcome }) => outcome)).toEqual(['reclaim', 'reclaim', 'reclaim', 'exhaust']);
    await allSettled(stage);
    expect((await stage.row(innocent)).status).toBe('complete');
  });
});

/** The driver, except that its first claim is lost when the run's record has been written. */
function losesFirstClaim<Tx>(driver: Driver<Tx>, disconnect: () => Promise<void>): Driver<Tx> {
  let first = true;
  let newest: ClaimSession<Tx> | undefined;
  return instead(driver, {
    claims: {
      session(options) {
        newest = driver.claims.session(options);
        return newest;
      },
      startRuns(...call) {
        const receipt = driver.claims.startRuns(...call);
        const visible = async (): Promise<RunsStarted> => {
          const started = await receipt.visible;
          if (first && newest) {
            first = false;
            const { lost } = newest;
            await disconnect();
            await aborted(lost);
          }
          return started;
        };
        return { visible: visible(), durable: () => receipt.durable() };
      },
    },
  });
}

/** The driver, except that its first settlement leaves out a job, as if somebody else had settled that one. */
function firstSettlementShort<Tx>(driver: Driver<Tx>): Driver<Tx> {
  let first = true;
  return claimInstead(driver, (session) => ({
    settle(settlements) {
      const written = first ? settlements.slice(1) : settlements;
      first = false;
      return session.settle(written);
    },
  }));
}
