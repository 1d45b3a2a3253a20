import { defineHandler } from '@rowlock/core';
import { NEVER } from '@rowlock/core/driver';
import { expect } from 'vitest';
import { allSettled } from '../all-settled.js';
import { moveOne } from '../move-one.js';
import { settlement } from '../stage.js';
import { theme } from '../theme.js';
import { until, within } from '../until.js';
import { AnyJson, clientOf, openWorker, startWorker } from '../worker-process.js';

const UNKNOWN = '11111111-1111-4111-8111-111111111111';
const START = { beyond: '00000000-0000-0000-0000-000000000000' } as const;

export const followers = theme('followers', (test) => {
  test('a job waits until all that it names are settled, in whatever state', async (stage) => {
    const { driver, queue, put, claim, claimSession, serve, row } = stage;
    const first = await put({ kind: 'first' });
    const second = await put({ kind: 'second' });
    const third = await put({ kind: 'third' });
    const ids = [first, second, third].map(({ publicId }) => publicId);
    const waiting = await put({ after: ids, payload: 'last' });
    expect(waiting).toMatchObject({ status: 'new', availableAt: NEVER });
    expect(await driver.claims.survey({ queues: [queue], kinds: [] })).toMatchObject({ followers: true });
    for (const [place, kind] of ['first', 'second', 'third'].entries()) {
      expect(await claim(claimSession())).toBeUndefined();
      expect(await driver.followers.admit({ after: ids })).toEqual({
        queues: [],
        last: null,
        skipped: false,
        refused: [],
      });
      if (kind === 'third')
        expect(await moveOne(driver, 'cancel', third.publicId)).toEqual({ outcome: 'moved' });
      else await serve({ event: place === 0 ? 'complete' : 'fail' }, { kinds: [kind] });
    }
    expect(await driver.followers.admit({ after: [second.publicId] })).toEqual({
      queues: [queue],
      last: null,
      skipped: false,
      refused: [],
    });
    expect((await row(waiting)).availableAt.getTime()).toBeLessThan(NEVER.getTime());
    expect(await serve()).toMatchObject({ publicId: waiting.publicId, payload: 'last' });
  });

  test('a job whose jobs are all settled does not wait', async ({ put, serve }) => {
    const first = await put();
    await serve();
    const { publicId } = await put({ after: [first.publicId] });
    expect((await serve()).publicId).toBe(publicId);
  });

  test('a job that names one that is not there is refused, and nothing is inserted', async (stage) => {
    const { driver, queue, newJob, put, reader } = stage;
    const first = await put();
    const jobs = [newJob(), newJob({ after: [first.publicId, UNKNOWN] })];
    await expect(driver.jobs.enqueue(jobs)).rejects.toMatchObject({ code: 'ROWLOCK_JOB_NOT_FOUND' });
    expect(await reader.jobs(queue)).toEqual([first]);
    expect(await driver.followers.admit({ after: [first.publicId] })).toEqual({
      queues: [],
      last: null,
      skipped: false,
      refused: [],
    });
  });

  test('a job keeps its own time, and has it again when it waits no more', async (stage) => {
    const { driver, put, serve, row, claim, claimSession, queue } = stage;
    const first = await put();
    const at = new Date('2100-01-02T03:04:05Z');
    const after = [first.publicId];
    const [later, delayed] = [
      await put({ after, available: { at } }),
      await put({ after, available: { inMs: 3_600_000 } }),
    ];
    await serve();
    expect(await driver.followers.admit({ after })).toEqual({
      queues: [queue],
      last: null,
      skipped: false,
      refused: [],
    });
    expect((await row(later)).availableAt).toEqual(at);
    const left = (await row(delayed)).availableAt.getTime() - delayed.createdAt.getTime();
    expect(Math.abs(left - 3_600_000)).toBeLessThan(5_000);
    expect(await claim(claimSession())).toBeUndefined();
  });

  test('a job waits for one that is held, without waiting for its lock', async (stage) => {
    const { driver, put, hold, claim, claimSession, queue } = stage;
    const first = await put();
    const { held, job } = await hold();
    const { publicId } = await within('the enqueue', put({ after: [first.publicId] }));
    expect(await within('the look', driver.followers.admit({ after: [first.publicId] }))).toEqual({
      queues: [],
      last: null,
      skipped: false,
      refused: [],
    });
    await held.settle([settlement(job)]);
    expect(await driver.followers.admit({ after: [first.publicId] })).toEqual({
      queues: [],
      last: null,
      skipped: false,
      refused: [],
    });
    await held.commit();
    expect(await driver.followers.admit({ after: [first.publicId] })).toEqual({
      queues: [queue],
      last: null,
      skipped: false,
      refused: [],
    });
    expect(await claim(claimSession())).toMatchObject({ publicId });
  });

  test('a job that goes back to be tried again is outstanding', async ({ driver, put, serve }) => {
    const first = await put();
    await put({ after: [first.publicId] });
    await serve({ event: 'retry', delayMs: 3_600_000 });
    expect(await driver.followers.admit({ after: [first.publicId] })).toEqual({
      queues: [],
      last: null,
      skipped: false,
      refused: [],
    });
  });

  test('a job that was pruned meanwhile is not waited for', async ({ driver, put, serve, queue }) => {
    const first = await put();
    await put({ after: [first.publicId] });
    await serve();
    expect(await driver.history.prune([first.id], 0)).toBe(1);
    expect((await driver.followers.admit(START)).queues).toContain(queue);
  });

  test('jobs of an open transaction wait for jobs of the same one, and are there with its commit', async (stage) => {
    const { driver, newJob, caller, serve, claim, claimSession, reader, queue } = stage;
    const application = await caller();
    const store = driver.join(application.tx);
    const [first] = await store.jobs.enqueue([newJob()]);
    const after = [first?.publicId ?? ''];
    const [last] = await store.jobs.enqueue([newJob({ after })], [{ queue }]);
    expect(await reader.jobs(queue)).toEqual([]);
    await application.commit();
    expect((await serve()).publicId).toBe(first?.publicId);
    expect(await claim(claimSession())).toBeUndefined();
    expect(await driver.followers.admit({ after })).toMatchObject({ queues: [queue] });
    expect(await claim(claimSession())).toMatchObject({ publicId: last?.publicId });
  });

  test('a job that is settled while the waiting one is enqueued lets it go at the next look', async (stage) => {
    const { driver, newJob, caller, put, serve, claim, claimSession, queue } = stage;
    const first = await put();
    const after = [first.publicId];
    const application = await caller();
    const [last] = await driver.join(application.tx).jobs.enqueue([newJob({ after })]);
    await serve();
    expect(await driver.followers.admit({ after })).toEqual({
      queues: [],
      last: null,
      skipped: false,
      refused: [],
    });
    await application.commit();
    expect(await driver.followers.admit({ after })).toEqual({
      queues: [queue],
      last: null,
      skipped: false,
      refused: [],
    });
    expect(await claim(claimSession())).toMatchObject({ publicId: last?.publicId });
  });

  test('two looks at once let a job go once', async ({ driver, put, serve, queue }) => {
    const first = await put();
    const second = await put();
    await put({ after: [first.publicId, second.publicId] });
    await serve();
    await serve();
    const looks = [first, second].map(({ publicId }) => driver.followers.admit({ after: [publicId] }));
    const admitted = (await Promise.all(looks)).flatMap(({ queues }) => queues);
    expect(admitted).toEqual([queue]);
  });

  test('a waiting job that another transaction has is skipped, and another look lets it go', async (stage) => {
    const { driver, put, serve, caller, queue } = stage;
    const first = await put();
    const waiting = await put({ after: [first.publicId] });
    const application = await caller();
    const update = { column: 'payload', operations: [], from: ['new'], mostBytes: 1_000_000 } as const;
    await driver.join(application.tx).jobs.update(waiting.publicId, { ...update, values: { priority: 1 } });
    await serve();
    const after = [first.publicId];
    expect(await driver.followers.admit({ after })).toEqual({
      queues: [],
      last: null,
      skipped: true,
      refused: [],
    });
    await application.rollback();
    expect(await driver.followers.admit({ after })).toEqual({
      queues: [queue],
      last: null,
      skipped: false,
      refused: [],
    });
  });

  test('a waiting job that is cancelled is not touched again', async ({ driver, put, serve, row, queue }) => {
    const first = await put();
    const waiting = await put({ after: [first.publicId] });
    expect(await moveOne(driver, 'cancel', waiting.publicId)).toEqual({ outcome: 'moved' });
    await serve();
    expect(await driver.followers.admit({ after: [first.publicId] })).toEqual({
      queues: [],
      last: null,
      skipped: false,
      refused: [],
    });
    expect(await row(waiting)).toMatchObject({ status: 'cancelled', availableAt: NEVER });
    expect((await driver.followers.admit(START)).queues).not.toContain(queue);
  });

  test('a waiting job that is given another time waits no more', async ({ driver, put, serve, row }) => {
    const first = await put({ available: { inMs: 3_600_000 } });
    const waiting = await put({ after: [first.publicId] });
    const update = { column: 'payload', operations: [], from: ['new'], mostBytes: 1_000_000 } as const;
    await driver.jobs.update(waiting.publicId, { ...update, values: { available: { inMs: 0 } } });
    expect((await serve()).publicId).toBe(waiting.publicId);
    await moveOne(driver, 'cancel', first.publicId);
    expect(await driver.followers.admit({ after: [first.publicId] })).toEqual({
      queues: [],
      last: null,
      skipped: false,
      refused: [],
    });
    expect(await row(waiting)).toMatchObject({ status: 'complete' });
  });

  test('a duplicate waits for nothing, and the job that is there does not either', async (stage) => {
    const { driver, put, newJob, key, serve } = stage;
    const first = await put({ available: { inMs: 3_600_000 } });
    const unique = { key, scope: 'outstanding' } as const;
    const there = await put({ unique });
    const again = await driver.jobs.enqueue([newJob({ unique, after: [first.publicId] })]);
    expect(again).toEqual([{ outcome: 'duplicate', publicId: there.publicId }]);
    expect((await serve()).publicId).toBe(there.publicId);
    await moveOne(driver, 'cancel', first.publicId);
    expect(await driver.followers.admit({ after: [first.publicId] })).toEqual({
      queues: [],
      last: null,
      skipped: false,
      refused: [],
    });
    expect((await driver.followers.admit(START)).queues).not.toContain(stage.queue);
  });

  test('a worker runs a job behind the last of those that it waits for', async (stage) => {
    const { queue, reader } = stage;
    const seen: unknown[] = [];
    const handler = defineHandler({
      kind: 'work',
      queue,
      payload: AnyJson,
      run: ({ job }) => void seen.push(job.payload),
    });
    const client = clientOf(stage, [handler]);
    await startWorker(stage, [handler]);
    const parts = await client.enqueueMany(
      handler,
      [0, 1, 2, 3].map((payload) => ({ payload })),
    );
    const after = parts.map(({ publicId }) => publicId);
    await client.enqueue(handler, { payload: 'all', after });
    expect(await allSettled(stage)).toHaveLength(5);
    expect(seen.at(-1)).toBe('all');
    expect(await reader.jobs(queue)).toMatchObject(Array.from({ length: 5 }, () => ({ status: 'complete' })));
  });

  test('many groups of jobs and their last ones, enqueued while two workers settle them, all end in their order', async (stage) => {
    const { queue } = stage;
    const ends: string[] = [];
    const handler = defineHandler({
      kind: 'work',
      queue,
      payload: AnyJson,
      run: ({ job }) => void ends.push(String(job.payload)),
    });
    const client = clientOf(stage, [handler]);
    for (const name of ['a', 'b']) await startWorker(stage, [handler], { name, concurrency: 3 });
    const groups = Array.from({ length: 20 }, async (_, group) => {
      const parts = await client.enqueueMany(handler, [{ payload: `${group}` }, { payload: `${group}` }]);
      await client.enqueue(handler, {
        payload: `last ${group}`,
        after: parts.map(({ publicId }) => publicId),
      });
    });
    await Promise.all(groups);
    expect(await allSettled(stage)).toHaveLength(60);
    for (let group = 0; group < 20; group++)
      expect(ends.filter((end) => end === `${group}` || end === `last ${group}`)).toEqual([
        `${group}`,
        `${group}`,
        `last ${group}`,
      ]);
  });

  test('a worker that settles a job and dies leaves the look to the polls of others', async (stage) => {
    const { queue, put, serve, row } = stage;
    const first = await put();
    const waiting = await put({ after: [first.publicId] });
    await serve();
    const handler = defineHandler({ kind: 'work', queue, payload: AnyJson, run: () => {} });
    await startWorker(stage, [handler], { pollInterval: '20ms' });
    expect(await allSettled(stage)).toHaveLength(2);
    expect(await row(waiting)).toMatchObject({ status: 'complete', attempt: 1 });
  });

  test('a client that cancels the last job lets the waiting one go', async (stage) => {
    const { queue } = stage;
    const handler = defineHandler({ kind: 'work', queue, payload: AnyJson, run: () => {} });
    const client = clientOf(stage, [handler]);
    const { publicId } = await client.enqueue(handler, { payload: 1, delay: '1h' });
    const last = await client.enqueue(handler, { payload: 2, after: [publicId] });
    const { worker } = await openWorker(stage, [handler]);
    const idle = new Promise<void>((resolve) => worker.on('idle', resolve));
    await worker.start();
    await within('the worker is idle', idle);
    expect(await client.cancel(publicId)).toBe('cancelled');
    await until('the job has run', async () => (await stage.row(last)).status === 'complete');
  });
});
