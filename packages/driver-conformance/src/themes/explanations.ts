import { randomUUID } from 'node:crypto';
import { defineHandler, type HandlerOptions, type Rowlock, type RunContext } from '@rowlock/core';
import { expect } from 'vitest';
import type { JobRow } from '../driver-harness.js';
import { seeded } from '../random.js';
import type { Stage } from '../stage.js';
import { insightTheme } from '../theme.js';
import { aborted, gate, until, within } from '../until.js';
import { AnyJson, clientOf, SOON, startWorker } from '../worker-process.js';

type Policy = Partial<HandlerOptions<typeof AnyJson>>;

/** A handler of the test's queue whose runs go on until `finish`. `running` opens when the first one has begun. */
function lasting<Tx>({ queue, defer }: Stage<Tx>, policy: Policy = {}, started: string[] = []) {
  const [running, finish] = [gate(), gate()];
  defer(async () => finish.open());
  const run = async ({ jobs, signal }: RunContext<unknown, Tx>): Promise<void> => {
    started.push(...jobs.map(({ publicId }) => publicId));
    running.open();
    await Promise.race([finish.promise, aborted(signal)]);
  };
  const handler = defineHandler({ kind: 'work', queue, payload: AnyJson, ...policy, run });
  return { handler, running: running.promise, finish: () => finish.open() };
}

/** The causes, without their sentences. */
async function causes<Tx>(client: Rowlock<Tx>, job: { readonly publicId: string }) {
  const { reasons } = await client.insight.explain(job.publicId);
  for (const { text } of reasons) expect(text).toMatch(/^[A-Z0-9].*\.$/s);
  return reasons.map(({ text: _, ...cause }) => cause);
}

