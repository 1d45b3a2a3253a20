import { type Driver, defineHandler, type Json, type LimitRule, type RunContext } from '@rowlock/core';
import type { AnyHandler, Rate } from '@rowlock/core/driver';
import { expect } from 'vitest';
import { allSettled } from '../all-settled.js';
import { instead } from '../instead.js';
import type { Stage } from '../stage.js';
import { theme } from '../theme.js';
import { aborted, gate, until, within } from '../until.js';
import {
  AnyJson,
  clientOf,
  openWorker,
  SOON,
  startWorker,
  type WorkerProcessOptions,
} from '../worker-process.js';

/** A handler of the test's queue with a rate. */
function ratedBy<Tx>(
  { queue }: Pick<Stage<Tx>, 'queue'>,
  limit: LimitRule<Json>,
  run: (context: RunContext<unknown, Tx>) => void | Promise<void> = () => {},
) {
  return defineHandler({ kind: 'work', queue, payload: AnyJson, retry: SOON, limit, run });
}

/** A worker of these handlers, and how many starts it has tried to take. */
async function countingTakes<Tx>(
  stage: Stage<Tx>,
  handlers: readonly AnyHandler<Tx>[],
  options: WorkerProcessOptions<Tx> = {},
) {
  let takes = 0;
  const { worker } = await openWorker(stage, handlers, options, (driver) =>
    instead(driver, {
      admission: {
        take(rates, take) {
          takes += 1;
          return driver.admission.take(rates, take);
        },
      },
    }),
  );
  return { worker, takes: () => takes };
}

/** So that no second start comes within a test, unless other numbers are set. */
const HOURLY = { starts: 1, per: '1h' } as const;
const AT_ONCE = { starts: 1_000_000, per: '1s', burst: 1_000 } as const;

const payloads = (count: number) => Array.from({ length: count }, (_, payload) => ({ payload }));

