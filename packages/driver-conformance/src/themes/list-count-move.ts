import { randomUUID } from 'node:crypto';
import { defineHandler, type JobView, type State } from '@rowlock/core';
import type { JobFilter, JobId } from '@rowlock/core/driver';
import { expect } from 'vitest';
import { countStates } from '../count-states.js';
import { moveOne } from '../move-one.js';
import { ODD_NAMES } from '../names.js';
import { KIND, settlement } from '../stage.js';
import { theme } from '../theme.js';
import { within } from '../until.js';
import { AnyJson, clientOf } from '../worker-process.js';

const NONE: Readonly<Record<State, number>> = {
  new: 0,
  'in-progress': 0,
  complete: 0,
  error: 0,
  cancelled: 0,
};
/** In characters. MySQL sorts in 256 KiB, unless a server is set otherwise. */
const LARGE = 400_000;

const ERROR = { code: 'E', message: 'It failed.' };

export const listCountMove = theme('list, count and move', (test) => {
  test('lists what the row has, and never its id', async ({ key, put, serve, view, row }) => {
    const job = await put({
      key,
      payload: { a: 1 },
      priority: 4,
      maxAttempts: 3,
      unique: { key, scope: 'ever' },
      metadata: { m: 1 },
      limits: '{"a":1,"b":2}',
      createdBy: 'host-a',
    });
    const failed = {
      event: 'fail',
      attempt: 2,
      crashes: 1,
      tookMs: 1_500,
      error: ERROR,
      by: 'host-b',
    } as const;
    await serve(failed, { limits: job.limits });
    const { id: _, ...same } = await row(job);
    const seen = await view(job);
    expect(seen).toEqual({
      ...same,
      limits: { b: { max: 2 }, a: { max: 1 } },
      expiresAt: null,
      worker: null,
      progress: null,
    });
    expect(seen).not.toHaveProperty('id');
  });

  test('lists the newest first, a page at a time, each job once', async ({ driver, queue, putMany }) => {
    const rows = await putMany(Array.from({ length: 23 }, (_, payload) => ({ payload })));
    const listed: JobView[] = [];
    let pages = 0;
    let before: JobId | null = null;
    do {
      const page = await driver.jobs.list({ queue }, { limit: 5, before });
      expect(page.jobs.length).toBeLessThanOrEqual(5);
      listed.push(...page.jobs);
      before = page.next;
      pages += 1;
    } while (before !== null);
    expect(pages).toBe(5);
    expect(listed.map(({ publicId }) => publicId)).toEqual(rows.map(({ publicId }) => publicId).reverse());
  });

  test('the last page says that it is the last, also when it is full', async ({ driver, queue, putMany }) => {
    await putMany([{}, {}, {}, {}]);
    const first = await driver.jobs.list({ queue }, { limit: 2, before: null });
    expect(first.next).not.toBeNull();
    const second = await driver.jobs.list({ queue }, { limit: 2, before: first.next });
    expect(second.jobs).toHaveLength(2);
    expect(second.next).toBeNull();
  });

  test('lists jobs that are larger than the memory in which a server sorts', async (stage) => {
    const { driver, queue, key, putMany, hold, claimMany, claimSession } = stage;
    const payload = 'x'.repeat(LARGE);
    const rows = await putMany(
      Array.from({ length: 20 }, (_, place) => (place % 9 === 0 ? { key, payload } : { key })),
    );
    await hold();
    const settling = claimSession();
    const [job] = await claimMany(settling, 1);
    if (job === undefined) throw new Error('There was nothing to claim.');
    await settling.settle([settlement(job, { event: 'fail', error: { code: 'E', message: payload } })]);
    await settling.commit();
    const newestFirst = rows.map(({ publicId }) => publicId).reverse();
    for (const [filter, jobs] of [
      [{ queue }, 20],
      [{ key }, 20],
      [{ queue, kind: KIND, key }, 20],
      [{ queue, status: 'new' }, 19],
      [{ queue, status: 'error' }, 1],
      [{ publicIds: newestFirst.slice(1, 2) }, 1],
    ] as const) {
      const listed = await driver.jobs.list(filter, { limit: 50, before: null });
      const publicIds = listed.jobs.map(({ publicId }) => publicId);
      expect(publicIds).toHaveLength(jobs);
      expect(publicIds).toEqual(newestFirst.filter((each) => publicIds.includes(each)));
    }
  });

  test('pages stay where they are while jobs come and go', async ({ driver, queue, putMany, put, serve }) => {
    const rows = await putMany(Array.from({ length: 6 }, () => ({})));
    const first = await driver.jobs.list({ queue }, { limit: 3, before: null });
    await put();
    await serve();
    const second = await driver.jobs.list({ queue }, { limit: 3, before: first.next });
    expect([...first.jobs, ...second.jobs].map(({ publicId }) => publicId)).toEqual(
      rows.map(({ publicId }) => publicId).reverse(),
    );
  });

  test('filters by each property, and by all together', async ({ driver, queue, key, putMany, serve }) => {
    const [a, b, c] = await putMany([
      { kind: 'a', key: `${key}-1` },
      { kind: 'b', key: `${key}-1` },
      { kind: 'a', key: `${key}-2`, queue: `${queue}-other` },
    ]);
    await serve({}, { kinds: ['b'] });
    const found = async (filter: JobFilter): Promise<readonly string[]> => {
      const { jobs } = await driver.jobs.list(filter, { limit: 10, before: null });
      return jobs.map(({ publicId }) => publicId);
    };
    const id = (row: { publicId: string } | undefined): string => row?.publicId ?? '';
    expect(await found({ queue })).toEqual([id(b), id(a)]);
    expect(await found({ queue, kind: 'a' })).toEqual([id(a)]);
    expect(await found({ key: `${key}-1` })).toEqual([id(b), id(a)]);
    expect(await found({ key: `${key}-1`, status: 'complete' })).toEqual([id(b)]);
    expect(await found({ key: `${key}-1`, status: 'new' })).toEqual([id(a)]);
    expect(await found({ publicIds: [id(c)] })).toEqual([id(c)]);
    expect(await found({ publicIds: [id(a), randomUUID(), id(c), id(b)] })).toEqual([id(c), id(b), id(a)]);
    expect(await found({ publicIds: [id(c)], queue })).toEqual([]);
    expect(await found({ queue, kind: 'a', key: `${key}-1`, status: 'new', publicIds: [id(a)] })).toEqual([
      id(a),
    ]);
    expect(await found({ publicIds: [randomUUID()] })).toEqual([]);
  });

  test('takes a filter for what it is, whatever it looks like', async ({ driver, queue, put, reader }) => {
    const rows = new Map<string, string>();
    for (const name of ODD_NAMES) rows.set(name, (await put({ kind: name, key: name })).publicId);
    for (const name of ODD_NAMES) {
      for (const filter of [
        { queue, kind: name },
        { queue, key: name },
      ]) {
        const { jobs } = await driver.jobs.list(filter, { limit: 100, before: null });
        expect(jobs.map(({ publicId }) => publicId)).toEqual([rows.get(name)]);
        expect((await countStates(driver, filter)).new).toBe(1);
      }
      expect(
        (await driver.jobs.list({ queue: name }, { limit: 1, before: null })).jobs.map((job) => job.queue),
      ).toEqual([]);
    }
    expect(await reader.jobs(queue)).toHaveLength(ODD_NAMES.length);
  });

  test('lists and counts beside a held job without waiting', async ({
    driver,
    queue,
    key,
    putMany,
    hold,
  }) => {
    await putMany([{ key }, { key }]);
    const { held } = await hold();
    await held.lockSiblings({ queue, keys: [key] }, 10);
    const page = await within('the list', driver.jobs.list({ queue }, { limit: 10, before: null }));
    expect(page.jobs).toHaveLength(2);
    expect((await within('the count', countStates(driver, { queue }))).new).toBe(2);
  });

  test('counts every state, and states without a job as 0', async ({
    driver,
    queue,
    key,
    put,
    serve,
    hold,
  }) => {
    expect(await countStates(driver, { queue })).toEqual(NONE);
    await put({ key });
    await serve();
    await put({ key });
    await serve();
    await put();
    await serve({ event: 'fail', error: ERROR });
    const cancelled = await put();
    await moveOne(driver, 'cancel', cancelled.publicId);
    await put({ available: { inMs: 60_000 } });
    await put({ kind: 'other', key });
    await put();
    await hold();
    expect(await countStates(driver, { queue })).toEqual({
      ...NONE,
      complete: 2,
      error: 1,
      cancelled: 1,
      new: 3,
    });
    expect(await countStates(driver, { queue, key })).toEqual({ ...NONE, complete: 2, new: 1 });
    expect(await countStates(driver, { queue, kind: 'other' })).toEqual({ ...NONE, new: 1 });
    expect(await countStates(driver, { queue, status: 'error' })).toEqual({ ...NONE, error: 1 });
  });

  test('a client takes a public id in capitals for the same job', async (stage) => {
    const { queue, put, row } = stage;
    const handler = defineHandler({ kind: 'work', queue, payload: AnyJson, run: () => {} });
    const client = clientOf(stage, [handler]);
    const job = await put();
    const capitals = job.publicId.toUpperCase();
    expect((await client.find(capitals))?.publicId).toBe(job.publicId);
    expect(await client.cancel(capitals)).toBe('cancelled');
    expect((await row(job)).status).toBe('cancelled');
    await client.redrive(capitals);
    expect((await row(job)).status).toBe('new');
  });

  test('a client finds a job by a handler of its kind, and not by one of another kind', async (stage) => {
    const { queue, put } = stage;
    const Work = defineHandler({ kind: 'work', queue, payload: AnyJson, run: () => 'done' });
    const client = clientOf(stage, []);
    const { publicId } = await put({ kind: 'work', payload: { a: 1 } });
    expect(await client.find(Work, publicId)).toEqual(await client.find(publicId));
    expect(await client.find(Work, publicId)).toMatchObject({ payload: { a: 1 }, output: null });
    expect(await client.find({ kind: 'other', payload: AnyJson }, publicId)).toBeUndefined();
  });

  test('a move of a job that is not there says so', async ({ driver }) => {
    for (const event of ['cancel', 'redrive'] as const) {
      expect(await moveOne(driver, event, randomUUID())).toEqual({ outcome: 'missing' });
    }
  });

  test('cancel of a job that somebody holds answers at once, and leaves it', async ({
    driver,
    put,
    hold,
    row,
  }) => {
    const before = await put();
    const { held, job } = await hold();
    const moved = await within('the cancel beside the held job', moveOne(driver, 'cancel', job.publicId));
    expect(moved).toEqual({ outcome: 'running', redrives: 0 });
    expect(await held.settle([settlement(job)])).toEqual([before.id]);
    await held.commit();
    expect((await row(job)).status).toBe('complete');
  });

  test('cancel reaches every job that a group holds', async ({ driver, queue, key, putMany, hold }) => {
    const rows = await putMany([{ key }, { key }, { key }]);
    const { held } = await hold();
    await held.lockSiblings({ queue, keys: [key] }, 1);
    for (const { publicId } of rows) {
      expect(await moveOne(driver, 'cancel', publicId)).toMatchObject({ outcome: 'running' });
    }
  });

  test('a cancel that is meant for a job before it was redriven leaves it', async ({
    driver,
    put,
    hold,
    row,
  }) => {
    const job = await put();
    const cancel = (redrives: number) => moveOne(driver, 'cancel', job.publicId, redrives);
    expect(await cancel(1)).toEqual({ outcome: 'illegal', status: 'new' });
    expect(await cancel(0)).toEqual({ outcome: 'moved' });
    expect(await cancel(0)).toEqual({ outcome: 'illegal', status: 'cancelled' });
    await moveOne(driver, 'redrive', job.publicId);
    expect((await row(job)).redrives).toBe(1);
    expect(await cancel(0)).toEqual({ outcome: 'illegal', status: 'new' });
    const { held, job: again } = await hold();
    expect(again.redrives).toBe(1);
    expect(await cancel(0)).toEqual({ outcome: 'illegal', status: 'new' });
    expect(await cancel(1)).toEqual({ outcome: 'running', redrives: 1 });
    await held.rollback();
    expect(await cancel(1)).toEqual({ outcome: 'moved' });
  });

  for (const [event, delayMs] of [
    ['retry', 60_000],
    ['snooze', 60_000],
    ['retry', 0],
  ] as const) {
    test(`a cancel that is late finds the job that ${event} in ${delayMs} ms has given back`, async ({
      driver,
      put,
      hold,
      serve,
    }) => {
      const job = await put();
      const { held } = await hold();
      const moved = await moveOne(driver, 'cancel', job.publicId);
      if (moved.outcome !== 'running') return expect.unreachable(moved.outcome);
      await held.rollback();
      await serve({ event, attempt: event === 'retry' ? 1 : 0, error: ERROR, delayMs });
      expect(await moveOne(driver, 'cancel', job.publicId, moved.redrives)).toEqual({ outcome: 'moved' });
    });
  }

  test('of many cancels at once one moves the job, and the others find it cancelled or held', async ({
    driver,
    put,
    row,
  }) => {
    const job = await put();
    const moves = await Promise.all(Array.from({ length: 8 }, () => moveOne(driver, 'cancel', job.publicId)));
    expect(moves.filter(({ outcome }) => outcome === 'moved')).toHaveLength(1);
    expect((await row(job)).status).toBe('cancelled');
  });

  test('a cancelled job is not claimed, and a redriven one is', async ({
    driver,
    put,
    claimSession,
    claim,
    take,
  }) => {
    const job = await put();
    await moveOne(driver, 'cancel', job.publicId);
    expect(await claim(claimSession())).toBeUndefined();
    await moveOne(driver, 'redrive', job.publicId);
    expect((await take(claimSession())).id).toBe(job.id);
  });

  test('a delayed job that was cancelled and redriven may start at once', async ({
    driver,
    put,
    claimSession,
    take,
  }) => {
    const job = await put({ available: { inMs: 3_600_000 } });
    await moveOne(driver, 'cancel', job.publicId);
    await moveOne(driver, 'redrive', job.publicId);
    expect((await take(claimSession())).id).toBe(job.id);
  });

  test('redrive of a job whose unique key a later one has is refused', async ({ driver, key, put, row }) => {
    const unique = { key, scope: 'outstanding' } as const;
    const first = await put({ unique });
    await moveOne(driver, 'cancel', first.publicId);
    const before = await row(first);
    const second = await put({ unique });
    await expect(moveOne(driver, 'redrive', first.publicId)).rejects.toMatchObject({
      name: 'DriverError',
      code: 'UniqueViolation',
    });
    expect(await row(first)).toEqual(before);
    await moveOne(driver, 'cancel', second.publicId);
    expect(await moveOne(driver, 'redrive', first.publicId)).toEqual({ outcome: 'moved' });
  });

  test("joined: a move happens with the caller's commit, or not at all", async ({
    driver,
    put,
    caller,
    row,
  }) => {
    const job = await put();
    const refused = await caller();
    expect(await moveOne(driver.join(refused.tx), 'cancel', job.publicId)).toEqual({ outcome: 'moved' });
    expect((await row(job)).status).toBe('new');
    await refused.rollback();
    expect((await row(job)).status).toBe('new');
    const accepted = await caller();
    await moveOne(driver.join(accepted.tx), 'cancel', job.publicId);
    await accepted.commit();
    expect((await row(job)).status).toBe('cancelled');
  });

  test("joined: list and count see the caller's own writes", async ({ driver, queue, newJob, caller }) => {
    const application = await caller();
    const store = driver.join(application.tx);
    await store.jobs.enqueue([newJob(), newJob()]);
    expect((await store.jobs.list({ queue }, { limit: 10, before: null })).jobs).toHaveLength(2);
    expect((await countStates(store, { queue })).new).toBe(2);
    expect((await countStates(driver, { queue })).new).toBe(0);
  });
});
