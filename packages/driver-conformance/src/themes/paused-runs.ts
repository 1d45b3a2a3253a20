import { defineHandler, pause, type Rowlock, type RunContext, type Worker } from '@rowlock/core';
import { expect } from 'vitest';
import { allSettled } from '../all-settled.js';
import type { Stage } from '../stage.js';
import { theme } from '../theme.js';
import { gate, until, within } from '../until.js';
import { AnyJson, clientOf, openWorker, startWorker } from '../worker-process.js';

/** A handler of the test's queue that logs the payloads of its runs. */
function logging<Tx>({ queue }: Pick<Stage<Tx>, 'queue'>, log: unknown[], kind = 'work') {
  const run = ({ job }: RunContext<unknown>): void => void log.push(job.payload);
  return defineHandler({ kind, queue, payload: AnyJson, run });
}

/** Pauses as an application does. */
async function pauseBy<Tx>(
  { defer }: Pick<Stage<Tx>, 'defer'>,
  client: Rowlock<Tx>,
  work: Parameters<Rowlock<Tx>['jobs']['pause']>[0],
  ends?: Date,
): Promise<void> {
  defer(() => client.jobs.resume(work));
  await client.as('ann').jobs.pause(work, { reason: 'a reason', ...(ends && { until: ends }) });
}

/** Lets the worker look. Resolves when it is idle. */
function idle<Tx>(worker: Worker<Tx>): Promise<void> {
  const rests = new Promise<void>((resolve) => worker.on('idle', resolve));
  worker.wake();
  return within('the worker is idle', rests);
}

