import { randomUUID } from 'node:crypto';
import { defineHandler } from '@rowlock/core';
import type { ManyChanged } from '@rowlock/core/types';
import { expect } from 'vitest';
import type { JobRow } from '../driver-harness.js';
import { moveOne } from '../move-one.js';
import type { Stage } from '../stage.js';
import { theme } from '../theme.js';
import { aborted, gate, until, within } from '../until.js';
import { AnyJson, clientOf, startWorker } from '../worker-process.js';

const NOTHING: ManyChanged = { found: 0, changed: 0, signalled: 0, skipped: 0 };
const ERROR = { code: 'E_MANY', message: 'It failed.' };

/** Jobs of which some have failed, some are cancelled and some wait. */
async function mixture<Tx>({ driver, putMany, serve }: Stage<Tx>): Promise<readonly JobRow[]> {
  const rows = await putMany(
    Array.from({ length: 6 }, (_, n) => ({ kind: `k${n}`, payload: { even: n % 2 === 0 } })),
  );
  for (const kind of ['k0', 'k1']) await serve({ event: 'fail', error: ERROR }, { kinds: [kind] });
  await moveOne(driver, 'cancel', rows[2]?.publicId ?? '');
  return rows;
}

async function statuses<Tx>({ reader, queue }: Stage<Tx>): Promise<readonly string[]> {
  return (await reader.jobs(queue)).map(({ status }) => status);
}

