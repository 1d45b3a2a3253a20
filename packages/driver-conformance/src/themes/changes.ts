import { randomUUID } from 'node:crypto';
import { defineHandler, type JobChanges, set } from '@rowlock/core';
import { limitsText } from '@rowlock/core/driver';
import { expect } from 'vitest';
import { moveOne } from '../move-one.js';
import { settlement } from '../stage.js';
import { theme } from '../theme.js';
import { gate, within } from '../until.js';
import { AnyJson, clientOf, startWorker } from '../worker-process.js';

const HOUR_MS = 3_600_000;

export const changes = theme('changes', (test) => {
  test.once('each of what an update names is changed, and nothing else', async (stage) => {
    const { queue, reader, put, row } = stage;
    const client = clientOf(stage, []);
    const limits = limitsText([{ name: 'old', max: 3, starts: 60, perMs: 60_000, burst: 1 }]);
    const job = await put({ payload: { a: 1 }, limits });
    const later = new Date((await reader.now()).getTime() + HOUR_MS);
    const sized = limitsText([{ name: 'new', max: 2 }]);
    const rated = limitsText([{ name: 'new', starts: 60, perMs: 60_000, burst: 1 }]);
    let before = await row(job);
    const steps: readonly (readonly [given: JobChanges, becomes: object])[] = [
      [{ priority: -7 }, { priority: -7 }],
      [{ queue: `${queue}-other` }, { queue: `${queue}-other` }],
      [{ queue }, { queue }],
      [{ payload: ['whole'] }, { payload: ['whole'] }],
      [{ limit: { name: 'new', max: 2 } }, { limits: sized }],
      [{ limit: null }, { limits: '' }],
      [{ limit: { name: 'new', starts: 60, per: '1m' } }, { limits: rated }],
      [{ runAt: later }, { availableAt: later }],
      [
        { payload: 'all', priority: 3, runAt: new Date(0), limit: [{ name: 'new', max: 2 }] },
        { payload: 'all', priority: 3, availableAt: new Date(0), limits: sized },
      ],
    ];
    for (const [given, becomes] of steps) {
      expect(await client.update(job.publicId, given)).toBe('updated');
      expect(await row(job), JSON.stringify(given)).toEqual({ ...before, ...becomes });
      before = await row(job);
    }
    expect(await client.update(job.publicId, { delay: '1h' })).toBe('updated');
    const { availableAt } = await row(job);
    expect(Math.abs(availableAt.getTime() - later.getTime())).toBeLessThan(HOUR_MS / 2);
  });

  test('a job that is put off is not claimed, and one that is called in is, also by an idle worker', async (stage) => {
    const { queue, put, claimSession, claim, take } = stage;
    const client = clientOf(stage, []);
    const job = await put();
    await client.update(job.publicId, { delay: '1h' });
    expect(await claim(claimSession())).toBeUndefined();
    await client.update(job.publicId, { delay: 0 });
    const held = claimSession();
    expect((await take(held)).id).toBe(job.id);
    await held.settle([settlement(job)]);
    await held.commit();

    const ran = gate();
    const handler = defineHandler({ kind: 'work', queue, payload: AnyJson, run: () => ran.open() });
    const idle = gate();
    const { worker } = await startWorker(stage, [handler]);
    worker.on('idle', () => idle.open());
    const next = await put({ available: { inMs: HOUR_MS } });
    await within('the worker is idle', idle.promise);
    await client.update(next.publicId, { runAt: new Date(0) });
    await within('the run', ran.promise);
  });

  test.once('an earlier place in the queue is taken by the next claim', async (stage) => {
    const { putMany, claimSession, take } = stage;
    const [, second] = await putMany([{}, {}]);
    await clientOf(stage, []).update(second?.publicId ?? '', { priority: -1 });
    expect((await take(claimSession())).id).toBe(second?.id);
  });

  test('a job that a worker holds is running, and stays as it is', async (stage) => {
    const { queue, key, putMany, row } = stage;
    const client = clientOf(stage, []);
    const running = gate();
    const finish = gate();
    const handler = defineHandler({
      kind: 'work',
      queue,
      payload: AnyJson,
      async run() {
        running.open();
        await finish.promise;
      },
    });
    const [job] = await putMany([{ key, limits: '{"a":1}' }]);
    if (job === undefined) throw new Error('There is a job.');
    await startWorker(stage, [handler]);
    await within('the run', running.promise);
    const before = await row(job);
    for (const change of [{ priority: 9 }, { payload: 1 }, { runAt: new Date(0) }, { limit: null }])
      expect(await within('the update', client.update(job.publicId, change))).toBe('running');
    expect(await row(job)).toEqual(before);
    finish.open();
  });

  test.once('an ended job, one that is not there, and a change that is none are refused', async (stage) => {
    const { put, driver } = stage;
    const client = clientOf(stage, []);
    const job = await put();
    const invalid = { code: 'ROWLOCK_INVALID_INPUT' };
    for (const change of [
      {},
      { priority: 40_000 },
      { runAt: new Date(Number.NaN) },
      { runAt: new Date(0), delay: 1 },
      { limit: { name: '', max: 1 } },
      { payload: 'x'.repeat(1_100_000) },
    ])
      await expect(client.update(job.publicId, change)).rejects.toMatchObject(invalid);
    await moveOne(driver, 'cancel', job.publicId);
    const ended = { code: 'ROWLOCK_ILLEGAL_TRANSITION', message: expect.stringContaining('cancelled') };
    await expect(client.update(job.publicId, { priority: 1 })).rejects.toMatchObject(ended);
    const missing = { code: 'ROWLOCK_JOB_NOT_FOUND' };
    await expect(client.update(randomUUID(), { priority: 1 })).rejects.toMatchObject(missing);
    await expect(client.update(randomUUID(), { limit: null })).rejects.toMatchObject(missing);
  });

  test.once(
    'a job that a transaction has is an error that may pass, and an ended one is not',
    async (stage) => {
      const { driver, queue, put, caller } = stage;
      const client = clientOf(stage, []);
      const [waiting, ended] = [await put(), await put()];
      await moveOne(driver, 'cancel', ended.publicId);
      const [holder, application] = [await caller(), await caller()];
      for (const { publicId } of [waiting, ended])
        await client.jobs.updateMetadata(publicId, [set('held', true)], { tx: holder.tx });
      const call = { tx: application.tx };
      const mayPass = { code: 'LockTimeout', isRetryable: true };
      const change = () => client.update(waiting.publicId, { priority: 1 }, call);
      const payload = () => client.jobs.updatePayload(waiting.publicId, [set([], 1)], call);
      const redrive = () => client.redrive(ended.publicId);
      for (const locked of [change, payload, redrive]) await expect(locked()).rejects.toMatchObject(mayPass);
      expect(await client.jobs.redriveMany({ queue, status: 'cancelled' })).toMatchObject({
        skipped: 1,
      });
      await holder.commit();
      expect(await change()).toBe('updated');
      await application.commit();
      await redrive();
      await expect(redrive()).rejects.toMatchObject({ code: 'ROWLOCK_ILLEGAL_TRANSITION' });
    },
  );

  test.once(
    "a change in a caller's transaction is there after its commit, and not after a rollback",
    async (stage) => {
      const { put, row, caller } = stage;
      const client = clientOf(stage, []);
      const job = await put();
      for (const commits of [false, true]) {
        const application = await caller();
        expect(await client.update(job.publicId, { priority: 5, limit: null }, { tx: application.tx })).toBe(
          'updated',
        );
        expect((await row(job)).priority).toBe(0);
        await (commits ? application.commit() : application.rollback());
        expect((await row(job)).priority).toBe(commits ? 5 : 0);
      }
    },
  );
});
