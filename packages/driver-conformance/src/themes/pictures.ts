import { randomUUID } from 'node:crypto';
import { defineHandler } from '@rowlock/core';
import type { PicturedJob } from '@rowlock/core/types';
import { expect } from 'vitest';
import type { Stage } from '../stage.js';
import { insightTheme } from '../theme.js';
import { aborted, gate, until, within } from '../until.js';
import { AnyJson, clientOf, startWorker } from '../worker-process.js';

const HOUR_MS = 3_600_000;
const delayed = { available: { inMs: HOUR_MS } } as const;

/** A worker's row that serves these kinds of the test's queue. */
function serve<Tx>({ driver, queue, anchor }: Stage<Tx>, kinds: Readonly<Record<string, readonly string[]>>) {
  return anchor(driver, { queues: [queue], kinds });
}

/** The states of the jobs, in the order of the picture. */
function states(jobs: readonly PicturedJob[]) {
  return jobs.map(({ publicId, state, waitsFor }) => ({ publicId, state, waitsFor }));
}

export const pictures = insightTheme('pictures', (test) => {
  test.once('an empty queue has no jobs', async (stage) => {
    const { queue } = stage;
    const picture = await clientOf(stage, []).insight.picture({ queue });
    expect(picture).toEqual({ queue, at: expect.any(Date), jobs: [], more: false, workers: [] });
  });

  test.once(
    'due jobs come in the order of the claim, and delayed ones behind them in the order of their times',
    async (stage) => {
      const { queue, key, reader } = stage;
      await serve(stage, { work: [] });
      const rows = await stage.putMany([
        { ...delayed, available: { inMs: 2 * HOUR_MS } },
        delayed,
        { priority: 1 },
        { priority: 0, limits: JSON.stringify({ [key]: 1 }) },
        { priority: 0 },
        { priority: -1, key },
      ]);
      const [last, later, fourth, second, third, first] = rows;
      const { jobs, at, more, workers } = await clientOf(stage, []).insight.picture({ queue });
      expect(jobs.map(({ publicId }) => publicId)).toEqual(
        [first, second, third, fourth, later, last].map((row) => row?.publicId),
      );
      expect(jobs.map(({ state }) => state)).toEqual(['due', 'due', 'due', 'due', 'delayed', 'delayed']);
      expect(jobs[0]).toEqual({
        publicId: first?.publicId,
        kind: 'work',
        key,
        priority: -1,
        availableAt: first?.availableAt,
        run: null,
        state: 'due',
        waitsFor: null,
      });
      expect(more).toBe(false);
      expect(workers).toMatchObject([{ queues: [queue], alive: true }]);
      expect(Math.abs(at.getTime() - (await reader.now()).getTime())).toBeLessThan(60_000);
    },
  );

  test.once('settled jobs and those of other queues are not in it', async (stage) => {
    const { queue } = stage;
    await stage.put();
    await stage.serve();
    await stage.put({ queue: `${queue} 2` });
    const { publicId } = await stage.put();
    const { jobs } = await clientOf(stage, []).insight.picture({ queue });
    expect(jobs.map((job) => job.publicId)).toEqual([publicId]);
  });

  test('the jobs of a run have its id, its worker and its begin, and later ones of the key wait for them', async (stage) => {
    const { queue, key, reader } = stage;
    const [running, finish] = [gate(), gate()];
    stage.defer(async () => finish.open());
    const handler = defineHandler({
      kind: 'work',
      queue,
      payload: AnyJson,
      group: true,
      run: async ({ signal }) => {
        running.open();
        await Promise.race([finish.promise, aborted(signal)]);
      },
    });
    const client = clientOf(stage, [handler]);
    const jobs = await client.enqueueMany(
      handler,
      [1, 2].map((payload) => ({ payload, key })),
    );
    const { worker } = await startWorker(stage, [handler]);
    await within('the group runs', running.promise);
    const later = await client.enqueue(handler, { payload: 3, key });
    const other = await client.enqueue(handler, { payload: 4, delay: '1h' });
    const [record] = await reader.runs(jobs[0]?.publicId ?? '');
    const run = { runId: record?.runId, worker: worker.name, since: record?.startedAt, alive: true };
    const picture = await client.insight.picture({ queue });
    expect(picture.jobs.map(({ publicId, run: has }) => ({ publicId, run: has }))).toEqual([
      ...jobs.map(({ publicId }) => ({ publicId, run })),
      { publicId: later.publicId, run: null },
      { publicId: other.publicId, run: null },
    ]);
    const waitsFor = jobs[0]?.publicId;
    expect(states(picture.jobs)).toMatchObject([
      { state: 'running' },
      { state: 'running' },
      { state: 'key', waitsFor },
      { state: 'delayed' },
    ]);
    expect(picture.workers.map(({ name }) => name)).toEqual([worker.name]);
  });

  test.once(
    'a job waits for an earlier one of its key, also if that one is not at the front',
    async (stage) => {
      const { queue, key } = stage;
      await serve(stage, { work: [] });
      const [first, second, third] = await stage.putMany([{ key, priority: 9 }, { key }, {}]);
      const { jobs } = await clientOf(stage, []).insight.picture({ queue });
      const waits = { state: 'earlier', waitsFor: first?.publicId };
      expect(states(jobs)).toEqual([
        { publicId: second?.publicId, ...waits },
        { publicId: third?.publicId, state: 'due', waitsFor: null },
        { publicId: first?.publicId, state: 'due', waitsFor: null },
      ]);
      const two = await clientOf(stage, []).insight.picture({ queue, limit: 2 });
      expect(states(two.jobs)).toEqual(states(jobs));
      const one = await clientOf(stage, []).insight.picture({ queue, limit: 1 });
      expect(states(one.jobs)).toEqual([states(jobs)[0], states(jobs)[2]]);
      expect(one.more).toBe(true);
    },
  );

  test.once('a job waits for an earlier one by `after`, in whatever queue that is', async (stage) => {
    const { queue, key } = stage;
    await serve(stage, { work: ['before'] });
    const first = await stage.put({ kind: 'before', queue: `${queue} 2`, key });
    const job = await stage.put({ key });
    const { jobs } = await clientOf(stage, []).insight.picture({ queue });
    expect(states(jobs)).toEqual([{ publicId: job.publicId, state: 'after', waitsFor: first.publicId }]);
  });

  test.once('a job waits for other jobs by `after` of its enqueue', async (stage) => {
    const { driver, queue } = stage;
    await serve(stage, { work: [] });
    const first = await stage.put();
    const [job] = await driver.jobs.enqueue([stage.newJob({ after: [first.publicId] })]);
    const { jobs } = await clientOf(stage, []).insight.picture({ queue });
    expect(states(jobs)).toEqual([
      { publicId: first.publicId, state: 'due', waitsFor: null },
      { publicId: job?.publicId, state: 'follows', waitsFor: first.publicId },
    ]);
  });

  test.once('paused jobs and jobs that nobody serves are told apart', async (stage) => {
    const { queue, key } = stage;
    const client = clientOf(stage, []);
    const kind = `kind of ${queue}`;
    await serve(stage, { work: [], [kind]: [] });
    await stage.putMany([{}, { kind }, { limits: JSON.stringify({ [key]: 1 }) }, { kind: 'unserved' }]);
    const seen = async () => (await client.insight.picture({ queue })).jobs.map(({ state }) => state);
    expect(await seen()).toEqual(['due', 'due', 'due', 'unserved']);
    stage.defer(() => client.jobs.resume({ kind }));
    stage.defer(() => client.jobs.resume({ limit: key }));
    await client.jobs.pause({ kind });
    await client.jobs.pause({ limit: key });
    expect(await seen()).toEqual(['due', 'paused', 'paused', 'unserved']);
    stage.defer(() => client.jobs.resume({ queue }));
    await client.jobs.pause({ queue });
    expect(await seen()).toEqual(['paused', 'paused', 'paused', 'paused']);
  });

  test.once('a job whose limit is full, or whose rate is used up, waits for it', async (stage) => {
    const { driver, queue, key } = stage;
    const client = clientOf(stage, []);
    await serve(stage, { work: [] });
    const [limit, rate] = [`${key} limit`, `${key} rate`];
    await stage.putMany([
      { limits: JSON.stringify({ [limit]: 1 }) },
      { limits: JSON.stringify({ [rate]: [1, HOUR_MS, 1] }) },
    ]);
    const seen = async () =>
      (await client.insight.picture({ queue })).jobs.map(({ state, waitsFor }) => [state, waitsFor]);
    const free = [
      ['due', null],
      ['due', null],
    ];
    expect(await seen()).toEqual(free);
    const slot = await client.limits.slots(limit, { max: 1 }).acquire();
    stage.defer(() => slot[Symbol.asyncDispose]());
    const take = randomUUID();
    await driver.admission.take([{ name: rate, starts: 1, perMs: HOUR_MS, burst: 1 }], take);
    expect(await seen()).toEqual([
      ['limit', limit],
      ['starts', rate],
    ]);
    await slot[Symbol.asyncDispose]();
    await driver.admission.giveBack([rate], take);
    expect(await seen()).toEqual(free);
  });

  test.once('each set of limits has its share of the front', async (stage) => {
    const { queue, key } = stage;
    const limited = (name: string) => ({ limits: JSON.stringify({ [name]: 1 }) });
    const many = await stage.putMany(Array.from({ length: 8 }, () => limited(`${key} many`)));
    const few = await stage.putMany([limited(`${key} few`)]);
    const { jobs, more } = await clientOf(stage, []).insight.picture({ queue, limit: 4 });
    expect(jobs.map(({ publicId }) => publicId)).toEqual(
      [...many.slice(0, 2), ...few].map(({ publicId }) => publicId),
    );
    expect(more).toBe(true);
  });

  test.once('what is not shown is said', async (stage) => {
    const { queue } = stage;
    const client = clientOf(stage, []);
    await stage.putMany([{}, {}, delayed]);
    const { jobs, more } = await client.insight.picture({ queue, limit: 2 });
    expect(jobs.map(({ state }) => state)).toEqual(['unserved', 'unserved']);
    expect(more).toBe(true);
    expect(await client.insight.picture({ queue, limit: 3 })).toMatchObject({ more: false });
    await expect(client.insight.picture({ queue, limit: 10_001 })).rejects.toMatchObject({
      code: 'ROWLOCK_INVALID_INPUT',
    });
  });

  test.once('a picture waits for no lock, and a claim does not meet it', async (stage) => {
    const { queue, key } = stage;
    const [job] = await stage.putMany([{ key }, { limits: JSON.stringify({ [key]: 1 }) }]);
    const { held } = await stage.hold();
    const { jobs } = await within('the picture', clientOf(stage, []).insight.picture({ queue }));
    expect(jobs).toHaveLength(2);
    expect(jobs[0]?.publicId).toBe(job?.publicId);
    await held.rollback();
    await until('the job can be claimed', async () => {
      const session = stage.claimSession();
      const claimed = await stage.claim(session);
      await session.rollback();
      return claimed !== undefined;
    });
  });
});
