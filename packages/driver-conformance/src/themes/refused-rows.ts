import { randomUUID } from 'node:crypto';
import { defineHandler, fail, failedJob, type Json, type RunContext } from '@rowlock/core';
import { expect } from 'vitest';
import { capturedTable } from '../captured-table.js';
import type { RefuseRows } from '../driver-harness.js';
import { moveOne } from '../move-one.js';
import { putOnRecord } from '../put-on-record.js';
import type { Stage } from '../stage.js';
import { theme } from '../theme.js';
import { until } from '../until.js';
import { type StageWithMishap, withMishap } from '../with-mishap.js';
import { AnyJson, clientOf, SOON, startWorker } from '../worker-process.js';

const BAD = 'not welcome';
const [HOUR_MS, LEASE_MS] = [3_600_000, 60_000];

/** A stage whose table of jobs may refuse rows with `BAD`. Undefined where no trigger can be. */
function refusing<Tx>(outer: Stage<Tx>): Promise<StageWithMishap<Tx, RefuseRows> | undefined> {
  return withMishap(outer, ({ refuseRows }) => refuseRows);
}

function handlerOf<Tx>({ queue }: Pick<Stage<Tx>, 'queue'>) {
  return defineHandler({ kind: 'work', queue, payload: AnyJson, run: () => {} });
}

/** How many jobs of each payload are complete. */
async function completed<Tx>({ reader, queue }: Stage<Tx>): Promise<Readonly<Record<string, number>>> {
  const rows = (await reader.jobs(queue)).filter(({ status }) => status === 'complete');
  return Object.fromEntries(
    [...Map.groupBy(rows, ({ payload }) => String(payload))].map(([payload, jobs]) => [payload, jobs.length]),
  );
}

/** Makes schedules that are due, one of which has the payload `BAD`. */
async function dueSchedules<Tx>(stage: Stage<Tx>, names: readonly string[]): Promise<void> {
  const { reader } = stage;
  const { schedules } = clientOf(stage, []);
  for (const name of names)
    await schedules.set(name, { handler: handlerOf(stage), payload: name, every: '1h', overlap: 'allow' });
  const now = (await reader.now()).getTime();
  for (const [place, name] of names.entries()) await reader.moveSchedule(name, new Date(now - 9 + place));
}

