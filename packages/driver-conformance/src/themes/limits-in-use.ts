import { randomUUID } from 'node:crypto';
import { defineHandler, type Rowlock } from '@rowlock/core';
import type { LimitView } from '@rowlock/core/types';
import { expect } from 'vitest';
import { theme } from '../theme.js';
import { aborted, gate, until, within } from '../until.js';
import { AnyJson, clientOf, startWorker } from '../worker-process.js';

const HOUR_MS = 3_600_000;
const unset = { setAt: null, setBy: null };
const anyTime = { starts: null, perMs: null, burst: null, nextAt: null };
const count = (jobs: number, more = false) => ({ count: jobs, more });

/** What is listed of one limit. */
async function limitOf<Tx>(client: Rowlock<Tx>, name: string): Promise<LimitView | undefined> {
  return (await client.limits.list()).find((limit) => limit.name === name);
}

export const limitsInUse = theme('limits in use', (test) => {
  test.once('a limit that nobody uses is not listed', async (stage) => {
    const client = clientOf(stage, []);
    await stage.put({ limits: JSON.stringify({ [stage.key]: 1 }), available: { inMs: HOUR_MS } });
    expect(await limitOf(client, stage.key)).toBeUndefined();
  });

  test('the slots that are taken and the jobs of their runs are listed, and the due jobs that no run has', async (stage) => {
    const { queue, key, reader } = stage;
    const [running, finish] = [gate(), gate()];
    let began = 0;
    const handler = defineHandler({
      kind: 'work',
      queue,
      payload: AnyJson,
      limit: { name: key, max: 2 },
      run: async ({ signal }) => {
        began += 1;
        if (began === 2) running.open();
        await Promise.race([finish.promise, aborted(signal)]);
      },
    });
    const client = clientOf(stage, [handler]);
    const jobs = await client.enqueueMany(
      handler,
      [1, 2, 3, 4, 5].map((payload) => ({ payload })),
    );
    const { worker } = await startWorker(stage, [handler]);
    await within('two jobs run', running.promise);
    const runs = await Promise.all(jobs.map(({ publicId }) => reader.runs(publicId)));
    const holders = jobs.flatMap(({ publicId }, place) =>
      (runs[place] ?? []).map(({ runId, startedAt }) => ({
        publicId,
        kind: 'work',
        run: { runId, worker: worker.name, since: startedAt, alive: true },
      })),
    );
    expect(holders).toHaveLength(2);
    const listed = await limitOf(client, key);
    expect({ ...listed, holders: new Set(listed?.holders) }).toEqual({
      name: key,
      max: 2,
      ...anyTime,
      ...unset,
      taken: 2,
      holders: new Set(holders),
      waiting: count(3),
    });
    await worker.stop({ drain: 0 });
    const idle = await until('the slots are free', async () => {
      const limit = await limitOf(client, key);
      return limit?.taken === 0 && limit;
    });
    expect(idle).toMatchObject({ name: key, holders: [] });
  });

  test.once('a slot without a job is taken too, and has no job', async (stage) => {
    const { key } = stage;
    const client = clientOf(stage, []);
    const slot = await client.limits.slots(key, { max: 2 }).acquire();
    stage.defer(() => slot[Symbol.asyncDispose]());
    expect(await limitOf(client, key)).toEqual({
      name: key,
      max: null,
      ...anyTime,
      ...unset,
      taken: 1,
      holders: [],
      waiting: count(0),
    });
    await slot[Symbol.asyncDispose]();
    expect((await limitOf(client, key))?.taken ?? 0).toBe(0);
  });

  test.once('a size that was set counts before those of jobs, of which the largest counts', async (stage) => {
    const { key } = stage;
    const client = clientOf(stage, []);
    stage.defer(() => client.limits.reset(key));
    await stage.putMany([{ limits: JSON.stringify({ [key]: 3 }) }, { limits: JSON.stringify({ [key]: 5 }) }]);
    expect(await limitOf(client, key)).toMatchObject({ max: 5, ...unset, waiting: count(2) });
    await client.as('ann').limits.set(key, { max: 4 });
    expect(await limitOf(client, key)).toMatchObject({ max: 4, setAt: expect.any(Date), setBy: 'ann' });
    await client.limits.reset(key);
    expect(await limitOf(client, key)).toMatchObject({ max: 5, ...unset });
  });

  test.once(
    'paused jobs wait for their limit too, and each part has its share of the count',
    async (stage) => {
      const { driver, queue, key } = stage;
      const client = clientOf(stage, []);
      stage.defer(() => client.jobs.resume({ queue }));
      await client.jobs.pause({ queue });
      const limits = JSON.stringify({ [key]: 1 });
      await stage.putMany(Array.from({ length: 12 }, () => ({ limits })));
      expect(await limitOf(client, key)).toMatchObject({ waiting: count(12) });
      const { parts } = await driver.admission.jobs({ parts: 1_000, counted: 1 });
      expect(parts.filter((part) => part.queue === queue)).toEqual([{ queue, limits, due: 10, more: true }]);
    },
  );

  test.once('slots are counted by name', async (stage) => {
    const { driver, key } = stage;
    const client = clientOf(stage, []);
    const [one, other] = [`${key} 1`, `${key} 2`];
    const slots = [
      await client.limits.slots(one, { max: 2 }).acquire(),
      await client.limits.slots(one, { max: 2 }).acquire(),
    ];
    stage.defer(() => Promise.all(slots.map((slot) => slot[Symbol.asyncDispose]())));
    const last = await client.limits.slots(other, { max: 1 }).acquire();
    await last[Symbol.asyncDispose]();
    const taken = async (names?: readonly string[]) =>
      new Map((await driver.admission.limits(names)).map((limit) => [limit.name, limit.taken]));
    const both = await taken([one, other]);
    expect([both.get(one), both.get(other) ?? 0]).toEqual([2, 0]);
    expect((await taken([other])).has(one)).toBe(false);
    expect((await taken()).get(one)).toBe(2);
  });

  test.once('slots are taken while they are counted', async (stage) => {
    const { driver, key } = stage;
    const client = clientOf(stage, []);
    const slots = client.limits.slots(key, { max: 1 });
    let isOver = false;
    const counts = Promise.all(
      [1, 2].map(async () => {
        while (!isOver) await driver.admission.limits([key]);
      }),
    );
    for (let round = 0; round < 30; round++) {
      const slot = await slots.acquire();
      expect(slot.outcome).toBe('acquired');
      await slot[Symbol.asyncDispose]();
    }
    isOver = true;
    await counts;
  });

  test.once('starts are listed with their numbers, the next one and the due jobs', async (stage) => {
    const { driver, key } = stage;
    const client = clientOf(stage, []);
    const listed = () => limitOf(client, key);
    expect(await listed()).toBeUndefined();
    const numbers = { starts: 1, perMs: HOUR_MS, burst: 1 };
    const row = { limits: JSON.stringify({ [key]: [1, HOUR_MS, 1] }) };
    const [job] = await stage.putMany([row, row]);
    const slots = { max: null, taken: 0, holders: [] };
    const unused = { name: key, ...slots, ...numbers, ...unset, nextAt: null, waiting: count(2) };
    expect(await listed()).toEqual(unused);
    await driver.admission.take([{ name: key, ...numbers }], randomUUID());
    const limit = await listed();
    const inMs = (limit?.nextAt?.getTime() ?? 0) - Date.now();
    expect(inMs).toBeGreaterThan(HOUR_MS - 60_000);
    expect(inMs).toBeLessThanOrEqual(HOUR_MS);
    stage.defer(() => client.limits.reset(key));
    await client.as('ann').limits.set(key, { starts: 2, per: '1h', burst: 3 });
    expect(await listed()).toMatchObject({ starts: 2, burst: 3, setBy: 'ann', nextAt: null });
    await client.limits.reset(key);
    await client.jobs.cancelMany({ queue: stage.queue });
    expect(await listed()).toMatchObject({ name: key, starts: null, perMs: null, burst: null, nextAt: null });
    expect(await stage.row(job ?? { publicId: '' })).toMatchObject({ status: 'cancelled' });
  });

  test.once('what a setting leaves out is as jobs say, and it replaces the one before', async (stage) => {
    const { key } = stage;
    const client = clientOf(stage, []);
    stage.defer(() => client.limits.reset(key));
    await stage.put({ limits: JSON.stringify({ [key]: [4, 1, HOUR_MS, 1] }) });
    const said = { max: 4, starts: 1, perMs: HOUR_MS, burst: 1 };
    expect(await limitOf(client, key)).toMatchObject({ ...said, ...unset });
    await client.limits.set(key, { max: 2 });
    expect(await limitOf(client, key)).toMatchObject({ ...said, max: 2, setAt: expect.any(Date) });
    await client.limits.set(key, { starts: 60, per: '1m' });
    expect(await limitOf(client, key)).toMatchObject({ max: 4, starts: 60, perMs: 60_000, burst: 1 });
    await client.limits.set(key, { max: 3, starts: 5, per: '1s', burst: 2 });
    expect(await limitOf(client, key)).toMatchObject({ max: 3, starts: 5, perMs: 1_000, burst: 2 });
  });
});
