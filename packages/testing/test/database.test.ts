import { createRowlock, defineHandler, type Rowlock } from '@rowlock/core';
import { afterAll, afterEach, beforeAll, describe, expect, expectTypeOf, test, vi } from 'vitest';
import { z } from 'zod';
import { emptyDatabase, jobsOf } from '../src/index.js';
import { DATABASES, inMemory, type Tx } from './databases.js';

const Mail = defineHandler({ kind: 'mail', payload: z.object({ to: z.string() }), run: () => {} });
const reversed = (text: string): string => [...text].toReversed().join('');
const Secret = {
  kind: 'secret',
  payload: z.string(),
  codec: { encode: reversed, decode: reversed },
};
const Report = { kind: 'report', payload: z.null() };

describe.each(['memory', 'postgres', 'mysql'] as const)('on %s', (name) => {
  let opened: Partial<Awaited<ReturnType<typeof DATABASES.postgres>>> & ReturnType<typeof inMemory>;
  let rowlock: Rowlock<Tx>;

  beforeAll(async () => {
    opened = name === 'memory' ? inMemory() : await DATABASES[name]();
    rowlock = createRowlock({ driver: opened.driver(), handlers: [Mail] });
    await rowlock.migrate();
  });
  afterEach(() => vi.unstubAllEnvs());
  afterAll(async () => {
    await rowlock.close();
    await opened.end?.();
  });

  test('the jobs of a call are those that it enqueues, and its types those of the handler', async () => {
    const jobs = await jobsOf(rowlock, Mail, async () => {
      await rowlock.enqueue(Mail, { payload: { to: 'ada' }, unique: 'ada', runAt: new Date('2100-01-01') });
      await rowlock.enqueue(Report, { payload: null });
      await rowlock.enqueue(Mail, { payload: { to: 'ada' }, unique: 'ada' });
    });
    expectTypeOf(jobs[0]?.payload).toEqualTypeOf<{ to: string } | undefined>();
    expect(jobs).toMatchObject([
      {
        outcome: 'enqueued',
        kind: 'mail',
        payload: { to: 'ada' },
        runAt: new Date('2100-01-01'),
        attempts: 5,
      },
      { outcome: 'duplicate', publicId: jobs[0]?.publicId },
    ]);
    const all = await jobsOf(rowlock, async () => {
      const elsewhere = createRowlock({ driver: opened.driver() });
      await elsewhere.enqueue(Report, { payload: null });
      await elsewhere.close();
      await rowlock.enqueueMany(Report, [{ payload: null }, { payload: null }]);
      await rowlock.enqueue(Secret, { payload: 'in clear' });
    });
    expect(all.map(({ kind, payload }) => [kind, payload])).toEqual([
      ['report', null],
      ['report', null],
      ['secret', 'in clear'],
    ]);
  });

  test('what throws rejects, and what others enqueue meanwhile is not of the call', async () => {
    await expect(jobsOf(rowlock, () => Promise.reject(new Error('no')))).rejects.toThrow('no');
    const [own] = await Promise.all([
      jobsOf(rowlock, () => rowlock.enqueue(Mail, { payload: { to: 'ada' } })),
      rowlock.enqueue(Mail, { payload: { to: 'bob' } }),
    ]);
    expect(own.map(({ payload }) => payload)).toEqual([{ to: 'ada' }]);
  });

  test('what is no work, and no Rowlock, is refused by a sentence', async () => {
    const invalid = { code: 'ROWLOCK_INVALID_INPUT', message: expect.stringMatching(/^jobsOf\(\) takes/) };
    for (const given of [[rowlock], [rowlock, 'work'], [rowlock, Mail], [null, () => {}]])
      await expect(Reflect.apply(jobsOf, undefined, given)).rejects.toMatchObject(invalid);
  });

  test('a database that is emptied has no rows, and goes on', async () => {
    await rowlock.schedules.set('nightly', { handler: Mail, payload: { to: 'ada' }, every: '1h' });
    await rowlock.jobs.pause({ kind: 'report' });
    await rowlock.limits.set('mail', { max: 3 });
    const first = await rowlock.enqueue(Mail, { payload: { to: 'ada' } });
    await rowlock.enqueue(Mail, { payload: { to: 'bob' }, after: [first.publicId] });
    await rowlock.runUntilIdle({ queues: ['default'] });
    const before = await opened.full?.();
    await emptyDatabase(rowlock);
    if (before !== undefined) {
      expect(before.length).toBeGreaterThan(5);
      // The doorbell has hints, of which workers take care.
      const after = (await opened.full?.())?.filter((name) => !name.endsWith('bell'));
      expect(after).toEqual([expect.stringMatching(/migration$/)]);
    }
    expect(await rowlock.jobs.count()).toEqual({ count: 0, more: false });
    expect(await rowlock.jobs.pauses()).toEqual([]);
    expect(await rowlock.schedules.list()).toEqual([]);
    expect(await rowlock.limits.list()).toEqual([]);
    expect(await rowlock.insight.workers()).toEqual([]);
    await rowlock.enqueue(Mail, { payload: { to: 'eve' } });
    expect(await rowlock.runUntilIdle()).toMatchObject({ completed: 1 });
  });

  test('it is not emptied in production, or beside workers of other processes, unless that is meant', async () => {
    const worker = rowlock.worker({ name: 'own' });
    await worker.start();
    await emptyDatabase(rowlock);
    vi.stubEnv('NODE_ENV', 'production');
    await expect(emptyDatabase(rowlock)).rejects.toThrow('NODE_ENV');
    vi.unstubAllEnvs();
    const pid = vi.spyOn(process, 'pid', 'get').mockReturnValue(1);
    await expect(emptyDatabase(rowlock)).rejects.toThrow('the worker "own" of another process is alive');
    await emptyDatabase(rowlock, { force: true });
    pid.mockRestore();
    await worker.stop();
  });

  test('jobs in a transaction are those of the call, even if it is rolled back', async () => {
    const { tx, rows, table } = opened;
    if (tx === undefined || rows === undefined || table === undefined) return;
    const jobs = await jobsOf(rowlock, async () => {
      await tx.query('BEGIN');
      await rowlock.enqueue(Mail, { payload: { to: 'rolled back' } }, { tx });
      await tx.query('ROLLBACK');
    });
    expect(jobs).toMatchObject([{ payload: { to: 'rolled back' } }]);
    expect(await rows(`SELECT 1 FROM ${table('job')} WHERE public_id = '${jobs[0]?.publicId}'`)).toEqual([]);
  });
});
