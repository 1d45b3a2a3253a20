import { defineHandler, type Json, STATES, type State } from '@rowlock/core';
import { hasMembers, type JobFilter, type JobId, type Page } from '@rowlock/core/driver';
import type { Members } from '@rowlock/core/types';
import { expect } from 'vitest';
import type { JobRow } from '../driver-harness.js';
import { moveOne } from '../move-one.js';
import type { Stage } from '../stage.js';
import { theme } from '../theme.js';
import { gate, until } from '../until.js';
import { AnyJson, clientOf, startWorker } from '../worker-process.js';

const DAY_MS = 86_400_000;
const day = (n: number): Date => new Date(Date.UTC(2020, 0, n));

/** The payloads of the jobs that a filter finds, oldest first, by each verb. */
async function found<Tx>({ driver, queue, reader }: Stage<Tx>, filter: JobFilter): Promise<readonly Json[]> {
  const page = { limit: 100, before: null };
  const { jobs } = await driver.jobs.list({ queue, ...filter }, page);
  const entries = await driver.jobs.entries({ queue, ...filter }, page);
  expect(entries.jobs.map(({ publicId }) => publicId)).toEqual(jobs.map(({ publicId }) => publicId));
  const rows = new Map((await reader.jobs(queue)).map((row) => [row.publicId, row]));
  expect(entries.jobs.map(({ id }) => id)).toEqual(jobs.map(({ publicId }) => rows.get(publicId)?.id));
  expect(await driver.jobs.count({ queue, ...filter }, page)).toEqual({ count: jobs.length, next: null });
  const oldest = { ...page, order: 'oldest' } as const;
  expect(await driver.jobs.list({ queue, ...filter }, oldest)).toEqual({
    jobs: jobs.toReversed(),
    next: null,
  });
  const fromOldest = await driver.jobs.entries({ queue, ...filter }, oldest);
  expect(fromOldest.jobs.map(({ id }) => id)).toEqual(entries.jobs.map(({ id }) => id).toReversed());
  return jobs.map(({ payload }) => payload).reverse();
}

/** Jobs in all states that need no worker, of days of their own. */
async function history<Tx>(stage: Stage<Tx>): Promise<void> {
  const { driver, key, put, serve, reader } = stage;
  const dated = async (job: JobRow, n: number, isSettled: boolean): Promise<void> => {
    const at = { createdAt: day(n), availableAt: day(n + 1) };
    await reader.write(job.publicId, isSettled ? { ...at, finishedAt: day(n + 2) } : at);
  };
  const complete = await put({ kind: 'a', key, payload: 'complete' });
  await serve({}, { kinds: ['a'] });
  const failed = await put({ kind: 'b', key, payload: 'failed' });
  await serve(
    { event: 'fail', error: { code: 'E_ONE', message: 'The Door is 100% shut_' } },
    { kinds: ['b'] },
  );
  const other = await put({ kind: 'a', payload: 'failed otherwise' });
  await serve({ event: 'fail', error: { code: 'E_TWO', message: 'no' } }, { kinds: ['a'] });
  const again = await put({ kind: 'c', payload: 'tried' });
  const delayMs = DAY_MS;
  await serve({ event: 'retry', delayMs, error: { code: 'E_ONE', message: 'a door' } }, { kinds: ['c'] });
  const cancelled = await put({ kind: 'a', payload: 'cancelled' });
  await moveOne(driver, 'cancel', cancelled.publicId);
  const waiting = await put({ kind: 'b', payload: 'waiting' });
  for (const [place, job] of [complete, failed, other, again, cancelled, waiting].entries())
    await dated(job, 10 * (place + 1), ![again, waiting].includes(job));
}

