import { randomUUID } from 'node:crypto';
import { type Driver, DriverError, defineHandler, type RunContext } from '@rowlock/core';
import { expect } from 'vitest';
import { allSettled } from '../all-settled.js';
import { instead } from '../instead.js';
import type { Stage } from '../stage.js';
import { theme } from '../theme.js';
import { aborted, gate, within } from '../until.js';
import { AnyJson, openWorker, SOON } from '../worker-process.js';

export const receipts = theme('receipts', (test) => {
  test('a record that is visible is read by everybody', async ({ driver, reader, put, anchor }) => {
    const job = await put();
    const { workerId } = await anchor();
    const runId = randomUUID();
    const { visible } = driver.claims.startRuns([{ runId, workerId, jobs: [job] }], []);
    expect(await visible).toEqual({ earlier: [], unfinished: [] });
    expect(await reader.runs(job.publicId)).toMatchObject([{ runId, outcome: null }]);
  });

  for (const [title, waits] of [
    ['at once', false],
    ['when it is visible', true],
  ] as const) {
    test(`a record is durable on request, also when it is requested twice: ${title}`, async (stage) => {
      const { driver, reader, put, anchor } = stage;
      const job = await put();
      const { workerId } = await anchor();
      const runId = randomUUID();
      const receipt = driver.claims.startRuns([{ runId, workerId, jobs: [job] }], []);
      if (waits) await receipt.visible;
      await within('the flush', Promise.all([receipt.durable(), receipt.durable()]));
      expect(await reader.runs(job.publicId)).toMatchObject([{ runId, outcome: null }]);
      await within('a flush later', receipt.durable());
      expect(await receipt.visible).toEqual({ earlier: [], unfinished: [] });
    });
  }

  test('where an earlier run has not ended there is nothing to be durable', async (stage) => {
    const { driver, reader, put, anchor } = stage;
    const job = await put();
    const { workerId } = await anchor();
    const [first, second] = [randomUUID(), randomUUID()];
    await driver.claims.startRuns([{ runId: first, workerId, jobs: [job] }], []).visible;
    const receipt = driver.claims.startRuns([{ runId: second, workerId, jobs: [job] }], []);
    expect((await receipt.visible).unfinished).toEqual([first]);
    await within('the flush', receipt.durable());
    expect(await reader.runs(job.publicId)).toMatchObject([{ runId: first, outcome: null }]);
  });

  test('a record that cannot be written is neither visible nor durable', async ({ reader, put, process }) => {
    const job = await put();
    const dead = await process();
    await dead.kill();
    const receipt = dead.driver.claims.startRuns([{ runId: randomUUID(), workerId: '1', jobs: [job] }], []);
    const gone = { name: 'DriverError', code: 'ConnectionLost' };
    await expect(receipt.visible).rejects.toMatchObject(gone);
    await expect(receipt.durable()).rejects.toMatchObject(gone);
    expect(await reader.runs(job.publicId)).toEqual([]);
  });

  for (const [title, options, jobs, maxAttempts] of [
    ['by itself', {}, 1, 5],
    ['of several jobs', { group: true }, 2, 5],
    ['that is the last of its job', {}, 1, 1],
    ['by a lease', { claim: 'lease' }, 1, 5],
  ] as const) {
    test(`a run ${title} does not begin before its record is visible`, async (stage) => {
      const { queue, key, putMany, row } = stage;
      const [recorded, commit] = [gate(), gate()];
      const happened: string[] = [];
      const handler = defineHandler({
        kind: 'work',
        queue,
        payload: AnyJson,
        ...options,
        run: () => void happened.push('run'),
      });
      const rows = await putMany(Array.from({ length: jobs }, () => ({ key, maxAttempts })));
      const { worker } = await openWorker(stage, [handler], {}, (driver) =>
        firstReceipt(driver, jobs, (write) => ({
          visible: (async () => {
            recorded.open();
            await commit.promise;
            return write().visible;
          })(),
          durable: async () => {},
        })),
      );
      await worker.start();
      await within('the record', recorded.promise);
      // Round trips of another connection: time for a run that does not wait.
      for (const job of rows) expect(await row(job)).toMatchObject({ status: 'new' });
      happened.push('visible');
      commit.open();
      for (const job of await allSettled(stage))
        expect(job).toMatchObject({ status: 'complete', attempt: 1 });
      expect(happened).toEqual(['visible', 'run']);
    });
  }

  test('a run is settled though its record is not durable', async (stage) => {
    const { queue, put } = stage;
    const handler = defineHandler({ kind: 'work', queue, payload: AnyJson, run: () => {} });
    await put();
    const flushed = gate();
    const { worker } = await openWorker(stage, [handler], {}, (driver) =>
      firstReceipt(driver, 1, (write) => ({ visible: write().visible, durable: () => flushed.promise })),
    );
    await worker.start();
    expect(await allSettled(stage)).toMatchObject([{ status: 'complete', attempt: 1 }]);
    flushed.open();
  });

  for (const [title, batch, jobs] of [
    ['by itself', 1, 1],
    ['in a batch', 2, 3],
  ] as const) {
    for (const [waits, awaited] of [
      ['', true],
      [' and does not wait for', false],
    ] as const) {
      test(`what a handler ${title} writes${waits} comes after its run's record is durable`, async <
        Tx,
      >(stage: Stage<Tx>) => {
        const { queue, put, createNotes } = stage;
        const notes = await createNotes();
        const [requested, flush] = [gate(), gate()];
        const happened: string[] = [];
        const handler = defineHandler({
          kind: 'work',
          queue,
          payload: AnyJson,
          batch,
          async run({ job, tx }: RunContext<unknown, Tx>) {
            if (job.payload !== 'late') return;
            const writing = notes.write(tx, 'written').then(() => happened.push('written'));
            if (awaited) await writing;
          },
        });
        // A batch begins with one job, and then takes two.
        for (let job = 1; job <= jobs; job++) await put({ payload: job === jobs ? 'late' : 'soon' });
        const { worker } = await openWorker(stage, [handler], { concurrency: 1 }, (driver) =>
          firstReceipt(driver, batch, (write) => {
            const receipt = write();
            return {
              visible: receipt.visible,
              durable: async () => {
                requested.open();
                await flush.promise;
                await receipt.durable();
              },
            };
          }),
        );
        await worker.start();
        await within('the request', requested.promise);
        // Round trips of another connection: time for a write that does not wait.
        for (let trip = 0; trip < 3; trip++) await notes.all();
        happened.push('durable');
        flush.open();
        for (const job of await allSettled(stage))
          expect(job).toMatchObject({ status: 'complete', attempt: 1 });
        expect(happened).toEqual(['durable', 'written']);
        expect(await notes.all()).toEqual(['written']);
      });
    }
  }

  for (const [title, claim] of [
    ['a held run', 'hold'],
    ['a lease', 'lease'],
  ] as const) {
    for (const [waits, awaited] of [
      ['', true],
      [' and does not wait for', false],
    ] as const) {
      test(`${title} whose record cannot be made durable begins again, and what its handler writes${waits} is not done`, async <
        Tx,
      >(stage: Stage<Tx>) => {
        const { queue, reader, put, createNotes } = stage;
        const notes = await createNotes();
        const reasons: unknown[] = [];
        let runs = 0;
        const handler = defineHandler({
          kind: 'work',
          queue,
          payload: AnyJson,
          claim,
          retry: SOON,
          async run({ tx, signal }: RunContext<unknown, Tx>) {
            runs += 1;
            const writing = notes.write(tx, `run ${runs}`);
            if (runs > 1) return void (await writing);
            writing.catch(() => {});
            reasons.push(await aborted(signal));
            if (awaited) await writing;
          },
        });
        const job = await put();
        const { worker } = await openWorker(stage, [handler], { concurrency: 1 }, (driver) =>
          firstReceipt(driver, 1, (write) => ({
            visible: write().visible,
            durable: async () => {
              throw new DriverError('ConnectionLost', 'The connection was cut.');
            },
          })),
        );
        await worker.start();
        expect(await allSettled(stage)).toMatchObject([{ status: 'complete', attempt: 1, crashes: 0 }]);
        expect(reasons).toMatchObject([{ code: 'ROWLOCK_CLAIM_LOST' }]);
        expect((await reader.runs(job.publicId)).map(({ outcome }) => outcome)).toEqual([
          'release',
          'complete',
        ]);
        expect(await notes.all()).toEqual(['run 2']);
      });
    }
  }

  for (const [title, options, jobs] of [
    ['a held run', {}, 1],
    ['a lease', { claim: 'lease' }, 1],
    ['a batch', { batch: 2 }, 3],
  ] as const) {
    test(`${title} whose record is written, but the answer lost, has not begun: no crash is counted`, async (stage) => {
      const { queue, put, reader } = stage;
      const ran: string[] = [];
      const handler = defineHandler({
        kind: 'work',
        queue,
        payload: AnyJson,
        ...options,
        run: ({ job }) => void ran.push(job.publicId),
      });
      // A batch begins with one job, and then takes two.
      const rows = await Promise.all(Array.from({ length: jobs }, () => put({ maxAttempts: 1 })));
      const lost: string[] = [];
      const { worker } = await openWorker(stage, [handler], { concurrency: 1 }, (driver) =>
        firstReceipt(driver, Math.min(jobs, 2), (write) => ({
          visible: write().visible.then(() => {
            throw new DriverError('ConnectionLost', 'The cable was pulled.');
          }),
          durable: async () => {},
        })),
      );
      worker.on('lost', (run) => lost.push(...run.jobs));
      await worker.start();
      for (const job of await allSettled(stage))
        expect(job).toMatchObject({ status: 'complete', attempt: 1, crashes: 0 });
      await worker.stop();
      expect(ran.toSorted()).toEqual(rows.map(({ publicId }) => publicId).toSorted());
      expect(lost).toHaveLength(Math.min(jobs, 2));
      const outcomes = (await reader.runs(lost[0] ?? '')).map(({ outcome }) => outcome);
      expect(outcomes).toEqual(['release', 'complete']);
    });
  }
});

type Started = ReturnType<Driver['claims']['startRuns']>;

/** The driver, except that the receipt of its first record of so many jobs is another one. */
function firstReceipt<Tx>(
  driver: Driver<Tx>,
  jobs: number,
  other: (write: () => Started) => Started,
): Driver<Tx> {
  let isOver = false;
  return instead(driver, {
    claims: {
      startRuns(...call) {
        const [runs] = call;
        if (isOver || runs.flatMap((run) => run.jobs).length !== jobs)
          return driver.claims.startRuns(...call);
        isOver = true;
        return other(() => driver.claims.startRuns(...call));
      },
    },
  });
}
