import { randomUUID } from 'node:crypto';
import type { Job } from '@rowlock/core/driver';
import { expect } from 'vitest';
import { countStates } from '../count-states.js';
import { moveOne } from '../move-one.js';
import { putOnRecord } from '../put-on-record.js';
import { type Stage, settlement } from '../stage.js';
import { theme } from '../theme.js';
import { until, within } from '../until.js';

/** A job that a worker has leased. */
export async function leased<Tx>(
  stage: Stage<Tx>,
  driver = stage.driver,
  forMs = 60_000,
): Promise<{ readonly job: Job; readonly runId: string; readonly workerId: string }> {
  await stage.put({ key: stage.key });
  const { workerId } = await stage.anchor(driver);
  const { held, job } = await stage.hold({}, driver);
  const runId = randomUUID();
  await putOnRecord(driver, [{ runId, workerId, jobs: [job] }]);
  await held.lease(runId, [job.id], forMs);
  return { job, runId, workerId };
}

export const leases = theme('leases', (test) => {
  test('a lease is committed: the jobs are in progress for everybody, and the others are let go', async (stage) => {
    const { driver, key, queue, row, putMany } = stage;
    const before = await putMany([{ key }, { key }, { key }]);
    const { held } = await stage.hold();
    const [first, second, third] = await held.lockSiblings({ queue, keys: [key] }, 10);
    if (!first || !second || !third) throw new Error('Not all siblings were locked.');
    const runId = randomUUID();
    await held.lease(runId, [first.id, second.id], 60_000);
    const rows = await Promise.all(before.map(row));
    expect(rows.map(({ status }) => status)).toEqual(['in-progress', 'in-progress', 'new']);
    expect(rows.map((each) => each.runId)).toEqual([runId, runId, null]);
    expect((await stage.view(first)).status).toBe('in-progress');
    expect((await countStates(driver, { queue }))['in-progress']).toBe(2);
    // Nobody has a lock on any of them.
    const other = stage.claimSession();
    expect((await other.lockSiblings({ queue, keys: [key] }, 10)).map(({ id }) => id)).toEqual(
      before.map(({ id }) => id),
    );
    await expect(held.commit()).rejects.toMatchObject({ code: 'TransactionOver' });
  });

  test('a leased job is claimed by nobody, and its siblings show it first', async (stage) => {
    const { key, queue } = stage;
    const { job } = await leased(stage);
    const second = await stage.put({ key });
    const { held, job: claimed } = await stage.hold();
    expect(claimed.id).toBe(second.id);
    const siblings = await held.lockSiblings({ queue, keys: [key] }, 10);
    expect(siblings.map(({ id, status }) => [id, status])).toEqual([
      [job.id, 'in-progress'],
      [second.id, 'new'],
    ]);
  });

  test('the run that has a lease settles it, in another transaction', async (stage) => {
    const { job, runId } = await leased(stage);
    const held = stage.claimSession();
    expect(await held.lockLeased(runId, [job.id], true)).toEqual(new Map([[job.id, 'in-progress']]));
    expect(await held.settle([settlement(job, { runId, output: 'done' })])).toEqual([job.id]);
    await held.commit();
    expect(await stage.row(job)).toMatchObject({ status: 'complete', output: 'done', runId });
    expect(await stage.reader.runs(job.publicId)).toMatchObject([{ outcome: 'complete' }]);
  });

  test('what a run has settled it finds settled; what another has it does not find', async (stage) => {
    const { job, runId } = await leased(stage);
    const held = stage.claimSession();
    await held.lockLeased(runId, [job.id], true);
    await held.settle([settlement(job, { runId })]);
    await held.commit();
    const again = stage.claimSession();
    expect(await again.lockLeased(runId, [job.id], true)).toEqual(new Map([[job.id, 'complete']]));
    expect(await again.settle([settlement(job, { runId, output: 'twice' })])).toEqual([]);
    expect(await again.lockLeased(randomUUID(), [job.id], true)).toEqual(new Map());
    expect(await again.settle([settlement(job)])).toEqual([]);
  });

  test('a lease is locked once whoever looks at it has gone', async (stage) => {
    const { key, queue } = stage;
    const { job, runId } = await leased(stage);
    const looking = stage.claimSession();
    await looking.lockSiblings({ queue, keys: [key] }, 10);
    const held = stage.claimSession();
    const locking = held.lockLeased(runId, [job.id], true);
    await looking.rollback();
    expect((await within('the lock', locking)).size).toBe(1);
  });

  test('a run whose lease was put back waits for nobody who has the job since, and locks it for nobody', async (stage) => {
    const { driver, queue } = stage;
    const { job, runId } = await leased(stage, driver, 1);
    const reclaim = () => driver.claims.reclaim({ queues: [queue], dead: [] });
    await until('the lease is over', async () => (await reclaim()).reclaimed === 1);
    const nextWorker = await stage.hold();
    const late = stage.claimSession();
    const locking = late.lockLeased(runId, [job.id], true);
    expect(await within('an answer at once', locking)).toEqual(new Map());
    const nextRun = randomUUID();
    await nextWorker.held.lease(nextRun, [job.id], 60_000);
    const again = stage.claimSession();
    expect(await again.lockLeased(runId, [job.id], true)).toEqual(new Map());
    const settling = stage.claimSession();
    expect(await within('the lock', settling.lockLeased(nextRun, [job.id], true))).toEqual(
      new Map([[job.id, 'in-progress']]),
    );
  });

  test('a survey tells that something is leased', async (stage) => {
    const lanes = { queues: [stage.queue], kinds: ['work'] };
    await stage.put();
    expect(await stage.driver.claims.survey(lanes)).toMatchObject({ leased: false });
    await leased(stage);
    expect(await stage.driver.claims.survey(lanes)).toMatchObject({ leased: true });
    expect(await stage.driver.claims.survey({ ...lanes, queues: ['another'] })).toMatchObject({
      leased: false,
    });
  });

  test('the lease of a worker whose session is open is left alone, whoever calls it dead', async (stage) => {
    const { driver, queue } = stage;
    const { job, workerId } = await leased(stage);
    expect(await driver.claims.reclaim({ queues: [queue], dead: [workerId] })).toEqual({
      reclaimed: 0,
      missing: [],
      own: [],
      refused: [],
    });
    expect((await stage.row(job)).status).toBe('in-progress');
  });

  test("a worker's own leases are named to it, and put back when it says that their runs have ended", async (stage) => {
    const { driver, queue, reader } = stage;
    const { job, runId, workerId } = await leased(stage);
    const reclaim = (by: string, ...ended: readonly string[]) =>
      driver.claims.reclaim({ queues: [queue], dead: [workerId], own: { workerId: by, ended } });
    expect(await reclaim('1000000000')).toEqual({ reclaimed: 0, missing: [], own: [], refused: [] });
    expect(await reclaim(workerId)).toEqual({ reclaimed: 0, missing: [], own: [runId], refused: [] });
    expect(await reclaim(workerId, randomUUID())).toMatchObject({ reclaimed: 0 });
    expect((await stage.row(job)).status).toBe('in-progress');
    expect(await reclaim(workerId, runId)).toMatchObject({ reclaimed: 1 });
    expect(await stage.row(job)).toMatchObject({ status: 'new', attempt: 0, runId: null });
    expect(await reader.runs(job.publicId)).toMatchObject([{ runId, outcome: null }]);
  });

  test('the lease of a worker without a session lapses, and is put back when the worker is called dead', async (stage) => {
    const { driver, queue, reader } = stage;
    const dying = await stage.process();
    const { job, workerId, runId } = await leased(stage, dying.driver);
    await dying.kill();
    const lapsed = () => driver.claims.reclaim({ queues: [queue], dead: ['1000000000'] });
    await until('the lease lapses', async () => (await lapsed()).missing.includes(workerId));
    expect(await lapsed()).toEqual({ reclaimed: 0, missing: [workerId], own: [], refused: [] });
    expect(await driver.claims.reclaim({ queues: ['another'], dead: [workerId] })).toEqual({
      reclaimed: 0,
      missing: [],
      own: [],
      refused: [],
    });
    expect((await stage.row(job)).status).toBe('in-progress');

    expect(await driver.claims.reclaim({ queues: [queue], dead: [workerId] })).toMatchObject({
      reclaimed: 1,
    });
    expect(await stage.row(job)).toMatchObject({ status: 'new', attempt: 0, runId: null });
    // Its record says that it crashed, to whoever begins the next run.
    expect(await reader.runs(job.publicId)).toMatchObject([{ runId, outcome: null }]);
    const nextWorker = await stage.anchor();
    const started = { runId: randomUUID(), workerId: nextWorker.workerId, jobs: [job] };
    expect(await putOnRecord(driver, [started])).toMatchObject([{ crashes: 1 }]);
    // The zombie has it no more.
    const held = stage.claimSession();
    expect(await held.lockLeased(runId, [job.id], true)).toEqual(new Map());
    expect(await held.settle([settlement(job, { runId })])).toEqual([]);
  });

  test('a lapsed lease that is just being settled is left to its run', async (stage) => {
    const { driver, queue } = stage;
    const dying = await stage.process();
    const { job, workerId, runId } = await leased(stage, dying.driver);
    const held = stage.claimSession();
    await held.lockLeased(runId, [job.id], true);
    await held.settle([settlement(job, { runId })]);
    await dying.kill();
    const reclaim = () => driver.claims.reclaim({ queues: [queue], dead: [workerId] });
    await until('the lease lapses', async () => (await reclaim()).missing.includes(workerId));
    expect(await within('an answer at once', reclaim())).toEqual({
      reclaimed: 0,
      missing: [workerId],
      own: [],
      refused: [],
    });
    await held.commit();
    expect(await stage.row(job)).toMatchObject({ status: 'complete' });
    expect(await reclaim()).toEqual({ reclaimed: 0, missing: [], own: [], refused: [] });
  });

  test('a lease that is over is put back, though the session of its worker be open', async (stage) => {
    const { driver, queue } = stage;
    const { job } = await leased(stage, driver, 1);
    const reclaim = () => driver.claims.reclaim({ queues: [queue], dead: [] });
    await until('the lease is over', async () => (await reclaim()).reclaimed === 1);
    expect((await stage.row(job)).status).toBe('new');
  });

  test('a cancel of a leased job is passed on to its run', async (stage) => {
    const { job } = await leased(stage);
    expect(await moveOne(stage.driver, 'cancel', job.publicId)).toMatchObject({ outcome: 'running' });
    expect(await moveOne(stage.driver, 'redrive', job.publicId)).toEqual({
      outcome: 'illegal',
      status: 'in-progress',
    });
  });

  test('a duplicate of a leased job is one, and does not wait', async (stage) => {
    const unique = { key: 'once', scope: 'outstanding' } as const;
    await stage.put({ unique });
    const { held, job } = await stage.hold();
    await held.lease(randomUUID(), [job.id], 60_000);
    const enqueuing = stage.driver.jobs.enqueue([stage.newJob({ unique })]);
    expect(await within('the duplicate', enqueuing)).toEqual([
      { outcome: 'duplicate', publicId: job.publicId },
    ]);
  });

  test('a deferred handle sends each statement through the handle that it gets', async (stage) => {
    const { driver, createNotes } = stage;
    const notes = await createNotes();
    const caller = await stage.caller();
    let sent = 0;
    const handle = driver.claims.deferred({
      send: (statement) => {
        sent += 1;
        return statement(caller.tx);
      },
    });
    expect(sent).toBe(0);
    await notes.write(handle, 'deferred');
    expect(sent).toBe(1);
    await caller.commit();
    expect(await notes.all()).toEqual(['deferred']);
  });
});