const FILTERS: readonly (readonly [name: string, filter: JobFilter, payloads: readonly string[]])[] = [
  ['one kind', { kind: 'c' }, ['tried']],
  ['several kinds', { kind: ['c', 'b', 'none'] }, ['failed', 'tried', 'waiting']],
  ['one state', { status: 'error' }, ['failed', 'failed otherwise']],
  ['a list of one state', { status: ['cancelled'] }, ['cancelled']],
  ['failed and cancelled', { status: ['cancelled', 'error'] }, ['failed', 'failed otherwise', 'cancelled']],
  ['the same state twice', { status: ['error', 'error'] }, ['failed', 'failed otherwise']],
  ['outstanding', { status: ['new', 'in-progress'] }, ['tried', 'waiting']],
  ['new and complete', { status: ['new', 'complete'] }, ['complete', 'tried', 'waiting']],
  ['in progress and error', { status: ['in-progress', 'error'] }, ['failed', 'failed otherwise']],
  [
    'all states',
    { status: STATES },
    ['complete', 'failed', 'failed otherwise', 'tried', 'cancelled', 'waiting'],
  ],
  ['created from', { created: { from: day(50) } }, ['cancelled', 'waiting']],
  ['created before', { created: { before: day(20) } }, ['complete']],
  ['created between', { created: { from: day(20), before: day(40) } }, ['failed', 'failed otherwise']],
  ['settled from', { settled: { from: day(22) } }, ['failed', 'failed otherwise', 'cancelled']],
  ['settled before', { settled: { before: day(22) } }, ['complete']],
  ['settled between', { settled: { from: day(22), before: day(32) } }, ['failed']],
  ['due from', { due: { from: day(51) } }, ['cancelled', 'waiting']],
  ['due before', { due: { before: day(21) } }, ['complete']],
  ['the code of an error', { error: { code: 'E_ONE' } }, ['failed', 'tried']],
  ['a part of a code', { error: { code: 'E_' } }, []],
  ['a code with a blank more', { error: { code: 'E_ONE ' } }, []],
  ['a code in small letters', { error: { code: 'e_one' } }, []],
  ['a part of a message', { error: { text: 'oor' } }, ['failed', 'tried']],
  ['a part with a capital', { error: { text: 'Door' } }, ['failed']],
  ['a part with signs of patterns', { error: { text: '100% shut_' } }, ['failed']],
  ['a sign of patterns alone', { error: { text: '%d' } }, []],
  ['code and text', { error: { code: 'E_ONE', text: 'a door' } }, ['tried']],
  ['an error of a state', { status: 'error', error: { code: 'E_ONE' } }, ['failed']],
  ['a kind of a time', { kind: 'a', created: { from: day(30) } }, ['failed otherwise', 'cancelled']],
];

const PAYLOADS: readonly Json[] = [
  {},
  { a: 1 },
  { a: '1' },
  { a: true },
  { a: null },
  { a: [1, '1'] },
  { a: {} },
  { a: { b: 'x', c: 2 } },
  { a: { b: ['x'] } },
  [{ a: 1 }],
  { 'a.b': 'x', '': 0, '"': 'q', $: 1.5, ä: 'ö' },
  { a: { b: { c: 12.25 } }, d: false },
  { a: 'X ', b: 1e21 },
  'a',
  7,
  null,
];

const WANTED: readonly Members[] = [
  {},
  { a: 1 },
  { a: '1' },
  { a: true },
  { a: false },
  { a: null },
  { a: {} },
  { a: { b: 'x' } },
  { a: { b: 'x', c: 2 } },
  { a: { b: { c: 12.25 } }, d: false },
  { 'a.b': 'x' },
  { '': 0, '"': 'q' },
  { $: 1.5 },
  { ä: 'ö' },
  { a: 'X' },
  { a: 'X ' },
  { a: 'x ' },
  { b: 1e21 },
  { missing: null },
];

