import { setImmediate as turn } from 'node:timers/promises';
import { type Driver, defineHandler } from '@rowlock/core';
import { expect } from 'vitest';
import { allSettled } from '../all-settled.js';
import { claimInstead } from '../claim-instead.js';
import { instead } from '../instead.js';
import { RunLog } from '../run-log.js';
import { theme } from '../theme.js';
import { gate, until, within } from '../until.js';
import { AnyJson, clientOf, openWorker, startWorker } from '../worker-process.js';

const HOUR_MS = 3_600_000;

export const liveness = theme('liveness', (test) => {
  test('two that hold a job each of one key refuse each other; then a worker serves both, unasked', async (stage) => {
    const { key, queue, hold, putMany } = stage;
    const handler = defineHandler({ kind: 'work', queue, payload: AnyJson, run: () => {} });
    await putMany([{ key }, { key }]);
    const a = await hold();
    const b = await hold();
    const { worker } = await openWorker(stage, [handler]);
    const idle = new Promise<void>((resolve) => worker.on('idle', resolve));
    await worker.start();
    await within('the worker has found everything held', idle);
    const entities = { queue, keys: [key] };
    const answers = await Promise.allSettled([
      a.held.lockSiblings(entities, 10),
      b.held.lockSiblings(entities, 10),
    ]);
    expect(answers.some(({ status }) => status === 'rejected')).toBe(true);
    await a.held.rollback();
    await b.held.rollback();
    // Nobody notifies: the worker's own watch must find them.
    await allSettled(stage);
  });

  test('two workers that hold a job each of one key are both refused, and come back without a notification', async (stage) => {
    const { key, queue, putMany, hold } = stage;
    const history = new RunLog();
    const handler = defineHandler({
      kind: 'work',
      queue,
      payload: AnyJson,
      async run({ key: entity, jobs }) {
        history.begin(entity, jobs);
        await turn();
        history.end(entity);
      },
    });
    const [, second] = await putMany([{ key }, { key }, { key }]);
    // A third job of the key is held here: whatever the two do first, both of them meet a lock.
    const { held } = await hold({ line: { priority: 0, id: second?.id ?? 0n } });
    // The first claim of each waits until the other one has its own.
    const bothClaimed = gate();
    let claims = 0;
    const meet = async (): Promise<void> => {
      claims += 1;
      if (claims === 2) bothClaimed.open();
      await bothClaimed.promise;
    };
    const options = { watchInterval: '1h', concurrency: 1 } as const;
    const open = () => openWorker(stage, [handler], options, (driver) => afterFirstClaim(driver, meet));
    const workers = [await open(), await open()];
    const refusals = workers.map(
      ({ worker }) => new Promise<void>((resolve) => worker.on('blocked', () => resolve())),
    );
    for (const { worker } of workers) await worker.start();
    await within('both are refused', Promise.all(refusals));
    await held.rollback();
    // Nobody notifies, and their next look by the clock is an hour away.
    await allSettled(stage);
    expect(history.overlaps).toEqual([]);
  });

  test('an idle worker is woken by an enqueue', async (stage) => {
    const { queue } = stage;
    const handler = defineHandler({ kind: 'work', queue, payload: AnyJson, run: () => {} });
    const { worker } = await openWorker(stage, [handler], { watchInterval: '1h' });
    const idle = new Promise<void>((resolve) => worker.on('idle', resolve));
    await worker.start();
    await within('the worker is idle', idle);
    const client = clientOf(stage, [handler]);
    await client.enqueue(handler, { payload: 1 });
    await allSettled(stage);
    await client.jobs.flush();
  });

  test('an idle worker is woken by an enqueue of its own process, whether the database calls it or not', async (stage) => {
    const { queue } = stage;
    const handler = defineHandler({ kind: 'work', queue, payload: AnyJson, run: () => {} });
    const { worker, rowlock } = await openWorker(stage, [handler], { watchInterval: '1h' }, (driver) =>
      instead(driver, {
        jobs: { enqueue: (jobs) => driver.jobs.enqueue(jobs) },
        workers: { notify: async () => {} },
      }),
    );
    const idle = new Promise<void>((resolve) => worker.on('idle', resolve));
    await worker.start();
    await within('the worker is idle', idle);
    await rowlock.enqueue(handler, { payload: 1 });
    await rowlock.enqueue(handler, { payload: 2 });
    await allSettled(stage);
  });

  test("an idle worker is woken by the commit of a caller's enqueue, and not before", async (stage) => {
    const { queue, caller } = stage;
    const served: unknown[] = [];
    const handler = defineHandler({
      kind: 'work',
      queue,
      payload: AnyJson,
      run: ({ job }) => void served.push(job.payload),
    });
    const { worker } = await openWorker(stage, [handler], { watchInterval: '1h' });
    const idle = new Promise<void>((resolve) => worker.on('idle', resolve));
    await worker.start();
    await within('the worker is idle', idle);
    const client = clientOf(stage, [handler]);
    const application = await caller();
    await client.enqueue(handler, { payload: 'joined' }, { tx: application.tx });
    await client.enqueue(handler, { payload: 'outside' });
    await until('the job outside is served', async () => served.length === 1);
    expect(served).toEqual(['outside']);
    await application.commit();
    await until('the joined job is served', async () => served.length === 2);
    expect(served).toEqual(['outside', 'joined']);
    await client.jobs.flush();
  });

  test('a worker that starts late serves what was enqueued before', async (stage) => {
    const { queue, putMany } = stage;
    const handler = defineHandler({ kind: 'work', queue, payload: AnyJson, run: () => {} });
    await putMany([{}, {}, {}]);
    await startWorker(stage, [handler], { watchInterval: '1h' });
    expect(await allSettled(stage)).toHaveLength(3);
  });

  test('a delayed job is served when its time has come, and not before', async (stage) => {
    const { queue, put } = stage;
    const handler = defineHandler({ kind: 'work', queue, payload: AnyJson, run: () => {} });
    await startWorker(stage, [handler], { watchInterval: '1h' });
    await clientOf(stage, [handler]).enqueue(handler, { payload: 1, delay: 60 });
    const later = await put({ available: { inMs: HOUR_MS } });
    const [row] = await until('the delayed job is served', async () => {
      const rows = await stage.reader.jobs(queue);
      return rows[0]?.status === 'complete' && rows;
    });
    expect(row?.finishedAt?.getTime()).toBeGreaterThanOrEqual(row?.availableAt.getTime() ?? Number.NaN);
    expect((await stage.row(later)).status).toBe('new');
  });
});

/** The driver, except that its first claim that finds a job is followed by `wait`. */
function afterFirstClaim<Tx>(driver: Driver<Tx>, wait: () => Promise<void>): Driver<Tx> {
  let first = true;
  return claimInstead(driver, (session) => ({
    async claim(criteria) {
      const jobs = await session.claim(criteria);
      if (jobs.length === 0 || !first) return jobs;
      first = false;
      await wait();
      return jobs;
    },
  }));
}
