import { type Driver, defineHandler } from '@rowlock/core';
import { expect } from 'vitest';
import { allSettled } from '../all-settled.js';
import { instead } from '../instead.js';
import { theme } from '../theme.js';
import { until } from '../until.js';
import { AnyJson, clientOf, openWorker, startWorker } from '../worker-process.js';

const PAST = { at: new Date(1_000) };
const HOUR = { inMs: 3_600_000 };
const ERROR = { code: 'E_OVER', message: 'Its time is over.' };
const EXPIRED = { status: 'cancelled', attempt: 0, error: { code: 'ROWLOCK_EXPIRED' } };

/** The driver, except that only claims look whether the time of a job is over. */
function onlyAtClaims<Tx>(driver: Driver<Tx>): Driver<Tx> {
  const over: Driver['expiry']['over'] = async (look) => ('of' in look ? driver.expiry.over(look) : []);
  return instead(driver, { expiry: { over } });
}

export const expiry = theme('expiry', (test) => {
  test.once('jobs are over at their time, and each is cancelled once', async (stage) => {
    const { driver, putMany, row, hold } = stage;
    const [past, later, never, locked] = await putMany([
      { expires: PAST },
      { expires: HOUR },
      {},
      { expires: PAST, kind: 'other' },
    ]);
    const of = [past, later, never, locked].map((job) => job?.publicId ?? '');
    const isOver = async () => new Set(await driver.expiry.over({ of }));
    expect(await isOver()).toEqual(new Set([past?.publicId, locked?.publicId]));
    const all = await driver.expiry.over({ except: [locked?.publicId ?? ''] });
    expect(all).toContain(past?.publicId);
    expect(all).not.toContain(locked?.publicId);
    expect(
      (await driver.claims.survey({ queues: [stage.queue], kinds: ['work'] })).nextExpiryMs,
    ).toBeLessThan(0);

    const both = [past?.publicId ?? '', locked?.publicId ?? ''];
    const { held } = await hold({ kinds: ['other'] });
    expect(await driver.expiry.cancel(both, ERROR, 'here')).toEqual([past?.publicId]);
    expect(await row({ publicId: past?.publicId ?? '' })).toMatchObject({
      status: 'cancelled',
      error: ERROR,
      finishedBy: 'here',
      finishedAt: expect.any(Date),
    });
    await held.rollback();
    expect(await isOver()).toEqual(new Set([locked?.publicId]));
    expect(await driver.expiry.cancel(both, ERROR, 'here')).toEqual([locked?.publicId]);
    expect(await isOver()).toEqual(new Set());
    expect(await driver.expiry.over({ of: [] })).toEqual([]);
  });

  test.once(
    "a time is written with its job, in a caller's transaction too, and not for a duplicate",
    async (stage) => {
      const { driver, newJob, caller, key } = stage;
      const expiring = newJob({ expires: PAST, unique: { key, scope: 'outstanding' } });
      for (const commits of [false, true]) {
        const application = await caller();
        const [job] = await driver.join(application.tx).jobs.enqueue([expiring]);
        await (commits ? application.commit() : application.rollback());
        const of = [job?.publicId ?? ''];
        expect(await driver.expiry.over({ of })).toEqual(commits ? of : []);
      }
      expect(await driver.jobs.enqueue([expiring])).toMatchObject([{ outcome: 'duplicate' }]);
    },
  );

  test('a claim runs no job whose time is over, and the others of its key', async (stage) => {
    const { queue, key, reader } = stage;
    const seen: unknown[] = [];
    const handler = defineHandler({
      kind: 'work',
      queue,
      payload: AnyJson,
      group: true,
      run: ({ jobs }) => void seen.push(...jobs.map(({ payload }) => payload)),
    });
    const client = clientOf(stage, [handler]);
    const jobs = await client.enqueueMany(handler, [
      { key, payload: 'over', expires: PAST.at, metadata: { user: 'ada' } },
      { key, payload: 'in time', expires: '1h' },
      { key, payload: 'always' },
    ]);
    const views = await Promise.all(jobs.map(({ publicId }) => client.find(publicId)));
    expect(views.map((job) => job?.expiresAt && Number(job.expiresAt) - Number(job.createdAt))).toEqual([
      PAST.at.getTime() - Number(views[0]?.createdAt),
      HOUR.inMs,
      null,
    ]);
    const { worker } = await openWorker(stage, [handler], {}, onlyAtClaims);
    await worker.start();
    const rows = await allSettled(stage);
    expect(seen).toEqual(['in time', 'always']);
    expect(rows[0]).toMatchObject(EXPIRED);
    expect(rows.map(({ status }) => status)).toEqual(['cancelled', 'complete', 'complete']);
    const runs = await reader.runs(jobs[0]?.publicId ?? '');
    expect(runs.map(({ outcome }) => outcome)).toEqual(['abandon']);
  });

  test('what nobody claims is cancelled too, frees its unique key, and lets go who waits for it', async (stage) => {
    const { queue, key, row } = stage;
    const handler = defineHandler({ kind: 'work', queue, payload: AnyJson, run: () => {} });
    const unserved = { kind: 'unserved', queue, payload: AnyJson };
    const client = clientOf(stage, [handler]);
    const over = await client.enqueue(unserved, { payload: 1, unique: key, expires: '20ms' });
    const delayed = await client.enqueue(handler, { payload: 2, delay: '1h', expires: '2h' });
    const next = await client.enqueue(handler, { payload: 3, after: [over.publicId] });
    await startWorker(stage, [handler]);
    await until('the one that waits has run', async () => (await row(next)).status === 'complete');
    expect(await row(over)).toMatchObject(EXPIRED);
    expect(await stage.reader.runs(over.publicId)).toEqual([]);
    expect(await row(delayed)).toMatchObject({ status: 'new' });
    expect(await client.enqueue(unserved, { payload: 4, unique: key })).toMatchObject({
      outcome: 'enqueued',
    });
  });

  test('an operator may redrive it, and then it runs', async (stage) => {
    const { queue, row } = stage;
    const handler = defineHandler({ kind: 'work', queue, payload: AnyJson, run: () => {} });
    const client = clientOf(stage, [handler]);
    const job = await client.enqueue(handler, { payload: 1, expires: PAST.at });
    await startWorker(stage, [handler]);
    await until('it is cancelled', async () => (await row(job)).status === 'cancelled');
    await client.redrive(job.publicId);
    await until('it has run', async () => (await row(job)).status === 'complete');
    expect(await client.find(job.publicId)).toMatchObject({ expiresAt: null });
  });
});