/** What the database refuses of one job or schedule is no other one's harm. */
export const refusedRows = theme('refused rows', (test) => {
  test('a schedule whose job is refused holds up no other one, and fires when it is welcome', async (outer) => {
    const own = await refusing(outer);
    if (own === undefined) return;
    const { stage, mishap: refuse } = own;
    await refuse('INSERT', BAD);
    await dueSchedules(stage, ['a', BAD, 'c']);
    const { rowlock, worker } = await startWorker(stage, [handlerOf(stage)]);
    const faults: unknown[] = [];
    worker.on('fault', (error) => faults.push(error));
    await until('the others have fired', async () => {
      const { a, c } = await completed(stage);
      return a === 1 && c === 1;
    });
    const list = await rowlock.schedules.list();
    expect(list.map(({ name, broken }) => [name, broken?.error])).toEqual([
      ['a', undefined],
      ['c', undefined],
      [BAD, expect.stringContaining('this job is not welcome')],
    ]);
    await refuse('INSERT', null);
    await until('it has fired', async () => (await completed(stage))[BAD] === 1);
    expect(await rowlock.schedules.list()).toMatchObject([{}, {}, { broken: null }]);
  });

  test('a delayed job that cannot become due holds up no other one', async (outer) => {
    const own = await refusing(outer);
    if (own === undefined) return;
    const { stage, mishap: refuse } = own;
    const soon = new Date((await stage.reader.now()).getTime() + 200);
    await stage.putMany(['a', BAD, 'c'].map((payload) => ({ payload, available: { at: soon } })));
    await refuse('UPDATE', BAD);
    await startWorker(stage, [handlerOf(stage)]);
    await until('the others are complete', async () => {
      const { a, c } = await completed(stage);
      return a === 1 && c === 1;
    });
    await refuse('UPDATE', null);
    await until('it is complete', async () => (await completed(stage))[BAD] === 1);
  });

  const written = { batch: 10, writes: true } as const;
  for (const each of [{}, { batch: 10 }, written, { group: true }, { claim: 'lease' }] as const)
    test(`a job that cannot be settled holds up no other one, and ends when it can be: ${JSON.stringify(each)}`, async <
      Tx,
    >(outer: Stage<Tx>) => {
      const { writes = false, ...options }: typeof each & { readonly writes?: boolean } = each;
      const own = await refusing(outer);
      if (own === undefined) return;
      const { stage, mishap: refuse } = own;
      const { queue, reader, key } = stage;
      const notes = await stage.createNotes();
      const runs: unknown[] = [];
      const handler = defineHandler({
        kind: 'work',
        queue,
        payload: AnyJson,
        retry: SOON,
        ...options,
        async run({ jobs, tx }: RunContext<Json, Tx>) {
          runs.push(...jobs.map(({ payload }) => payload));
          if (writes) await notes.write(tx, String(jobs[0].payload));
        },
      });
      await stage.putMany(
        ['a', BAD, 'c'].map((payload) => ({ payload, ...('group' in options && { key }) })),
      );
      await refuse('UPDATE', BAD);
      await startWorker(stage, [handler], { concurrency: 1 });
      await until('the others are complete', async () => {
        const { a, c } = await completed(stage);
        return a === 1 && c === 1;
      });
      await refuse('UPDATE', null);
      await until('it is complete', async () => (await completed(stage))[BAD] === 1);
      const crashes = (await reader.jobs(queue)).map(({ payload, crashes: count }) => [payload, count]);
      expect(crashes.filter(([payload]) => payload !== BAD)).toEqual([
        ['a', 0],
        ['c', 0],
      ]);
      expect(runs.filter((payload) => payload === BAD).length).toBeLessThanOrEqual(5);
      expect((await notes.all()).toSorted()).toEqual(writes ? ['a', 'c', BAD] : []);
    });

  // It runs three times before it is passed over, with the pauses of faults in between.
  test.once(
    'a job whose settlement, or whose onFailed, always meets what may pass holds up no other one',
    async (outer) => {
      let passing: readonly string[] = [];
      const own = await withMishap(outer, (mishaps) => {
        passing = mishaps.passing;
        return mishaps.refuseRows;
      });
      if (own === undefined) return;
      const { stage, mishap: refuse } = own;
      const { queue, reader } = stage;
      const fails = (payload: Json): boolean => String(payload).startsWith(`${BAD}: INSERT`);
      const handler = defineHandler({
        kind: 'work',
        queue,
        payload: AnyJson,
        onFailed: { kind: 'report', queue, payload: failedJob },
        run: ({ job }) => (fails(job.payload) ? fail(new Error('never')) : undefined),
      });
      for (const [place, code] of passing.entries()) {
        const [verb, ends] =
          place % 2 === 0 ? (['UPDATE', 'complete'] as const) : (['INSERT', 'error'] as const);
        const [bad, good] = [`${BAD}: ${verb} ${code}`, `behind ${code}`];
        const put = await stage.putMany([{ payload: bad }, { payload: good }]);
        const statusOf = async () =>
          (await reader.jobs(queue)).find(({ publicId }) => publicId === put[0]?.publicId)?.status;
        await refuse(verb, bad, code);
        const { worker } = await startWorker(stage, [handler], { concurrency: 1 });
        await until(`${good} is complete`, async () => (await completed(stage))[good] === 1);
        expect(await statusOf()).toBe('new');
        await refuse(verb, null);
        await until(`${bad} is settled`, async () => (await statusOf()) === ends);
        await worker.stop();
      }
      const reports = (await reader.jobs(queue)).filter(({ kind }) => kind === 'report');
      expect(reports.length).toBe(passing.length / 2);
    },
  );

  test.once('a lease that cannot be put back holds up no other one', async (outer) => {
    const own = await refusing(outer);
    if (own === undefined) return;
    const { stage, mishap: refuse } = own;
    const { driver, queue, reader } = stage;
    const { workerId } = await stage.anchor();
    await stage.putMany(['a', BAD, 'c'].map((payload) => ({ payload })));
    const ended: string[] = [];
    for (let job = 0; job < 3; job++) {
      const { held, job: claimed } = await stage.hold();
      const runId = randomUUID();
      await putOnRecord(driver, [{ runId, workerId, jobs: [claimed] }]);
      await held.lease(runId, [claimed.id], LEASE_MS);
      ended.push(runId);
    }
    await refuse('UPDATE', BAD);
    const scope = { queues: [queue], dead: [], own: { workerId, ended } };
    const { reclaimed, refused } = await driver.claims.reclaim(scope);
    const rows = await reader.jobs(queue);
    expect(rows.map(({ payload, status }) => [payload, status])).toEqual([
      ['a', 'new'],
      [BAD, 'in-progress'],
      ['c', 'new'],
    ]);
    const except = rows.flatMap(({ payload, publicId }) => (payload === BAD ? publicId : []));
    expect({ reclaimed, refused }).toMatchObject({ reclaimed: 2, refused: [{ member: except[0] }] });
    expect(await driver.claims.reclaim({ ...scope, except })).toMatchObject({ reclaimed: 0, refused: [] });
    await refuse('UPDATE', null);
    expect(await driver.claims.reclaim(scope)).toMatchObject({ reclaimed: 1, refused: [] });
  });

  test.once('a follower that cannot be let go holds up no other one', async (outer) => {
    const own = await refusing(outer);
    if (own === undefined) return;
    const { stage, mishap: refuse } = own;
    const { driver, put, queue } = stage;
    const first = await put({ kind: 'first' });
    const after = [first.publicId];
    const followers = await stage.putMany(['a', BAD, 'c'].map((payload) => ({ payload, after })));
    await moveOne(driver, 'cancel', first.publicId);
    await refuse('UPDATE', BAD);
    const refused = [{ member: followers[1]?.publicId }];
    expect(await driver.followers.admit({ after })).toMatchObject({ queues: [queue], refused });
    const beyond = '00000000-0000-0000-0000-000000000000';
    const except = refused.map(({ member }) => member ?? '');
    expect(await driver.followers.admit({ beyond }, except)).toMatchObject({ queues: [], refused: [] });
    const now = (await stage.reader.now()).getTime();
    const isDue = (await stage.reader.jobs(queue)).map(({ availableAt }) => availableAt.getTime() <= now);
    expect(isDue).toEqual([true, true, false, true]);
    await refuse('UPDATE', null);
    expect(await driver.followers.admit({ beyond })).toMatchObject({ queues: [queue], refused: [] });
  });

  test.once('a settled job that cannot be deleted holds up no other one', async (outer) => {
    const own = await refusing(outer);
    if (own === undefined) return;
    const { stage, mishap: refuse } = own;
    for (const job of await stage.putMany(['a', BAD, 'c'].map((payload) => ({ payload }))))
      await moveOne(stage.driver, 'cancel', job.publicId);
    await refuse('DELETE', BAD);
    const { jobs } = clientOf(stage, []);
    for (const rules of [{ cancelled: 0 }, { keep: 0 }]) {
      await expect(jobs.prune(rules)).rejects.toThrow('this job is not welcome');
      expect((await stage.reader.jobs(stage.queue)).map(({ payload }) => payload)).toEqual([BAD]);
    }
  });

  test.once('a call about many jobs does what it can, and then names what was refused', async (outer) => {
    const own = await refusing(outer);
    if (own === undefined) return;
    const { stage, mishap: refuse } = own;
    const { queue, reader } = stage;
    const { jobs } = clientOf(stage, []);
    const states = async () => (await reader.jobs(queue)).map(({ payload, status }) => [payload, status]);
    const put = await stage.putMany(['a', BAD, 'c'].map((payload) => ({ payload })));
    const refused = { code: 'Unknown', message: expect.stringContaining(put[1]?.publicId ?? '') };
    await refuse('UPDATE', BAD);
    await expect(jobs.cancelMany({ queue })).rejects.toMatchObject(refused);
    expect(await states()).toEqual([
      ['a', 'cancelled'],
      [BAD, 'new'],
      ['c', 'cancelled'],
    ]);
    await refuse('UPDATE', null);
    await jobs.cancelMany({ queue });
    await refuse('DELETE', BAD);
    await expect(jobs.deleteMany({ queue })).rejects.toMatchObject(refused);
    expect(await states()).toEqual([[BAD, 'cancelled']]);
  });

  test.once('a backfill goes on behind rows whose jobs are refused, and then names them', async (outer) => {
    const own = await refusing(outer);
    if (own === undefined) return;
    const { stage, mishap: refuse } = own;
    const table = await capturedTable(stage, [{ payload: ['note'] }], false);
    if (table === undefined) return;
    const { captures } = table.rowlock;
    const bad = [7, 8, 20, 29];
    const notes = Array.from({ length: 30 }, (_, n) => `(${n}, '${bad.includes(n) ? BAD : 'a'}')`);
    await table.exec(`INSERT INTO % (id, note) VALUES ${notes.join()}`);
    await captures.apply();
    await refuse('INSERT', BAD);
    const name = table.captures[0]?.name ?? '';
    const filled = async (): Promise<readonly number[]> =>
      (await table.jobs()).map(({ payload }) => Number(Object(payload).id.id));
    const progress: number[] = [];
    const onProgress = ({ rows }: { rows: number }): void => void progress.push(rows);
    const others = Array.from({ length: 30 }, (_, n) => n).filter((n) => !bad.includes(n));
    await expect(captures.backfill(name, { batch: 12, onProgress })).rejects.toMatchObject({
      code: 'Unknown',
      message: expect.stringMatching(/4 jobs, as the one of the row \{"id":"7"\}.*this job is not welcome/),
    });
    expect(progress).toEqual([12, 24, 30]);
    expect(await filled()).toEqual(others);
    // Who looks later finds it too, whatever became of the process.
    expect(await captures.check()).toMatchObject([
      { problems: [{ code: 'lost', message: expect.stringContaining('{"id":"') }] },
    ]);
    await refuse('INSERT', null);
    expect(await captures.backfill(name)).toEqual({ rows: 30 });
    expect(await filled()).toHaveLength(others.length + 30);
    expect(await captures.check()).toMatchObject([{ problems: [] }]);
  });

  test.once('a backfill that is resumed keeps note of what was lost behind its place', async (outer) => {
    const own = await refusing(outer);
    if (own === undefined) return;
    const { stage, mishap: refuse } = own;
    const table = await capturedTable(stage, [{ payload: ['note'], onError: 'note' }]);
    if (table === undefined) return;
    const { captures } = table.rowlock;
    const name = table.captures[0]?.name ?? '';
    await table.exec("INSERT INTO % (id, note) VALUES (0, 'a'), (1, 'a'), (2, 'a')");
    const ends = new AbortController();
    const onProgress = (): void => ends.abort(new Error('enough'));
    await expect(captures.backfill(name, { batch: 2, onProgress, signal: ends.signal })).rejects.toThrow();
    await refuse('INSERT', BAD);
    await table.exec(`UPDATE % SET note = '${BAD}' WHERE id = 0`);
    await refuse('INSERT', null);
    expect(await captures.backfill(name)).toEqual({ rows: 3 });
    expect(await captures.check()).toMatchObject([{ problems: [{ code: 'lost' }] }]);
    expect(await captures.backfill(name)).toEqual({ rows: 3 });
    expect(await captures.check()).toMatchObject([{ problems: [] }]);
  });

  test.once('a call about a job that is refused fails alone, and no call beside it', async (outer) => {
    const own = await refusing(outer);
    if (own === undefined) return;
    const { stage, mishap: refuse } = own;
    const { reader, queue } = stage;
    const later = { available: { inMs: HOUR_MS } };
    const jobs = await stage.putMany(['a', BAD, 'c'].map((payload) => ({ payload, ...later })));
    await refuse('UPDATE', BAD);
    const rowlock = clientOf(stage, []);
    const cancelled = await Promise.allSettled(jobs.map(({ publicId }) => rowlock.cancel(publicId)));
    expect(cancelled.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect((await reader.jobs(queue)).map(({ status }) => status)).toEqual(['cancelled', 'new', 'cancelled']);
  });
});
