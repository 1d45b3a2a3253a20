import { defineHandler, type Json, type Limit, type LimitRule, type RunContext } from '@rowlock/core';
import { expect } from 'vitest';
import { allSettled } from '../all-settled.js';
import { instead } from '../instead.js';
import type { Stage } from '../stage.js';
import { theme } from '../theme.js';
import { aborted, gate, until, within } from '../until.js';
import { AnyJson, clientOf, openWorker, SOON, startWorker } from '../worker-process.js';

/** A handler of the test's queue with a limit. */
function limitedTo<Tx>(
  { queue }: Pick<Stage<Tx>, 'queue'>,
  limit: LimitRule<Json>,
  run: (context: RunContext<unknown, Tx>) => void | Promise<void>,
  kind = 'work',
) {
  return defineHandler({ kind, queue, payload: AnyJson, retry: SOON, limit, run });
}

const PAYLOADS = Array.from({ length: 12 }, (_, payload) => ({ payload }));

export const limitedRuns = theme('limited runs', (test) => {
  test('two processes run as many jobs at once as the limit says, and no more', async (stage) => {
    const [size, peak] = [3, gate()];
    let running = 0;
    let most = 0;
    const handler = limitedTo(stage, { name: stage.key, max: size }, async () => {
      running += 1;
      most = Math.max(most, running);
      if (running === size) peak.open();
      await within('all slots are used', peak.promise);
      running -= 1;
    });
    await clientOf(stage, [handler]).enqueueMany(handler, PAYLOADS);
    await startWorker(stage, [handler], { concurrency: 4 });
    await startWorker(stage, [handler], { concurrency: 4 });
    expect(await allSettled(stage)).toHaveLength(PAYLOADS.length);
    expect(most).toBe(size);
  });

  test('a job that finds the limit reached waits as it is, and holds up no other job', async (stage) => {
    const { key, queue, reader } = stage;
    const [running, finish] = [gate(), gate()];
    const handler = limitedTo(stage, { name: key, max: 1 }, async ({ job }) => {
      if (job.payload !== 'first') return;
      running.open();
      await finish.promise;
    });
    const other = defineHandler({ kind: 'other', queue, payload: AnyJson, run: () => {} });
    const client = clientOf(stage, [handler, other]);
    await client.enqueue(handler, { payload: 'first' });
    await startWorker(stage, [handler, other]);
    await within('the first job runs', running.promise);
    const { publicId } = await client.enqueue(handler, { payload: 'second' });
    const before = await stage.row({ publicId });
    const beside = await client.enqueue(other, { payload: 1 });
    await until('the other job is done', async () => (await stage.row(beside)).status === 'complete');
    expect(await stage.row({ publicId })).toEqual(before);
    expect(await reader.runs(publicId)).toEqual([]);
    finish.open();
    expect(await allSettled(stage)).toMatchObject([{ attempt: 1 }, { attempt: 1 }, { attempt: 1 }]);
  });

  test('a job whose limit is reached keeps its turn in its key', async (stage) => {
    const { key, queue } = stage;
    const order: unknown[] = [];
    const log = ({ job }: RunContext<unknown>): void => void order.push(job.payload);
    const handler = limitedTo(stage, { name: key, max: 1 }, log);
    const other = defineHandler({ kind: 'other', queue, payload: AnyJson, run: log });
    const client = clientOf(stage, [handler, other]);
    const slot = await client.limits.slots(key, { max: 1 }).acquire();
    await client.enqueue(handler, { payload: 'limited', key });
    await client.enqueue(other, { payload: 'behind it', key });
    const beside = await client.enqueue(other, { payload: 'beside' });
    await startWorker(stage, [handler, other]);
    await until(
      'the job without the key is done',
      async () => (await stage.row(beside)).status === 'complete',
    );
    expect(order).toEqual(['beside']);
    await slot[Symbol.asyncDispose]();
    await allSettled(stage);
    expect(order).toEqual(['beside', 'limited', 'behind it']);
  });

  test('each payload may have limits of its own, and all jobs one in common', async (stage) => {
    const { key } = stage;
    const both = gate();
    const running = new Set<unknown>();
    const rule = ({ payload }: { readonly payload: unknown }): readonly Limit[] => [
      { name: `${key} all`, max: 2 },
      { name: `${key} of ${payload}`, max: 1 },
    ];
    const handler = limitedTo(stage, rule, async ({ job: { payload } }) => {
      expect(running.has(payload)).toBe(false);
      running.add(payload);
      if (running.size === 2) both.open();
      await within('a job of each tenant runs', both.promise);
      running.delete(payload);
    });
    const tenants = ['acme', 'acme', 'acme', 'bolt'].map((payload) => ({ payload }));
    await clientOf(stage, [handler]).enqueueMany(handler, tenants);
    await startWorker(stage, [handler], { concurrency: 4 });
    expect(await allSettled(stage)).toMatchObject(tenants.map(() => ({ status: 'complete' })));
  });

  test('parts whose limits are reached fill pages, and the jobs behind these have their turn', async (stage) => {
    const { key } = stage;
    const done = gate();
    const rule = ({ payload }: { readonly payload: Json }): readonly Limit[] =>
      payload === 'last'
        ? [{ name: `${key} z`, max: 1 }]
        : [
            { name: `${key} a`, max: 1 },
            { name: `${key} of ${payload}`, max: 1 },
          ];
    const handler = limitedTo(stage, rule, () => done.open());
    const client = clientOf(stage, [handler]);
    await using slot = await client.limits.slots(`${key} a`, { max: 1 }).acquire();
    expect(slot.outcome).toBe('acquired');
    await client.enqueueMany(handler, [...PAYLOADS, { payload: 'last' }]);
    const { worker } = await openWorker(stage, [handler], {}, (driver) =>
      instead(driver, {
        admission: { parts: (stretch) => driver.admission.parts({ ...stretch, limit: 5 }) },
      }),
    );
    await worker.start();
    await within('the job of the last limit runs', done.promise);
  });

  test('workers take up another size while they run', async (stage) => {
    const { key } = stage;
    const [first, both] = [gate(), gate()];
    let running = 0;
    const handler = limitedTo(stage, { name: key, max: 1 }, async () => {
      running += 1;
      if (running === 1) first.open();
      else both.open();
      await within('two run at once', both.promise);
    });
    const client = clientOf(stage, [handler]);
    await client.enqueueMany(handler, [{ payload: 1 }, { payload: 2 }]);
    await startWorker(stage, [handler]);
    await within('one runs', first.promise);
    await client.limits.set(key, { max: 2 });
    expect(await client.limits.list()).toContainEqual(expect.objectContaining({ name: key, max: 2 }));
    await allSettled(stage);
    await client.limits.reset(key);
  });

  test.once(
    'slots that are taken without a job count too, and the wait for one ends with its release',
    async (stage) => {
      const { key } = stage;
      const client = clientOf(stage, []);
      const slots = client.limits.slots(key, { perBucket: 1, buckets: 2 });
      const [one, two] = [await slots.acquire(), await slots.acquire()];
      expect([one.outcome, two.outcome]).toEqual(['acquired', 'acquired']);
      expect((await slots.acquire()).outcome).toBe('full');
      const waiting = slots.acquire({ wait: '1h' });
      await one[Symbol.asyncDispose]();
      const three = await within('a slot', waiting);
      expect(three.outcome).toBe('acquired');
      const stopped = slots.acquire({ wait: '1h', signal: AbortSignal.abort(new Error('no more')) });
      await expect(stopped).rejects.toThrow('no more');
      for (const holder of [two, three]) await holder[Symbol.asyncDispose]();
      await using last = await client.limits.slots(key, { max: 1 }).acquire({ wait: '1h' });
      expect(last.outcome).toBe('acquired');
    },
  );

  test.once('a slot that is kept for longer than it may be is lost, and free for others', async (stage) => {
    const slots = clientOf(stage, []).limits.slots(stage.key, { max: 1 });
    const from = performance.now();
    // On a machine that stalls, the slot may be lost while it is taken, or before the other one is asked for.
    await using kept = await until('the slot is taken', () =>
      slots.acquire({ atMost: '1s', wait: '30s' }).catch((error: unknown) => {
        expect(error).toMatchObject({ code: 'ConnectionLost' });
        return undefined;
      }),
    );
    if (kept.outcome === 'full') throw new Error('The slot was not free.');
    await using beside = await slots.acquire();
    expect(beside.outcome === 'full' || performance.now() - from >= 1_000).toBe(true);
    await beside[Symbol.asyncDispose]();
    await within('the loss of the slot', aborted(kept.lost));
    await using other = await slots.acquire({ wait: '30s' });
    expect(other.outcome).toBe('acquired');
  });

  test('a process that dies leaves its slot to another', async (stage) => {
    const { key } = stage;
    const [dies, done] = [gate(), gate()];
    let runs = 0;
    const handler = limitedTo(stage, { name: key, max: 1 }, async ({ signal }) => {
      runs += 1;
      if (runs > 1) return done.open();
      dies.open();
      await aborted(signal);
    });
    await clientOf(stage, [handler]).enqueue(handler, { payload: 1 });
    const doomed = await openWorker(stage, [handler]);
    await doomed.worker.start();
    await within('the first run', dies.promise);
    await startWorker(stage, [handler]);
    await doomed.process.kill();
    await within('the second run', done.promise);
    expect(await allSettled(stage)).toMatchObject([{ status: 'complete', crashes: 1 }]);
  });
});
