import {
  complete,
  defineHandler,
  type FailedJob,
  fail,
  failedJob,
  type RunContext,
  retry,
} from '@rowlock/core';
import { expect } from 'vitest';
import { allSettled } from '../all-settled.js';
import { claimInstead } from '../claim-instead.js';
import type { JobRow } from '../driver-harness.js';
import { losesAnswer } from '../interleave/lost-answer.js';
import type { Stage } from '../stage.js';
import { theme } from '../theme.js';
import { aborted, gate, until, within } from '../until.js';
import { ANumber, AnyJson, openWorker, SOON, startWorker, type WorkerProcess } from '../worker-process.js';

/** The handler of what follows from failures, in the test's queue. It notes what it was given. */
function reporter({ queue }: { readonly queue: string }, seen: FailedJob[] = []) {
  return defineHandler({
    kind: 'report',
    queue,
    payload: failedJob,
    run: ({ job }) => void seen.push(job.payload),
  });
}

const reportsIn = (rows: readonly JobRow[]): readonly JobRow[] =>
  rows.filter(({ kind }) => kind === 'report');

export const failures = theme('failures', (test) => {
  test('each job that ends as an error is followed by a job, and no other end is', async (stage) => {
    const { queue, key, putMany, reader } = stage;
    const seen: FailedJob[] = [];
    const report = reporter(stage, seen);
    const handler = defineHandler({
      kind: 'work',
      queue,
      payload: ANumber,
      onInvalidPayload: 'fail',
      group: true,
      retry: SOON,
      onFailed: report,
      run: ({ jobs }) => {
        const outcomes = [complete(), fail(new Error('never')), retry(new TypeError('not now'))];
        return new Map(jobs.map(({ publicId, payload }) => [publicId, outcomes[payload] ?? complete()]));
      },
    });
    const metadata = { user: 'ada' };
    const jobs = await putMany(
      [0, 1, 2, 'three'].map((payload) => ({ key, payload, metadata, maxAttempts: 2 })),
    );
    await startWorker(stage, [handler, report]);
    await until('what follows has run', async () => seen.length === 3);
    const rows = await allSettled(stage);
    const of = (place: number): unknown => ({ publicId: jobs[place]?.publicId, queue, kind: 'work', key });
    expect(seen.toSorted((one, other) => one.error.code.localeCompare(other.error.code))).toMatchObject([
      { ...Object(of(1)), payload: 1, attempts: 1, error: { code: 'Error', message: 'never' } },
      { ...Object(of(3)), payload: 'three', attempts: 1, error: { code: 'ROWLOCK_INVALID_PAYLOAD' } },
      { ...Object(of(2)), payload: 2, attempts: 2, error: { code: 'TypeError', message: 'not now' } },
    ]);
    expect(reportsIn(rows)).toHaveLength(3);
    for (const row of reportsIn(rows)) expect(row).toMatchObject({ key, metadata, status: 'complete' });
    expect(await reader.jobs('default')).toEqual([]);
  });

  test('what a run writes, its failure and what follows are committed together', async <
    Tx,
  >(stage: Stage<Tx>) => {
    const { queue, key, put, reader, createNotes } = stage;
    const notes = await createNotes();
    const [reached, goOn] = [gate(), gate()];
    const handler = defineHandler({
      kind: 'work',
      queue,
      payload: AnyJson,
      onFailed: reporter(stage),
      async run({ tx }: RunContext<unknown, Tx>) {
        await notes.write(tx, 'written');
        return fail(new Error('never'));
      },
    });
    await put({ key });
    const { worker } = await openWorker(stage, [handler], { concurrency: 1 }, (driver) =>
      claimInstead(driver, (session) => ({
        async commit() {
          reached.open();
          await goOn.promise;
          await session.commit();
        },
      })),
    );
    await worker.start();
    await within('the commit', reached.promise);
    const [before, ...others] = await reader.jobs(queue);
    expect(before?.status).toMatch(/^(?:new|in-progress)$/);
    expect([others, await notes.all()]).toEqual([[], []]);
    goOn.open();
    const rows = await until('the job has failed', async () => {
      const now = await reader.jobs(queue);
      return now[0]?.status === 'error' && now;
    });
    // Nobody here serves the kind of what follows: it waits for a worker that does.
    expect(rows.map(({ kind, status }) => [kind, status])).toEqual([
      ['work', 'error'],
      ['report', 'new'],
    ]);
    expect(await notes.all()).toEqual(['written']);
  });

  test('a job whose runs have crashed too often is followed by a job', async <Tx>(stage: Stage<Tx>) => {
    const { queue, put } = stage;
    const report = reporter(stage);
    const over = gate();
    const handler = defineHandler({
      kind: 'work',
      queue,
      payload: AnyJson,
      onFailed: report,
      async run({ signal }) {
        await opened.process.kill();
        over.open();
        throw await aborted(signal);
      },
    });
    await put({ maxAttempts: 1 });
    const opened: WorkerProcess<Tx> = await openWorker(stage, [handler], { concurrency: 1 });
    await opened.worker.start();
    await within('a death', over.promise);
    await startWorker(stage, [handler, report]);
    await until('the job has failed', async () => (await stage.reader.jobs(queue))[0]?.status === 'error');
    const [failed, ...others] = await allSettled(stage);
    expect(failed).toMatchObject({ status: 'error', error: { code: 'ROWLOCK_CRASHED' } });
    expect(others).toMatchObject([
      { kind: 'report', status: 'complete', payload: { publicId: failed?.publicId, error: failed?.error } },
    ]);
  });

  test('a job that is redriven and fails again is followed by another one, and a failure of that by none', async (stage) => {
    const { queue, put } = stage;
    const report = defineHandler({
      kind: 'report',
      queue,
      payload: failedJob,
      attempts: 1,
      run: () => fail(new Error('not even that')),
    });
    const handler = defineHandler({
      kind: 'work',
      queue,
      payload: AnyJson,
      batch: stage.workersLease ? 1 : 10,
      onFailed: report,
      run: ({ job }) => (job.payload === 'fine' ? complete() : fail(new Error('never'))),
    });
    const job = await put();
    await put({ payload: 'fine' });
    const { rowlock } = await startWorker(stage, [handler, report]);
    const failed = (count: number) =>
      until(`${count} have followed`, async () => {
        const reports = reportsIn(await stage.reader.jobs(queue));
        return reports.length === count && reports.every(({ status }) => status === 'error');
      });
    await failed(1);
    await rowlock.redrive(job.publicId);
    await failed(2);
    const rows = await allSettled(stage);
    expect(rows.map(({ kind, status }) => [kind, status])).toEqual([
      ['work', 'error'],
      ['work', 'complete'],
      ['report', 'error'],
      ['report', 'error'],
    ]);
  });

  test('where a claim is lost at its commit, or the answer to that is, one job follows and no second one', async <
    Tx,
  >(stage: Stage<Tx>) => {
    const { queue, putMany } = stage;
    const handler = defineHandler({
      kind: 'work',
      queue,
      payload: AnyJson,
      retry: SOON,
      onFailed: reporter(stage),
      run: () => fail(new Error('never')),
    });
    let first = true;
    const jobs = await putMany([{}, {}]);
    const opened: WorkerProcess<Tx> = await openWorker(stage, [handler], { concurrency: 1 }, (driver) =>
      losesAnswer(
        claimInstead(driver, (session) => ({
          async commit() {
            if (first) {
              first = false;
              await opened.process.disconnect();
            }
            await session.commit();
          },
        })),
        'settlement',
      ),
    );
    await opened.worker.start();
    const rows = await until('all have failed', async () => {
      const now = await stage.reader.jobs(queue);
      return now.filter(({ status }) => status === 'error').length === jobs.length && now;
    });
    expect(reportsIn(rows).map(({ payload }) => Object(payload).publicId)).toHaveLength(2);
    expect(new Set(reportsIn(rows).map(({ payload }) => Object(payload).publicId))).toEqual(
      new Set(jobs.map(({ publicId }) => publicId)),
    );
  });
});