export const explanations = insightTheme('explanations', (test) => {
  test.once('the first job of a queue that a live worker serves has nothing in its way', async (stage) => {
    const { driver, queue } = stage;
    const client = clientOf(stage, []);
    await stage.anchor(driver, { queues: [queue], kinds: { work: [] } });
    const { publicId } = await stage.put();
    expect(await client.insight.explain(publicId)).toEqual({
      publicId,
      status: 'new',
      at: expect.any(Date),
      reasons: [],
    });
  });

  test.once('a job that does not exist is an error', async (stage) => {
    const client = clientOf(stage, []);
    const missing = { code: 'ROWLOCK_JOB_NOT_FOUND' };
    await expect(client.insight.explain('11111111-1111-4111-8111-111111111111')).rejects.toMatchObject(
      missing,
    );
    await expect(client.insight.explain('no id')).rejects.toMatchObject(missing);
  });

  test.once('a settled job has ended, with the error of its end', async (stage) => {
    const client = clientOf(stage, []);
    const { handler } = lasting(stage);
    const job = await client.enqueue(handler, { payload: 1 });
    await client.cancel(job.publicId);
    expect(await causes(client, job)).toEqual([
      { reason: 'settled', status: 'cancelled', at: expect.any(Date), error: null, blocks: true },
    ]);
    const failed = await stage.put();
    await stage.serve({ event: 'fail' });
    expect(await causes(client, failed)).toMatchObject([
      { reason: 'settled', status: 'error', error: { code: 'E_CONFORMANCE' } },
    ]);
  });

  test.once('a delayed job waits for its time, after an attempt that failed too', async (stage) => {
    const { driver, queue, reader } = stage;
    const client = clientOf(stage, []);
    await stage.anchor(driver, { queues: [queue], kinds: { work: [] } });
    const at = new Date((await reader.now()).getTime() + 3_600_000);
    const job = await stage.put({ available: { at } });
    expect(await causes(client, job)).toEqual([
      { reason: 'delayed', until: at, attempt: 0, maxAttempts: job.maxAttempts, error: null, blocks: true },
    ]);
    const retried = await stage.put();
    const error = { code: 'E_NO', message: 'Not yet.' };
    await stage.serve({ event: 'retry', delayMs: 3_600_000, error });
    expect(await causes(client, retried)).toMatchObject([{ reason: 'delayed', attempt: 1, error }]);
  });

  test('a job that runs is with a run of a worker, and the others of its key wait for it', async (stage) => {
    const { key } = stage;
    const { handler, running } = lasting(stage);
    const client = clientOf(stage, [handler]);
    const first = await client.enqueue(handler, { payload: 1, key });
    const { worker } = await startWorker(stage, [handler]);
    await within('the handler runs', running);
    const [run] = await stage.reader.runs(first.publicId);
    const held = { runId: run?.runId, worker: worker.name, since: run?.startedAt, alive: true };
    expect(await causes(client, first)).toEqual([{ reason: 'running', ...held, blocks: true }]);
    expect(await client.insight.explain(first.publicId)).toMatchObject({ status: 'in-progress' });
    const second = await client.enqueue(handler, { payload: 2, key });
    expect(await causes(client, second)).toContainEqual({
      reason: 'key',
      key,
      job: { publicId: first.publicId, kind: 'work', run: held },
      blocks: true,
    });
  });

  test('a lease whose worker is gone is told apart', async (stage) => {
    const { handler, running } = lasting(stage, { claim: 'lease' });
    const client = clientOf(stage, [handler]);
    const job = await client.enqueue(handler, { payload: 1 });
    const { process } = await startWorker(stage, [handler]);
    await within('the handler runs', running);
    await process.kill();
    await until('the worker is not alive', async () =>
      (await causes(client, job)).some((cause) => cause.reason === 'running' && !cause.alive),
    );
  });

  test.once('an earlier job of the key goes first, and its own causes are named', async (stage) => {
    const { driver, queue, key, defer } = stage;
    const client = clientOf(stage, []);
    await stage.anchor(driver, { queues: [queue], kinds: { work: [], other: [] } });
    const first = await stage.put({ key, kind: 'other', priority: 1 });
    const second = await stage.put({ key, priority: 0 });
    const job = { publicId: first.publicId, kind: 'other' };
    expect(await causes(client, second)).toEqual([
      {
        reason: 'earlier',
        key,
        job,
        causes: [],
        blocks: false,
      },
    ]);
    defer(() => client.jobs.resume({ kind: 'other' }));
    await client.jobs.pause({ kind: 'other' });
    expect(await causes(client, second)).toMatchObject([
      { reason: 'earlier', job, causes: [{ reason: 'paused' }], blocks: true },
    ]);
  });

  test.once("a job waits for the kinds of its handler's `after`, of its key, in any queue", async (stage) => {
    const { driver, queue, key } = stage;
    const client = clientOf(stage, []);
    await stage.anchor(driver, { queues: [queue], kinds: { work: ['create'] } });
    const create = await stage.put({ key, kind: 'create', queue: `${queue} 2` });
    await stage.put({ key: `${key} 2`, kind: 'create', queue: `${queue} 2` });
    const job = await stage.put({ key });
    expect(await causes(client, job)).toEqual([
      { reason: 'after', key, job: { publicId: create.publicId, kind: 'create' }, blocks: true },
    ]);
  });

  test('a limit that is full names the jobs that have its slots', async (stage) => {
    const name = stage.key;
    const { handler, running, finish } = lasting(stage, { limit: { name, max: 1 } });
    const client = clientOf(stage, [handler]);
    const first = await client.enqueue(handler, { payload: 1 });
    const { worker } = await startWorker(stage, [handler]);
    await within('the handler runs', running);
    const second = await client.enqueue(handler, { payload: 2 });
    const run = expect.objectContaining({ worker: worker.name, alive: true });
    expect(await causes(client, second)).toEqual([
      { reason: 'limit', name, max: 1, by: [{ publicId: first.publicId, kind: 'work', run }], blocks: true },
    ]);
    finish();
    await until('the second job is done', async () => (await stage.row(second)).status === 'complete');
  });

  test.once('a limit is full by slots without a job, and by a size that was set', async (stage) => {
    const { driver, queue, key: name } = stage;
    const client = clientOf(stage, []);
    await stage.anchor(driver, { queues: [queue], kinds: { work: [] } });
    const job = await stage.put({ limits: JSON.stringify({ [name]: 5 }) });
    const slot = await client.limits.slots(name, { max: 5 }).acquire();
    expect(await causes(client, job)).toEqual([]);
    await client.limits.set(name, { max: 1 });
    expect(await causes(client, job)).toEqual([{ reason: 'limit', name, max: 1, by: [], blocks: true }]);
    await slot[Symbol.asyncDispose]();
    expect(await causes(client, job)).toEqual([]);
    await client.limits.reset(name);
  });

  test.once('a rate that is used up has a time for the next start', async (stage) => {
    const { driver, queue, reader, key: name } = stage;
    const client = clientOf(stage, []);
    await stage.anchor(driver, { queues: [queue], kinds: { work: [] } });
    const job = await stage.put({ limits: JSON.stringify({ [name]: [1, 3_600_000, 1] }) });
    expect(await causes(client, job)).toEqual([]);
    const rate = { name, starts: 1, perMs: 3_600_000, burst: 1 };
    expect(await driver.admission.take([rate], '11111111-1111-4111-8111-111111111111')).toEqual([0]);
    const began = Date.now();
    const [cause] = await causes(client, job);
    const tookMs = Date.now() - began;
    expect(cause).toEqual({ reason: 'starts', name, at: expect.any(Date), blocks: true });
    // The servers read their clock at some moments of the call.
    const next = (await reader.rate(name))?.nextMs ?? 0;
    const late = (cause?.reason === 'starts' ? cause.at.getTime() : 0) - next;
    expect(Math.abs(late)).toBeLessThan(tookMs + 2);
    await client.limits.set(name, { starts: 1_000_000, per: '1s', burst: 1_000 });
    expect(await causes(client, job)).toEqual([]);
    await client.limits.reset(name);
  });

  for (const scope of ['queue', 'kind', 'limit', 'all'] as const)
    test.once(`a pause of ${scope} says by whom, why and until when`, async (stage) => {
      const { driver, queue, key: name, reader, defer } = stage;
      const client = clientOf(stage, []);
      const kind = `kind of ${name}`;
      await stage.anchor(driver, { queues: [queue], kinds: { [kind]: [] } });
      const work =
        scope === 'all' ? scope : { queue: { queue }, kind: { kind }, limit: { limit: name } }[scope];
      const ends = new Date((await reader.now()).getTime() + 3_600_000);
      defer(() => client.jobs.resume(work));
      await client.as('ann').jobs.pause(work, { until: ends, reason: 'a 429' });
      const job = await stage.put({ kind, limits: JSON.stringify({ [name]: 5 }) });
      const target = { queue, kind, limit: name, all: '' }[scope];
      const paused = { until: ends, because: 'a 429', by: 'ann', since: expect.any(Date), blocks: true };
      expect(await causes(client, job)).toEqual([{ reason: 'paused', scope, name: target, ...paused }]);
      await client.jobs.resume(work);
      expect(await causes(client, job)).toEqual([]);
    });

  test.once(
    'a kind that nobody serves in the queue is told, with the queues that serve it',
    async (stage) => {
      const { driver, queue } = stage;
      const client = clientOf(stage, []);
      const job = await stage.put({ kind: `kind of ${queue}` });
      const unserved = { reason: 'unserved', queue, kind: job.kind, blocks: true };
      expect(await causes(client, job)).toEqual([{ ...unserved, servedIn: [] }]);
      await stage.anchor(driver, { queues: [`${queue} 2`], kinds: { [job.kind]: [] } });
      expect(await causes(client, job)).toEqual([{ ...unserved, servedIn: [`${queue} 2`] }]);
      const anchor = await stage.anchor(driver, { kinds: { [job.kind]: [] } });
      expect(await causes(client, job)).toEqual([]);
      await anchor.release();
      expect(await causes(client, job)).toEqual([{ ...unserved, servedIn: [`${queue} 2`] }]);
    },
  );

  test.once('due jobs that come first are counted, in the order of the claim', async (stage) => {
    const { driver, queue } = stage;
    const client = clientOf(stage, []);
    await stage.anchor(driver, { queues: [queue], kinds: { work: [], paused: [] } });
    await stage.putMany([
      { priority: -1 },
      { priority: 0 },
      { priority: 2 },
      { priority: 0, available: { inMs: 3_600_000 } },
      { priority: 0, limits: '{"other":1}' },
    ]);
    const job = await stage.put({ priority: 1 });
    await stage.put({ priority: 1 });
    expect(await causes(client, job)).toEqual([{ reason: 'backlog', jobs: 2, more: false, blocks: false }]);
    await stage.putMany(Array.from({ length: 1_000 }, () => ({ priority: 0 })));
    expect(await causes(client, job)).toEqual([
      { reason: 'backlog', jobs: 1_000, more: true, blocks: false },
    ]);
  });

  test('jobs that no claim takes are not counted among those that come first', async (stage) => {
    const { driver, queue, key, defer } = stage;
    const { handler, running } = lasting(stage);
    const client = clientOf(stage, [handler]);
    const paused = `paused of ${key}`;
    defer(() => client.jobs.resume({ kind: paused }));
    await client.jobs.pause({ kind: paused });
    await stage.put({ key: `${key} held` });
    await startWorker(stage, [handler], { concurrency: 1 });
    await within('the handler runs', running);
    // The kind is served in another queue alone.
    await stage.anchor(driver, { queues: [`${queue} 2`], kinds: { unserved: [] } });
    await stage.anchor(driver, { queues: [queue], kinds: { [paused]: [], first: [], second: ['first'] } });
    await stage.put({ kind: 'first', key: `${key} 6`, available: { inMs: 3_600_000 } });
    await stage.putMany([
      { kind: 'unserved' },
      { kind: paused },
      { key: `${key} held` },
      { kind: 'unserved', key: `${key} 2` },
      { key: `${key} 2` },
      { kind: paused, key: `${key} 3` },
      { key: `${key} 3` },
      { key: `${key} 5`, limits: '{"of 5":1}' },
      { key: `${key} 5` },
      { kind: 'second', key: `${key} 6` },
      { key: `${key} 6` },
    ]);
    const counted = await stage.putMany([{}, { key: `${key} 4` }, { key: `${key} 4` }]);
    const job = await stage.put({ key, priority: 1 });
    await stage.put({ key, priority: -1 });
    expect(await causes(client, job)).toEqual([
      { reason: 'backlog', jobs: counted.length, more: false, blocks: false },
    ]);
  });

  test.once('an explanation names the jobs that are waited for', async (stage) => {
    const { queue } = stage;
    const handler = defineHandler({ kind: 'work', queue, payload: AnyJson, run: () => {} });
    const client = clientOf(stage, [handler]);
    const [first, second] = await client.enqueueMany(handler, [{ payload: 1 }, { payload: 2 }]);
    const after = [first?.publicId ?? '', second?.publicId ?? ''];
    const { publicId } = await client.enqueue(handler, { payload: 3, after });
    await client.cancel(after[0] ?? '');
    const { reasons } = await client.insight.explain(publicId);
    expect(reasons).toMatchObject([
      { reason: 'follows', jobs: [{ publicId: after[1], kind: 'work' }], more: false, blocks: true },
      { reason: 'unserved' },
    ]);
    expect(reasons[0]?.text).toContain(after[1]);
  });

  for (let seed = 1; seed <= 8; seed++)
    test(`a worker takes what has nothing in its way, and nothing that is blocked (${seed})`, async (stage) => {
      const { queue, key, reader, defer, driver } = stage;
      const random = seeded(seed);
      const draw = <Item>(first: Item, ...others: readonly Item[]): Item =>
        others[Math.floor(random() * (others.length + 1))] ?? first;
      const started: string[] = [];
      const [rate, limit, kind] = [`${key} rate`, `${key} limit`, `${key} kind`];
      const work = lasting(stage, {}, started).handler;
      const other = lasting(stage, { kind, after: ['work'], retry: SOON }, started).handler;
      const client = clientOf(stage, [work, other]);
      const later = new Date((await reader.now()).getTime() + 3_600_000);
      defer(() => client.jobs.resume({ kind }));
      defer(() => client.jobs.resume({ limit }));
      if (draw(false, false, false, true)) await client.jobs.pause({ kind });
      if (draw(false, false, false, true)) await client.jobs.pause({ limit });
      if (draw(false, false, true)) {
        const slot = await client.limits.slots(limit, { max: 1 }).acquire();
        defer(() => slot[Symbol.asyncDispose]());
      }
      if (draw(false, false, true))
        await driver.admission.take([{ name: rate, starts: 1, perMs: 3_600_000, burst: 1 }], randomUUID());
      const limited = [JSON.stringify({ [limit]: 1 }), JSON.stringify({ [rate]: [1, 3_600_000, 1] })];
      const jobs = await stage.putMany(
        Array.from({ length: 8 }, () => ({
          kind: draw('work', 'work', kind, kind, 'unserved'),
          key: draw(null, null, key, `${key} 2`),
          priority: draw(0, 1),
          limits: draw('', ...limited),
          ...draw({}, {}, {}, {}, { available: { at: later } }),
        })),
      );
      await stage.anchor(driver, { queues: [queue], kinds: { work: [], [kind]: ['work'] } });
      const explained = await Promise.all(jobs.map(({ publicId }) => client.insight.explain(publicId)));
      const blocked = explained.filter(({ reasons }) => reasons.some(({ blocks }) => blocks));
      const free = jobs.filter((_, place) => explained[place]?.reasons.length === 0);
      // Eight slots look at once, so that a job behind it in the line may take the one place of a limit.
      const hasBegun = ({ publicId, limits }: JobRow): boolean =>
        started.includes(publicId) ||
        jobs.some((other) => limits !== '' && other.limits === limits && started.includes(other.publicId));
      const { worker } = await startWorker(stage, [work, other], { concurrency: 8 });
      await until('the worker has begun all that is free', async () => free.every(hasBegun));
      await worker.stop({ drain: 0 });
      expect(blocked.filter(({ publicId }) => started.includes(publicId))).toEqual([]);
    });
});
