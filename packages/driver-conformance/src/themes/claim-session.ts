import { randomUUID } from 'node:crypto';
import type { ClaimCriteria, ClaimSession, Job } from '@rowlock/core/driver';
import { expect } from 'vitest';
import { endSessions } from '../end-sessions.js';
import { KIND, START, settlement } from '../stage.js';
import { theme } from '../theme.js';
import { aborted, until, within } from '../until.js';

/** What ends a session's transaction, and how the row of its job stands then. */
const ENDS: readonly (readonly [
  verb: string,
  end: <Tx>(session: ClaimSession<Tx>, job: Job) => Promise<unknown>,
  status: string,
])[] = [
  ['commit', (session) => session.commit(), 'new'],
  ['rollback', (session) => session.rollback(), 'new'],
  ['release', (session, { id }) => session.release({ runId: randomUUID(), jobs: [id] }), 'new'],
  ['lease', (session, { id }) => session.lease(randomUUID(), [id], 60_000), 'in-progress'],
  ['finish', (session, job) => session.finish([settlement(job)]), 'complete'],
];

export const claimSession = theme('claim session', (test) => {
  for (const [verb, end, status] of ENDS) {
    test(`after ${verb} a session claims again, and has nothing of before`, async (stage) => {
      const { putMany, row, take } = stage;
      const [first, second] = await putMany([{ priority: 0 }, { priority: 1 }]);
      const { held, job } = await stage.hold();
      const { lost, handle } = held;
      await stage.database.run(handle, 'SELECT 1 AS one');
      expect(held.used).toBe(true);
      await end(held, job);
      expect((await row(first ?? job)).status).toBe(status);
      const again = await take(held, { line: { priority: 0, id: job.id } });
      expect(again.id).toBe(second?.id);
      expect(held.used).toBe(false);
      await expect(stage.database.run(handle, 'SELECT 1 AS one')).rejects.toThrow();
      expect(lost.aborted).toBe(false);
      expect(await held.settle([settlement(job), settlement(again)])).toEqual([again.id]);
      await held.commit();
      expect(await row(again)).toMatchObject({ status: 'complete' });
    });
  }

  test('a session that has lost a claim makes another one when that is rolled back', async (stage) => {
    const { put, process, hold, claim, row } = stage;
    const job = await put();
    const other = await process();
    const { held } = await hold({}, other.driver);
    const { lost } = held;
    await endSessions(other);
    await within('the loss', aborted(lost));
    await expect(claim(held)).rejects.toMatchObject({ code: 'ConnectionLost' });
    await until('the session claims again', async () => {
      await held.rollback();
      // A connection that idles in a pool may be handed out once more before it is seen to be gone.
      return claim(held).catch(() => undefined);
    });
    expect(held.lost.aborted).toBe(false);
    expect(await held.settle([settlement(job)])).toEqual([job.id]);
    await held.commit();
    expect((await row(job)).status).toBe('complete');
  });

  test('a session that has claimed nothing has nothing to lose, and nothing to roll back', async ({
    claimSession,
  }) => {
    const session = claimSession();
    expect(session.lost.aborted).toBe(false);
    expect(session.used).toBe(false);
    await session.rollback();
    await session.rollback();
  });

  test('a lease is locked by the session that took it, and settled', async (stage) => {
    const { put, hold, row } = stage;
    await put();
    const { held, job } = await hold();
    const runId = randomUUID();
    await held.lease(runId, [job.id], 60_000);
    expect([...(await held.lockLeased(runId, [job.id], true))]).toEqual([[job.id, 'in-progress']]);
    expect(await held.settle([settlement(job, { runId })])).toEqual([job.id]);
    await held.commit();
    expect(await row(job)).toMatchObject({ status: 'complete', runId });
  });

  test('finish claims the next job behind its commit, or leaves that to a claim', async (stage) => {
    const { putMany, hold, claim, claimSession: other, row, queue } = stage;
    const [first, second] = await putMany([{}, {}]);
    const { held, job } = await hold();
    const { settled, next } = await held.finish([settlement(job)], criteriaOf(queue));
    expect(settled).toEqual([first?.id]);
    expect((await row(job)).status).toBe('complete');
    const jobs = await within('the next claim', next ?? held.claim(criteriaOf(queue)));
    expect(jobs.map(({ id }) => id)).toEqual([second?.id]);
    // It is held, by this session alone.
    expect(await claim(other())).toBeUndefined();
    const again = await held.finish(jobs.map((each) => settlement(each)));
    expect(again.settled).toEqual([second?.id]);
    expect(await row(second ?? job)).toMatchObject({ status: 'complete' });
  });

  test('a next claim finds the job that its settlement has put back', async ({ put, hold, queue, row }) => {
    const job = await put();
    const { held } = await hold();
    const { next } = await held.finish(
      [settlement(job, { event: 'retry', attempt: 1 })],
      criteriaOf(queue, START),
    );
    const jobs = await (next ?? held.claim(criteriaOf(queue)));
    expect(jobs).toMatchObject([{ id: job.id, attempt: 1 }]);
    await held.rollback();
    expect((await row(job)).status).toBe('new');
  });

  test('a next claim that is rolled back leaves the settlement before it', async ({
    putMany,
    hold,
    take,
    claimSession: other,
    queue,
    row,
  }) => {
    const [first, second] = await putMany([{}, {}]);
    const { held, job } = await hold();
    const { next } = await held.finish([settlement(job)], criteriaOf(queue));
    await (next ?? held.claim(criteriaOf(queue)));
    await held.rollback();
    expect(await row(first ?? job)).toMatchObject({ status: 'complete' });
    expect((await take(other())).id).toBe(second?.id);
  });

  test('a next claim that finds nothing leaves nothing behind', async ({ put, hold, claim, queue }) => {
    await put();
    const { held, job } = await hold();
    const { next } = await held.finish([settlement(job)], criteriaOf(queue));
    expect(await (next ?? held.claim(criteriaOf(queue)))).toEqual([]);
    await held.rollback();
    expect(await claim(held)).toBeUndefined();
    await held.rollback();
  });

  test('finish claims nothing unless it settles all', async ({ putMany, hold, claim, queue }) => {
    await putMany([{}, {}, {}]);
    const [{ held, job }, other] = [await hold(), await hold()];
    const settlements = [job, other.job].map((each) => settlement(each));
    const { settled, next } = await held.finish(settlements, criteriaOf(queue));
    expect(settled.length).toBeLessThan(settlements.length);
    expect(next).toBeNull();
    await held.rollback();
    expect((await claim(held))?.id).toBe(job.id);
  });

  test('what a handler writes after a next claim is of that transaction', async (stage) => {
    const { putMany, hold, queue, createNotes } = stage;
    const notes = await createNotes();
    await putMany([{}, {}]);
    const { held, job } = await hold();
    await notes.write(held.handle, 'kept');
    const { next } = await held.finish([settlement(job)], criteriaOf(queue));
    await (next ?? held.claim(criteriaOf(queue)));
    expect(held.used).toBe(false);
    await notes.write(held.handle, 'lost');
    expect(held.used).toBe(true);
    await held.rollback();
    expect(await notes.all()).toEqual(['kept']);
  });

  test('a next claim that is lost says so, and its settlement stays', async (stage) => {
    const { putMany, process, hold, queue, row } = stage;
    const [first, second] = await putMany([{}, {}]);
    const dying = await process();
    const { held, job } = await hold({}, dying.driver);
    const { next } = await held.finish([settlement(job)], criteriaOf(queue));
    const [claimed] = await (next ?? held.claim(criteriaOf(queue)));
    const { lost } = held;
    await dying.kill();
    expect(await within('the loss', aborted(lost))).toMatchObject({ code: 'ConnectionLost' });
    await expect(held.settle([settlement(claimed ?? job)])).rejects.toMatchObject({ code: 'ConnectionLost' });
    await held.rollback();
    expect(await row(first ?? job)).toMatchObject({ status: 'complete' });
    expect(await row(second ?? job)).toMatchObject({ status: 'new' });
  });
});

function criteriaOf(queue: string, line = START): ClaimCriteria {
  return { queue, kinds: [KIND], line, busy: [], limit: 1 };
}