export const pausedRuns = theme('paused runs', (test) => {
  for (const scope of ['queue', 'kind', 'limit', 'all'] as const)
    test(`workers leave a pause of ${scope} alone, and run its jobs as soon as it is resumed`, async (stage) => {
      const { queue, key } = stage;
      const ran: unknown[] = [];
      const kind = `kind of ${key}`;
      const handler = { ...logging(stage, ran, kind), limit: { name: key, max: 2 } };
      const client = clientOf(stage, [handler]);
      const work =
        scope === 'all' ? scope : { queue: { queue }, kind: { kind }, limit: { limit: key } }[scope];
      const { worker } = await startWorker(stage, [handler]);
      await pauseBy(stage, client, work);
      const { publicId } = await client.enqueue(handler, { payload: 'paused' });
      const before = await stage.row({ publicId });
      await idle(worker);
      expect(await stage.row({ publicId })).toEqual(before);
      expect(await stage.reader.runs(publicId)).toEqual([]);
      await client.jobs.resume(work);
      expect(await allSettled(stage)).toMatchObject([{ status: 'complete', attempt: 1 }]);
      expect(ran).toEqual(['paused']);
    });

  test('work is resumed at its time, without a call and without polling', async (stage) => {
    const { queue, reader } = stage;
    const ran: unknown[] = [];
    const handler = logging(stage, ran);
    const client = clientOf(stage, [handler]);
    await startWorker(stage, [handler]);
    const ends = new Date((await reader.now()).getTime() + 500);
    await pauseBy(stage, client, { queue }, ends);
    const { publicId } = await client.enqueue(handler, { payload: 1 });
    expect(await allSettled(stage)).toMatchObject([{ status: 'complete' }]);
    const [run] = await reader.runs(publicId);
    expect(run?.startedAt.getTime()).toBeGreaterThanOrEqual(ends.getTime());
  });

  for (const scope of ['kind', 'limit', 'starts'] as const)
    test(`a handler pauses its ${scope === 'starts' ? 'limit of starts' : scope} for all, and its attempt does not count`, async (stage) => {
      const { queue, key, defer, reader } = stage;
      const kind = `kind of ${key}`;
      const ran: unknown[] = [];
      const ends = new Date((await reader.now()).getTime() + 3_600_000);
      const handler = defineHandler({
        kind,
        queue,
        payload: AnyJson,
        ...(scope === 'limit' && { limit: { name: key, max: 1 } }),
        ...(scope === 'starts' && { limit: { name: key, starts: 1_000, per: '1s', burst: 5 } }),
        run: ({ job }) => {
          ran.push(job.payload);
          return ran.length === 1 ? pause({ until: ends, reason: 'a 429' }) : undefined;
        },
      });
      const work = scope === 'kind' ? { kind } : { limit: key };
      const client = clientOf(stage, [handler]);
      defer(() => client.jobs.resume(work));
      const { publicId } = await client.enqueue(handler, { payload: 1 });
      const other = await client.enqueue(handler, { payload: 2 });
      const { worker } = await openWorker(stage, [handler], { concurrency: 1 });
      const settled = new Promise<void>((resolve) => worker.on('settled', () => resolve()));
      await worker.start();
      await within('the handler has paused', settled);
      const pauses = (await client.jobs.pauses()).filter(({ name }) => name === key || name === kind);
      expect(pauses).toMatchObject([{ reason: 'a 429', until: ends }]);
      await idle(worker);
      expect(await stage.row({ publicId })).toMatchObject({ status: 'new', attempt: 0 });
      expect(await stage.row(other)).toMatchObject({ status: 'new', attempt: 0 });
      expect(ran).toEqual([1]);
      await client.jobs.resume(work);
      await until('the other has run', async () => (await stage.row(other)).status === 'complete');
      expect(ran).toEqual([1, 2]);
    });

  test.once('a handler does not shorten a pause that ends later or never', async (stage) => {
    const { driver, key, defer } = stage;
    const target = { scope: 'limit', name: key } as const;
    defer(() => driver.admission.resume(target));
    const now = (await stage.reader.now()).getTime();
    const [sooner, later] = [new Date(now + 1_800_000), new Date(now + 3_600_000)];
    const set = (until: Date | null, by: string) =>
      driver.admission.pause({ ...target, until, reason: by, by }, 'extend');
    const found = async () => (await driver.admission.pauses()).filter(({ name }) => name === key);
    await set(sooner, 'a');
    await set(later, 'b');
    expect(await found()).toMatchObject([{ until: later, by: 'b', reason: 'b' }]);
    await set(sooner, 'c');
    expect(await found()).toMatchObject([{ until: later, by: 'b', reason: 'b' }]);
    await driver.admission.pause({ ...target, until: null, reason: null, by: 'd' });
    await set(later, 'e');
    expect(await found()).toMatchObject([{ until: null, by: 'd' }]);
  });

  test('a running job goes on, and the next one waits', async (stage) => {
    const { queue } = stage;
    const [running, finish] = [gate(), gate()];
    const handler = defineHandler({
      kind: 'work',
      queue,
      payload: AnyJson,
      run: async () => {
        running.open();
        await finish.promise;
      },
    });
    const client = clientOf(stage, [handler]);
    const { worker } = await startWorker(stage, [handler], { concurrency: 1 });
    const first = await client.enqueue(handler, { payload: 1 });
    const second = await client.enqueue(handler, { payload: 2 });
    await within('the first job runs', running.promise);
    await pauseBy(stage, client, { queue });
    finish.open();
    await until('the first job is done', async () => (await stage.row(first)).status === 'complete');
    await idle(worker);
    expect(await stage.row(second)).toMatchObject({ status: 'new' });
    expect(await stage.reader.runs(second.publicId)).toEqual([]);
    await client.jobs.resume({ queue });
    expect(await allSettled(stage)).toHaveLength(2);
  });

  test('a job of a paused kind keeps its turn in its key', async (stage) => {
    const { key } = stage;
    const order: unknown[] = [];
    const [first, other] = [logging(stage, order, 'first'), logging(stage, order, 'other')];
    const client = clientOf(stage, [first, other]);
    await pauseBy(stage, client, { kind: 'first' });
    await client.enqueue(first, { payload: 'paused', key });
    await client.enqueue(other, { payload: 'behind it', key });
    const beside = await client.enqueue(other, { payload: 'beside' });
    await startWorker(stage, [first, other]);
    await until('the job beside is done', async () => (await stage.row(beside)).status === 'complete');
    expect(order).toEqual(['beside']);
    await client.jobs.resume({ kind: 'first' });
    await allSettled(stage);
    expect(order).toEqual(['beside', 'paused', 'behind it']);
  });

  test('a paused queue stops no other queue', async (stage) => {
    const ran: unknown[] = [];
    const paused = logging(stage, ran);
    const other = logging({ queue: `${stage.queue} 2` }, ran);
    const client = clientOf(stage, [paused, { ...other, kind: 'other' }]);
    await pauseBy(stage, client, { queue: stage.queue });
    await client.enqueueMany(paused, [{ payload: 1 }, { payload: 2 }]);
    const { publicId } = await client.enqueue({ ...other, kind: 'other' }, { payload: 'other' });
    await startWorker(stage, [paused, { ...other, kind: 'other' }]);
    await until('the other job is done', async () => (await stage.row({ publicId })).status === 'complete');
    expect(ran).toEqual(['other']);
  });

  test.once('a client lists its pauses, and refuses what is no work', async (stage) => {
    const client = clientOf(stage, []);
    const { key } = stage;
    await pauseBy(stage, client, { kind: key });
    expect(await client.jobs.pauses()).toMatchObject([
      { scope: 'kind', name: key, until: null, reason: 'a reason', by: 'ann', pausedAt: expect.any(Date) },
    ]);
    const { tx, commit } = await stage.caller();
    await client.jobs.resume({ kind: key }, { tx });
    expect(await client.jobs.pauses({ tx })).toEqual([]);
    expect(await client.jobs.pauses()).toHaveLength(1);
    await commit();
    expect(await client.jobs.pauses()).toEqual([]);
    const wrong: unknown = { queue: 'a', kind: 'b' };
    // @ts-expect-error More than one.
    await expect(client.jobs.pause(wrong)).rejects.toMatchObject({ name: 'InvalidInputError' });
    await expect(client.jobs.pause('all', { until: new Date('never') })).rejects.toMatchObject({
      name: 'InvalidInputError',
    });
    await expect(client.jobs.pause({ queue: '' })).rejects.toMatchObject({ name: 'InvalidInputError' });
  });
});