export const ratedRuns = theme('rated runs', (test) => {
  test('two processes together start no more jobs in a time than the rate allows', async (stage) => {
    const [jobs, spacingMs, burst] = [12, 50, 2];
    const rate = { name: stage.key, starts: 20, per: 20 * spacingMs, burst };
    const handler = ratedBy(stage, rate);
    await clientOf(stage, [handler]).enqueueMany(handler, payloads(jobs));
    await startWorker(stage, [handler], { concurrency: 4 });
    await startWorker(stage, [handler], { concurrency: 4 });
    const settled = await allSettled(stage);
    expect(settled).toMatchObject(payloads(jobs).map(() => ({ status: 'complete', attempt: 1 })));
    const ends = settled.map(({ finishedAt }) => finishedAt?.getTime() ?? 0);
    const began = Math.min(...settled.map(({ createdAt }) => createdAt.getTime()));
    // Whole milliseconds may be rounded either way.
    expect(Math.max(...ends) - began).toBeGreaterThanOrEqual((jobs - burst) * spacingMs - 2);
  });

  test('by the clock of the server, no time of the rate has more starts of runs than it allows', async (stage) => {
    const { key, reader, queue } = stage;
    const [jobs, spacingMs, most, burst] = [40, 20, 20, 3];
    const handler = ratedBy(stage, { name: key, starts: most, per: most * spacingMs, burst });
    // When each start was taken at the earliest, and at the latest.
    const taken = new Map<string, { readonly from: number; readonly to: number }>();
    const now = async (): Promise<number> => (await reader.now()).getTime();
    const watched = (driver: Driver<unknown>) => ({
      async take(rates: readonly Rate[], take: string) {
        const from = await now();
        const waitsMs = await driver.admission.take(rates, take);
        if (waitsMs.every((waitMs) => waitMs === 0)) taken.set(take, { from, to: await now() });
        return waitsMs;
      },
      async giveBack(names: readonly string[], take: string) {
        await driver.admission.giveBack(names, take);
        taken.delete(take);
      },
    });
    const began = await now();
    await clientOf(stage, [handler]).enqueueMany(handler, payloads(jobs));
    for (const _ of ['one', 'other']) {
      const { worker } = await openWorker(stage, [handler], { concurrency: 4 }, (driver) =>
        instead(driver, { admission: watched(driver) }),
      );
      await worker.start();
    }
    await allSettled(stage);
    const starts = [...taken.values()].toSorted((one, other) => one.to - other.to);
    const tooMany = most + burst;
    for (let place = 0; place + tooMany <= starts.length; place++) {
      const some = starts.slice(place, place + tooMany);
      const lasted = Math.max(...some.map(({ to }) => to)) - Math.min(...some.map(({ from }) => from));
      // Whole milliseconds may be rounded either way.
      expect(lasted).toBeGreaterThanOrEqual(most * spacingMs - 2);
    }
    // A run begins after its start was taken.
    const rows = await reader.jobs(queue);
    const runs = (await Promise.all(rows.map(({ publicId }) => reader.runs(publicId)))).flat();
    expect(runs.length).toBe(jobs);
    expect(starts.length).toBeGreaterThanOrEqual(jobs);
    const begins = runs.map(({ startedAt }) => startedAt.getTime() - began).toSorted((a, b) => a - b);
    for (const [place, sinceMs] of begins.entries())
      expect(sinceMs).toBeGreaterThanOrEqual((place + 1 - burst) * spacingMs - 2);
  });

  test('a job over the rate waits as it is, and holds up no other job', async (stage) => {
    const { key, queue, reader } = stage;
    const handler = ratedBy(stage, { name: key, ...HOURLY });
    const other = defineHandler({ kind: 'other', queue, payload: AnyJson, run: () => {} });
    const client = clientOf(stage, [handler, other]);
    const first = await client.enqueue(handler, { payload: 'first' });
    const { publicId } = await client.enqueue(handler, { payload: 'second' });
    const before = await stage.row({ publicId });
    await startWorker(stage, [handler, other]);
    await until('the first job is done', async () => (await stage.row(first)).status === 'complete');
    const beside = await client.enqueue(other, { payload: 1 });
    await until('the other job is done', async () => (await stage.row(beside)).status === 'complete');
    expect(await stage.row({ publicId })).toEqual(before);
    expect(await reader.runs(publicId)).toEqual([]);
    await client.limits.set(key, AT_ONCE);
    expect(await allSettled(stage)).toMatchObject([{ attempt: 1 }, { attempt: 1 }, { attempt: 1 }]);
    await client.limits.reset(key);
  });

  test('a job over the rate keeps its turn in its key', async (stage) => {
    const { key, queue } = stage;
    const order: unknown[] = [];
    const log = ({ job }: RunContext<unknown>): void => void order.push(job.payload);
    const handler = ratedBy(stage, { name: key, ...HOURLY }, log);
    const other = defineHandler({ kind: 'other', queue, payload: AnyJson, run: log });
    const client = clientOf(stage, [handler, other]);
    const first = await client.enqueue(handler, { payload: 'first' });
    await startWorker(stage, [handler, other]);
    await until('the first job is done', async () => (await stage.row(first)).status === 'complete');
    await client.enqueue(handler, { payload: 'rated', key });
    await client.enqueue(other, { payload: 'behind it', key });
    const beside = await client.enqueue(other, { payload: 'beside' });
    await until(
      'the job without the key is done',
      async () => (await stage.row(beside)).status === 'complete',
    );
    expect(order).toEqual(['first', 'beside']);
    await client.limits.set(key, AT_ONCE);
    await allSettled(stage);
    expect(order).toEqual(['first', 'beside', 'rated', 'behind it']);
    await client.limits.reset(key);
  });

  test('each payload may have a rate of its own, and all jobs one in common', async (stage) => {
    const { key, reader } = stage;
    const runs: unknown[] = [];
    const rule = ({ payload }: { readonly payload: Json }) => [
      { name: `${key} all`, ...HOURLY, burst: 2 },
      { name: `${key} of ${payload}`, ...HOURLY },
    ];
    const handler = ratedBy(stage, rule, ({ job }) => void runs.push(job.payload));
    const tenants = ['acme', 'acme', 'bolt', 'core'].map((payload) => ({ payload }));
    const jobs = await clientOf(stage, [handler]).enqueueMany(handler, tenants);
    const [worker] = [await openWorker(stage, [handler], { concurrency: 1 })];
    const idle = new Promise<void>((resolve) => worker.worker.on('idle', resolve));
    await worker.worker.start();
    await within('the worker is idle', idle);
    expect(runs).toHaveLength(2);
    expect(new Set(runs).size).toBe(2);
    const states = await Promise.all(jobs.map(async (job) => (await stage.row(job)).status));
    expect(states.toSorted()).toEqual(['complete', 'complete', 'new', 'new']);
    // Of the tenant whose job waits for the common rate alone, nothing is taken.
    for (const tenant of ['acme', 'bolt', 'core'])
      expect((await reader.rate(`${key} of ${tenant}`))?.lastTake ?? null).toEqual(
        runs.includes(tenant) ? expect.any(String) : null,
      );
  });

  test('a retry takes a start, and so does the run after a crash', async (stage) => {
    const { key, reader } = stage;
    const dies = gate();
    let runs = 0;
    const handler = ratedBy(stage, { name: key, ...HOURLY, burst: 10 }, async ({ signal }) => {
      runs += 1;
      if (runs === 1) throw new Error('once more');
      if (runs > 2) return;
      dies.open();
      await aborted(signal);
    });
    await clientOf(stage, [handler]).enqueue(handler, { payload: 1 });
    const doomed = await openWorker(stage, [handler], { concurrency: 1 });
    await doomed.worker.start();
    await within('the second run', dies.promise);
    await doomed.process.kill();
    await startWorker(stage, [handler], { concurrency: 1 });
    const [job] = await allSettled(stage);
    expect(job).toMatchObject({ status: 'complete', attempt: 3, crashes: 1 });
    const nextMs = (await reader.rate(key))?.nextMs ?? 0;
    expect(nextMs - (job?.createdAt.getTime() ?? 0)).toBeGreaterThanOrEqual(3 * 3_600_000);
  });

  test('where the slots of a limit are taken, no start is taken', async (stage) => {
    const { key, queue, reader } = stage;
    const handler = defineHandler({
      kind: 'work',
      queue,
      payload: AnyJson,
      limit: { name: key, max: 1, ...HOURLY },
      run: () => {},
    });
    const client = clientOf(stage, [handler]);
    const slot = await client.limits.slots(key, { max: 1 }).acquire();
    await client.enqueue(handler, { payload: 1 });
    const { worker, takes } = await countingTakes(stage, [handler], { watchInterval: '1h' });
    const idle = new Promise<void>((resolve) => worker.on('idle', resolve));
    await worker.start();
    await within('the worker is idle', idle);
    expect(takes()).toBe(0);
    expect((await reader.rate(key))?.lastTake ?? null).toBeNull();
    await slot[Symbol.asyncDispose]();
    expect(await allSettled(stage)).toMatchObject([{ status: 'complete' }]);
    expect(await reader.rate(key)).toMatchObject({ lastTake: expect.any(String) });
  });

  test('while the key of a job is busy, no start is taken for it', async (stage) => {
    const handler = ratedBy(stage, { name: stage.key, max: 2, ...HOURLY });
    const client = clientOf(stage, [handler]);
    const first = await client.enqueue(handler, { key: 'busy', payload: 1 });
    const { held } = await stage.hold({ limits: (await stage.row(first)).limits });
    await client.enqueue(handler, { key: 'busy', payload: 2 });
    const { worker, takes } = await countingTakes(stage, [handler], { watchInterval: '1h' });
    const idle = new Promise<void>((resolve) => worker.on('idle', resolve));
    await worker.start();
    await within('the worker is idle', idle);
    expect(takes()).toBe(0);
    await held.rollback();
  });

  test('workers whose jobs cannot be run do not take starts from each other again and again', async (stage) => {
    const { key, queue, defer } = stage;
    const handler = ratedBy(stage, { name: key, starts: 10, per: '1s' });
    const other = defineHandler({ kind: 'other', queue, payload: AnyJson, run: () => {} });
    const client = clientOf(stage, [handler, other]);
    await client.jobs.pause({ kind: handler.kind });
    defer(() => client.jobs.resume({ kind: handler.kind }));
    const counters = await Promise.all(
      [1, 2].map(() => countingTakes(stage, [handler, other], { concurrency: 2 })),
    );
    for (const { worker } of counters) await worker.start();
    await client.enqueueMany(handler, payloads(3));
    const after = await client.enqueue(other, { payload: null, delay: '2s' });
    await until('two seconds are over', async () => (await stage.row(after)).status === 'complete');
    const takes = counters.reduce((sum, counter) => sum + counter.takes(), 0);
    expect(takes).toBeLessThan(20);
  });

  test('of many tenants that share a rate, those whose slots are taken are not claimed one by one', async (stage) => {
    const { key, queue } = stage;
    const own = (tenant: number) => ({ name: `${key} ${tenant}`, max: 1 });
    const [blockers, each] = [6, 8];
    const full = Array.from({ length: blockers * each }, (_, tenant) => ({ payload: tenant }));
    const blocked = Array.from({ length: blockers }, () => gate());
    const opened = gate();
    const blocker = defineHandler({
      kind: 'blocker',
      queue,
      payload: AnyJson,
      limit: ({ payload }) =>
        full
          .slice(Number(payload) * each)
          .slice(0, each)
          .map((one) => own(one.payload)),
      async run({ job }) {
        blocked[Number(job.payload)]?.open();
        await opened.promise;
      },
    });
    const handler = ratedBy(stage, ({ payload }) => [{ name: key, ...AT_ONCE }, own(Number(payload))]);
    const client = clientOf(stage, [blocker, handler]);
    await client.enqueueMany(blocker, payloads(blockers));
    await startWorker(stage, [blocker], { concurrency: blockers });
    await within('the slots are taken', Promise.all(blocked.map(({ promise }) => promise)));
    await client.enqueueMany(handler, full);
    const free = await client.enqueue(handler, { payload: full.length });
    let claims = 0;
    const { worker } = await openWorker(stage, [handler], { watchInterval: '1h' }, (driver) =>
      instead(driver, {
        claims: {
          session(options) {
            claims += 1;
            return driver.claims.session(options);
          },
        },
      }),
    );
    const idle = new Promise<void>((resolve) => worker.on('idle', resolve));
    await worker.start();
    await within('the worker is idle', idle);
    opened.open();
    expect(claims).toBeLessThan(full.length);
    expect(await stage.row(free)).toMatchObject({ status: 'complete' });
  });

  test('where no job is free, the start is given back', async (stage) => {
    const { key, reader } = stage;
    const handler = ratedBy(stage, { name: key, ...HOURLY });
    const client = clientOf(stage, [handler]);
    const job = await client.enqueue(handler, { payload: 1 });
    const { held } = await stage.hold({ limits: (await stage.row(job)).limits });
    const { worker } = await openWorker(stage, [handler], { watchInterval: '1h' });
    const idle = new Promise<void>((resolve) => worker.on('idle', resolve));
    await worker.start();
    await within('the worker is idle', idle);
    expect(await reader.rate(key)).toMatchObject({ lastTake: null });
    await held.rollback();
    await client.enqueue(handler, { payload: 2 });
    await until('one of the jobs is done', async () => (await reader.rate(key))?.lastTake !== null);
  });

  test('a worker sleeps until the time that the database has said', async (stage) => {
    const looks: string[] = [];
    const handler = ratedBy(stage, { name: stage.key, starts: 1, per: '1s' });
    await clientOf(stage, [handler]).enqueueMany(handler, payloads(3));
    const { worker } = await openWorker(stage, [handler], { concurrency: 4 }, (driver) =>
      instead(driver, {
        admission: {
          take(rates, take) {
            looks.push('take');
            return driver.admission.take(rates, take);
          },
          parts(stretch) {
            looks.push('look');
            return driver.admission.parts(stretch);
          },
        },
      }),
    );
    await worker.start();
    await allSettled(stage);
    // A look every 20 ms, the watch interval, would make more than 90.
    expect(looks.length).toBeLessThan(45);
  });
});