export const filters = theme('filters', (test) => {
  for (const [name, filter, payloads] of FILTERS) {
    test(`finds, lists and counts by ${name}`, async (stage) => {
      await history(stage);
      expect(await found(stage, filter)).toEqual(payloads);
      const some = payloads.filter((each) => ['complete', 'failed'].includes(each));
      expect(await found(stage, { ...filter, key: stage.key })).toEqual(some);
    });
  }

  test('a payload has the members that it has, at any depth, and nothing else', async (stage) => {
    await stage.putMany(PAYLOADS.map((payload) => ({ payload })));
    for (const payload of WANTED) {
      const wanted = PAYLOADS.filter((each) => hasMembers(each, payload));
      expect(await found(stage, { payload }), JSON.stringify(payload)).toEqual(wanted);
    }
  });

  test('a look ends after its rows, whatever it has found, and another one goes on, in both orders', async (stage) => {
    const { driver, queue, putMany } = stage;
    const rows = await putMany(Array.from({ length: 30 }, (_, n) => ({ payload: { n, odd: n % 2 === 1 } })));
    const filter = { queue, payload: { odd: true } } as const;
    const wanted = rows.map(({ payload }) => payload).filter((payload) => hasMembers(payload, { odd: true }));
    // Jobs of other tests are many.
    const all = { after: (rows[0]?.id ?? 0n) - 1n, before: (rows.at(-1)?.id ?? 0n) + 1n };
    for (const order of ['newest', 'oldest'] as const) {
      const listed: Json[] = [];
      let counted = 0;
      let at: JobId | null = null;
      let looks = 0;
      do {
        const beyond = at === null ? {} : order === 'newest' ? { before: at } : { after: at };
        const page: Page = { limit: 100, ...all, ...beyond, order, look: 10 };
        const { jobs, next } = await driver.jobs.list(filter, page);
        expect(jobs.length).toBeLessThanOrEqual(10);
        listed.push(...jobs.map(({ payload }) => payload));
        counted += (await driver.jobs.count(filter, page)).count;
        expect((await driver.jobs.entries(filter, page)).next).toEqual(next);
        at = next;
        looks += 1;
      } while (at !== null);
      expect(listed).toEqual(order === 'newest' ? wanted.toReversed() : wanted);
      expect(looks).toBeGreaterThanOrEqual(3);
      expect(counted).toBe(15);
    }
  });

  test('what an index answers needs no end of a look', async (stage) => {
    const { driver, key, putMany } = stage;
    const rows = await putMany(Array.from({ length: 12 }, () => ({ key })));
    const page = { limit: 100, before: null, look: 5 };
    const publicIds = rows.map(({ publicId }) => publicId).reverse();
    for (const filter of [{ key }, { publicIds, status: 'new' }] as const) {
      const { jobs, next } = await driver.jobs.list(filter, { ...page, look: filter.publicIds ? 5 : 1_000 });
      expect([jobs.map(({ publicId }) => publicId), next]).toEqual([publicIds, null]);
    }
  });

  test('jobs of several queues are found by each way, in the order of their ids', async (stage) => {
    const { driver, queue, key, put } = stage;
    const own = [`${queue} 1`, `${queue} 2`];
    const wanted: string[] = [];
    for (const payload of [1, 2, 3, 4])
      for (const each of [...own, `${queue} 3`]) {
        const { publicId } = await put({ queue: each, key, payload });
        if (own.includes(each)) wanted.unshift(publicId);
      }
    const page = { limit: 100, before: null };
    const outstanding = ['new', 'in-progress'] as const;
    for (const filter of [
      {},
      { key },
      { status: 'new' },
      { key, status: 'new' },
      { status: outstanding },
    ] as const) {
      const { jobs } = await driver.jobs.list({ ...filter, queue: own }, page);
      expect(jobs.map(({ publicId }) => publicId)).toEqual(wanted);
      expect(await driver.jobs.count({ ...filter, queue: own }, page)).toEqual({ count: 8, next: null });
      const first = await driver.jobs.list({ ...filter, queue: own }, { limit: 3, before: null });
      expect(first.jobs.map(({ publicId }) => publicId)).toEqual(wanted.slice(0, 3));
      const last = await driver.jobs.list({ ...filter, queue: own }, { limit: 5, before: first.next });
      expect(last.jobs.map(({ publicId }) => publicId)).toEqual(wanted.slice(3));
    }
    expect(await driver.jobs.count({ queue: own, status: 'in-progress' }, page)).toMatchObject({ count: 0 });
  });

  test('a page lies between two ids', async ({ driver, queue, putMany }) => {
    const rows = await putMany(Array.from({ length: 9 }, (_, payload) => ({ payload })));
    const [after = null, before = null] = [rows[2]?.id, rows[7]?.id];
    const { jobs, next } = await driver.jobs.list({ queue }, { limit: 3, before, after });
    expect([jobs.map(({ payload }) => payload), next]).toEqual([[6, 5, 4], rows[4]?.id]);
    const last = await driver.jobs.list({ queue }, { limit: 3, before: next, after });
    expect([last.jobs.map(({ payload }) => payload), last.next]).toEqual([[3], null]);
    expect(await driver.jobs.count({ queue }, { limit: 100, before, after })).toEqual({
      count: 4,
      next: null,
    });
  });

  test('a count ends at its limit', async ({ driver, queue, putMany }) => {
    await putMany(Array.from({ length: 9 }, () => ({})));
    expect(await driver.jobs.count({ queue }, { limit: 4, before: null })).toEqual({ count: 4, next: null });
  });

  test('a running job is found as in progress, by several states as by one', async (stage) => {
    const { queue, key, put } = stage;
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
    await put({ key, payload: 'runs' });
    await put({ kind: 'other', payload: 'waits' });
    const failed = await put({ kind: 'third', payload: 'is cancelled' });
    await moveOne(stage.driver, 'cancel', failed.publicId);
    await startWorker(stage, [handler]);
    await running.promise;
    const by = (...status: readonly State[]): Promise<readonly Json[]> => found(stage, { status });
    await until('it is seen', async () => (await by('in-progress')).length === 1);
    expect(await by('in-progress')).toEqual(['runs']);
    expect(await by('in-progress', 'cancelled')).toEqual(['runs', 'is cancelled']);
    expect(await by('new')).toEqual(['waits']);
    expect(await by('new', 'cancelled')).toEqual(['waits', 'is cancelled']);
    expect(await by('new', 'in-progress')).toEqual(['runs', 'waits']);
    expect(await found(stage, { key, status: ['in-progress', 'error'] })).toEqual(['runs']);
    expect(await found(stage, { key, status: ['new', 'error'] })).toEqual([]);
    expect(await found(stage, { status: 'in-progress', kind: ['work', 'other'] })).toEqual(['runs']);
    expect(await found(stage, { status: 'in-progress', created: { before: day(1) } })).toEqual([]);
    finish.open();
  });

  test('a client counts up to a number, and says whether there are more', async (stage) => {
    const { queue, key, putMany } = stage;
    await putMany(Array.from({ length: 12 }, (_, n) => ({ key, payload: { n } })));
    const client = clientOf(stage, []);
    expect(await client.jobs.count({ queue })).toEqual({ count: 12, more: false });
    expect(await client.jobs.count({ queue, upTo: 12 })).toEqual({ count: 12, more: false });
    expect(await client.jobs.count({ queue, upTo: 11 })).toEqual({ count: 11, more: true });
    expect(await client.jobs.count({ queue, key, payload: { n: 7 } })).toEqual({ count: 1, more: false });
    const { jobs, cursor, stopped } = await client.jobs.list({ queue, key, payload: { n: 7 } });
    expect([jobs.map(({ payload }) => payload), cursor, stopped]).toEqual([[{ n: 7 }], null, false]);
  });

  test('joined: jobs are found in the transaction, by each condition', async (stage) => {
    const { driver, queue, newJob, caller } = stage;
    const application = await caller();
    const store = driver.join(application.tx);
    await store.jobs.enqueue([newJob({ payload: { a: 'mine' } })]);
    const filter = {
      queue,
      kind: ['work', 'other'],
      status: ['new', 'error'],
      created: { from: day(1) },
      due: { before: new Date(Date.now() + DAY_MS) },
      payload: { a: 'mine' },
    } as const;
    const page = { limit: 10, before: null, look: 100 };
    expect((await store.jobs.list(filter, page)).jobs.map(({ payload }) => payload)).toEqual([{ a: 'mine' }]);
    expect((await store.jobs.entries(filter, page)).jobs).toHaveLength(1);
    expect(await store.jobs.count({ ...filter, error: { code: 'E' } }, page)).toMatchObject({ count: 0 });
    expect(await store.jobs.count({ ...filter, status: 'new' }, page)).toMatchObject({ count: 1 });
    await application.rollback();
  });
});