export const many = theme('many jobs', (test) => {
  test('what a filter means is cancelled, redriven and deleted, and nothing else', async (stage) => {
    const { queue, reader } = stage;
    const client = clientOf(stage, []);
    const [, , cancelled] = await mixture(stage);
    expect(await client.jobs.redriveMany({ queue, payload: { even: true } })).toEqual({
      ...NOTHING,
      found: 1,
      changed: 1,
    });
    expect(await statuses(stage)).toEqual(['new', 'error', 'cancelled', 'new', 'new', 'new']);
    expect(await client.jobs.cancelMany({ queue, kind: ['k3', 'k4'] })).toEqual({
      ...NOTHING,
      found: 2,
      changed: 2,
    });
    expect(await statuses(stage)).toEqual(['new', 'error', 'cancelled', 'cancelled', 'cancelled', 'new']);
    const both = { queue, status: ['error', 'cancelled'], kind: ['k1', 'k2'] } as const;
    expect(await client.jobs.redriveMany(both)).toEqual({ ...NOTHING, found: 2, changed: 2 });
    expect((await reader.job(cancelled?.publicId ?? ''))?.redrives).toBe(1);
    expect(await client.jobs.deleteMany({ queue })).toEqual({ ...NOTHING, found: 2, changed: 2 });
    expect(await statuses(stage)).toEqual(['new', 'new', 'new', 'new']);
    expect(await client.jobs.deleteMany({ queue, error: { code: 'E_MANY' } })).toEqual(NOTHING);
  });

  test('jobs that are named are changed, in the states that a call starts from, and no others', async (stage) => {
    const { queue } = stage;
    const client = clientOf(stage, []);
    const jobs = await mixture(stage);
    const [, one, other, waiting] = jobs.map(({ publicId }) => publicId.toUpperCase());
    const publicIds = [one, other, waiting, randomUUID()].map(String);
    expect(await client.jobs.count({ publicIds })).toEqual({ count: 3, more: false });
    const status = ['error', 'cancelled'] as const;
    expect(await client.jobs.redriveMany({ publicIds, status })).toEqual({
      ...NOTHING,
      found: 2,
      changed: 2,
    });
    expect(await statuses(stage)).toEqual(['error', 'new', 'new', 'new', 'new', 'new']);
    expect(await client.jobs.cancelMany({ publicIds, queue })).toEqual({ ...NOTHING, found: 3, changed: 3 });
    expect(await client.jobs.deleteMany({ publicIds })).toEqual({ ...NOTHING, found: 3, changed: 3 });
    expect(await statuses(stage)).toEqual(['error', 'new', 'new']);
  });

  test('a dry run finds the same jobs, and changes none', async (stage) => {
    const { queue } = stage;
    const client = clientOf(stage, []);
    await mixture(stage);
    const before = await stage.reader.jobs(queue);
    const dryRun = true;
    expect(await client.jobs.cancelMany({ queue }, { dryRun })).toEqual({ ...NOTHING, found: 3 });
    expect(await client.jobs.redriveMany({ queue }, { dryRun })).toEqual({ ...NOTHING, found: 2 });
    expect(await client.jobs.deleteMany({ queue }, { dryRun })).toEqual({ ...NOTHING, found: 3 });
    expect(await stage.reader.jobs(queue)).toEqual(before);
  });

  test('many jobs are changed in steps, and each step is reported', async (stage) => {
    const { queue, putMany } = stage;
    const client = clientOf(stage, []);
    await putMany(Array.from({ length: 250 }, (_, n) => ({ payload: { odd: n % 2 === 1 } })));
    const reports: ManyChanged[] = [];
    const options = { onProgress: (progress: ManyChanged) => reports.push(progress) };
    expect(await client.jobs.cancelMany({ queue }, options)).toEqual({
      ...NOTHING,
      found: 250,
      changed: 250,
    });
    expect(reports.map(({ changed }) => changed)).toEqual([100, 200, 250]);
    expect(await client.jobs.deleteMany({ queue, payload: { odd: true } })).toMatchObject({ changed: 125 });
    expect(await statuses(stage)).toEqual(Array.from({ length: 125 }, () => 'cancelled'));
  });

  test('a report that fails, also later, ends the call behind its step', async (stage) => {
    const { queue, putMany } = stage;
    await putMany(Array.from({ length: 150 }, () => ({})));
    const onProgress = async () => {
      throw new Error('enough');
    };
    await expect(clientOf(stage, []).jobs.cancelMany({ queue }, { onProgress })).rejects.toThrow('enough');
    expect((await statuses(stage)).filter((status) => status === 'cancelled')).toHaveLength(100);
  });

  test('what waits is moved to another queue, where it runs, and what a run has stays', async (stage) => {
    const { queue, key, putMany, reader } = stage;
    const other = `${queue}-other`;
    const [running, finish] = [gate(), gate()];
    const handler = defineHandler({
      kind: 'work',
      queue,
      payload: AnyJson,
      async run() {
        running.open();
        await finish.promise;
      },
    });
    const [first, , , done] = await putMany([{ key }, {}, { payload: 'moves' }, { kind: 'done' }]);
    await moveOne(stage.driver, 'cancel', done?.publicId ?? '');
    const { rowlock } = await startWorker(stage, [handler], { concurrency: 1 });
    await within('the run', running.promise);
    const moved = await rowlock.jobs.updateMany({ queue }, { queue: other, priority: 3 });
    expect(moved).toEqual({ found: 2, changed: 2, signalled: 0, skipped: 0 });
    finish.open();
    await until(
      'the first is complete',
      async () => (await reader.job(first?.publicId ?? ''))?.status === 'complete',
    );
    expect((await reader.jobs(queue)).map(({ kind, status }) => [kind, status])).toEqual([
      ['work', 'complete'],
      ['done', 'cancelled'],
    ]);
    expect((await reader.jobs(other)).map(({ priority, status }) => [priority, status])).toEqual([
      [3, 'new'],
      [3, 'new'],
    ]);
    await startWorker(stage, [{ ...handler, queue: other }]);
    await until('they have run', async () =>
      (await reader.jobs(other)).every(({ status }) => status === 'complete'),
    );
  });

  test('most leaves out the older ones', async (stage) => {
    const { queue, putMany } = stage;
    await putMany(Array.from({ length: 5 }, () => ({})));
    expect(await clientOf(stage, []).jobs.cancelMany({ queue }, { most: 2 })).toMatchObject({
      found: 2,
      changed: 2,
    });
    expect(await statuses(stage)).toEqual(['new', 'new', 'new', 'cancelled', 'cancelled']);
  });

  test('a signal ends it after its step, and what is done stays', async (stage) => {
    const { queue, putMany } = stage;
    await putMany(Array.from({ length: 150 }, () => ({})));
    const stopping = new AbortController();
    const stopped = new Error('enough');
    const onProgress = (): void => stopping.abort(stopped);
    const cancelled = clientOf(stage, []).jobs.cancelMany({ queue }, { signal: stopping.signal, onProgress });
    await expect(cancelled).rejects.toBe(stopped);
    expect((await statuses(stage)).filter((status) => status === 'cancelled')).toHaveLength(100);
  });

  test('what another transaction has is skipped, at once', async (stage) => {
    const { driver, queue, putMany, hold, caller } = stage;
    const client = clientOf(stage, []);
    const [failed] = await putMany([{}, {}]);
    await moveOne(driver, 'cancel', failed?.publicId ?? '');
    const application = await caller();
    expect(await moveOne(driver.join(application.tx), 'redrive', failed?.publicId ?? '')).toEqual({
      outcome: 'moved',
    });
    const status = 'cancelled';
    expect(await within('the redrive', client.jobs.redriveMany({ queue, status }))).toEqual({
      ...NOTHING,
      found: 1,
      skipped: 1,
    });
    expect(await within('the deletion', client.jobs.deleteMany({ queue }))).toEqual({
      ...NOTHING,
      found: 1,
      skipped: 1,
    });
    await application.rollback();
    const { held } = await hold();
    expect(await within('the cancel', client.jobs.cancelMany({ queue }))).toEqual({
      ...NOTHING,
      found: 1,
      signalled: 1,
    });
    await held.rollback();
  });

  test('a redrive skips a job whose unique key a later one has, and takes the others', async (stage) => {
    const { driver, queue, key, put } = stage;
    const unique = { key, scope: 'outstanding' } as const;
    const taken = await put({ unique });
    await moveOne(driver, 'cancel', taken.publicId);
    await put({ unique });
    const free = await put();
    await moveOne(driver, 'cancel', free.publicId);
    expect(await clientOf(stage, []).jobs.redriveMany({ queue, status: 'cancelled' })).toEqual({
      ...NOTHING,
      found: 2,
      changed: 1,
      skipped: 1,
    });
    expect(await statuses(stage)).toEqual(['cancelled', 'new', 'new']);
  });

  test('running jobs of a cancellation get a signal, and redriven ones run again', async (stage) => {
    const { queue, key, put } = stage;
    const running = gate();
    const again = gate();
    let runs = 0;
    const handler = defineHandler({
      kind: 'work',
      queue,
      payload: AnyJson,
      async run({ signal }) {
        runs += 1;
        if (runs > 1) return again.open();
        running.open();
        await aborted(signal);
        throw signal.reason;
      },
    });
    const job = await put({ key });
    const { rowlock } = await startWorker(stage, [handler]);
    await within('the run', running.promise);
    expect(await rowlock.jobs.cancelMany({ queue })).toMatchObject({ found: 1, signalled: 1 });
    await until('it is cancelled', async () => (await stage.row(job)).status === 'cancelled');
    expect(await rowlock.jobs.redriveMany({ queue, status: 'cancelled' })).toMatchObject({ changed: 1 });
    await within('the run after', again.promise);
    await until('it is complete', async () => (await stage.row(job)).status === 'complete');
  });

  test('a call without a condition, or of other states, is refused', async (stage) => {
    const { queue } = stage;
    const client = clientOf(stage, []);
    const invalid = { code: 'ROWLOCK_INVALID_INPUT' };
    for (const call of [
      client.jobs.cancelMany({}),
      client.jobs.redriveMany({}),
      client.jobs.deleteMany({}),
      client.jobs.cancelMany({ queue, status: 'error' }),
      client.jobs.redriveMany({ queue, status: ['error', 'complete'] }),
      client.jobs.deleteMany({ queue, status: 'new' }),
      client.jobs.cancelMany({ queue }, { most: 0 }),
      client.jobs.updateMany({}, { queue: 'other' }),
      client.jobs.updateMany({ queue }, {}),
      client.jobs.updateMany({ queue }, { queue: '' }),
      client.jobs.updateMany({ queue, status: 'in-progress' }, { queue: 'other' }),
      client.jobs.deleteMany({ publicIds: [] }),
      client.jobs.deleteMany(JSON.parse('{"publicIds":null}')),
    ])
      await expect(call).rejects.toMatchObject(invalid);
  });
});
