import type { JoinableAdmission, PauseTarget } from '@rowlock/core/driver';
import { expect } from 'vitest';
import { partsOf } from '../parts-of.js';
import { KIND, type Stage } from '../stage.js';
import { theme } from '../theme.js';

const HOUR_MS = 3_600_000;
const ALL: PauseTarget = { scope: 'all', name: '' };

/** Pauses, until the end of the test at the latest. Nothing of this test is to pause another one. */
async function pause<Tx>(
  { driver, defer }: Pick<Stage<Tx>, 'driver' | 'defer'>,
  target: PauseTarget,
  ends: Date | null = null,
  on: { readonly admission: Pick<JoinableAdmission, 'pause'> } = driver,
): Promise<void> {
  defer(() => driver.admission.resume(target));
  await on.admission.pause({ ...target, until: ends, reason: 'a reason', by: 'ann' });
}

/** A job of one limit, and the four ways to pause it. */
async function limitedJob<Tx>(stage: Stage<Tx>) {
  const { key, queue } = stage;
  const kind = `kind of ${key}`;
  const limits = JSON.stringify({ [key]: 5 });
  const job = await stage.put({ kind, limits });
  const targets: readonly PauseTarget[] = [
    { scope: 'queue', name: queue },
    { scope: 'kind', name: kind },
    { scope: 'limit', name: key },
    ALL,
  ];
  return { job, limits, kind, targets };
}

export const pauses = theme('pauses', (test) => {
  test('no claim takes a job whose queue, kind or limit is paused, or while all is', async (stage) => {
    const { driver, claim, claimSession, row } = stage;
    const { job, limits, kind, targets } = await limitedJob(stage);
    for (const target of targets) {
      await pause(stage, target);
      const held = claimSession();
      expect(await claim(held, { limits, kinds: [kind] }), target.scope).toBeUndefined();
      await held.rollback();
      await driver.admission.resume(target);
      expect(await claim(held, { limits, kinds: [kind] }), target.scope).toMatchObject({ id: job.id });
      await held.rollback();
    }
    expect(await row(job)).toEqual(job);
  });

  test('a claim of several passes over a paused kind, and takes the others', async (stage) => {
    const { putMany, claimMany, claimSession } = stage;
    const [, other] = await putMany([{}, { kind: 'other' }, {}]);
    await pause(stage, { scope: 'kind', name: KIND });
    const found = await claimMany(claimSession(), 10, { kinds: [KIND, 'other'] });
    expect(found.map(({ id }) => id)).toEqual([other?.id]);
  });

  test('names of pauses differ to the byte, and by what they are of', async (stage) => {
    const { put, claim, claimSession, queue } = stage;
    const job = await put();
    for (const name of [queue.toUpperCase(), `${queue} `, KIND]) await pause(stage, { scope: 'queue', name });
    await pause(stage, { scope: 'kind', name: queue });
    await pause(stage, { scope: 'limit', name: queue });
    expect(await claim(claimSession())).toMatchObject({ id: job.id });
  });

  test('a claim that begins after the pause takes nothing, while claims come and go', async (stage) => {
    const { queue, driver, reader, claimSession } = stage;
    await stage.driver.jobs.enqueue(Array.from({ length: 300 }, () => stage.newJob()));
    let isPaused = false;
    let late = 0;
    const claiming = Array.from({ length: 4 }, async () => {
      const held = claimSession();
      for (let afterwards = 0; afterwards < 5; ) {
        const began = isPaused;
        const job = await stage.claim(held);
        if (began && job !== undefined) late += 1;
        if (began) afterwards += 1;
        await held.rollback();
      }
    });
    await pause(stage, { scope: 'queue', name: queue });
    isPaused = true;
    await Promise.all(claiming);
    expect(late).toBe(0);
    expect(new Set((await reader.jobs(queue)).map(({ status }) => status))).toEqual(new Set(['new']));
    await driver.admission.resume({ scope: 'queue', name: queue });
    expect(await stage.claim(claimSession())).toBeDefined();
  });

  test('a paused job does not count as waiting, and its part is not listed', async (stage) => {
    const { driver, queue, put } = stage;
    const { limits, kind, targets } = await limitedJob(stage);
    await put({ kind });
    for (const target of targets) {
      const limited = target.scope === 'limit';
      await pause(stage, target);
      const lanes = { queues: [queue], kinds: [kind] };
      expect(await driver.claims.dueQueues(lanes), target.scope).toEqual(limited ? [queue] : []);
      expect(await driver.claims.survey(lanes), target.scope).toMatchObject({
        waiting: limited,
        nextDueMs: null,
      });
      const parts = target.scope === 'kind' ? [{ queue, limits }] : [];
      expect(await partsOf(driver, [queue]), target.scope).toEqual(parts);
      await driver.admission.resume(target);
      expect(await driver.claims.dueQueues(lanes)).toEqual([queue]);
      expect(await driver.claims.survey(lanes)).toMatchObject({ waiting: true });
      expect(await partsOf(driver, [queue])).toEqual([{ queue, limits }]);
    }
  });

  test('due jobs of a paused limit alone do not count as waiting, and those of others do', async (stage) => {
    const { driver, key, queue, put } = stage;
    const lanes = { queues: [queue], kinds: [KIND] };
    const both = JSON.stringify({ [`${key} "a"`]: 1, [`${key} b`]: 1 });
    await put({ limits: both });
    await pause(stage, { scope: 'limit', name: `${key} "a"` });
    expect(await driver.claims.survey(lanes)).toMatchObject({ waiting: false });
    expect(await partsOf(driver, [queue])).toEqual([]);
    const limits = JSON.stringify({ [`${key} b`]: 1 });
    await put({ limits });
    expect(await driver.claims.survey(lanes)).toMatchObject({ waiting: true });
    expect(await partsOf(driver, [queue])).toEqual([{ queue, limits }]);
  });

  test('a survey returns when the first pause ends, and a pause that has ended stops nothing', async (stage) => {
    const { driver, queue, reader, claim, claimSession, put } = stage;
    const job = await put();
    const now = (await reader.now()).getTime();
    const target: PauseTarget = { scope: 'queue', name: queue };
    await pause(stage, target, new Date(now + HOUR_MS));
    const { nextDueMs } = await driver.claims.survey({ queues: [queue], kinds: [KIND] });
    expect(nextDueMs).toBeGreaterThan(HOUR_MS - 60_000);
    expect(nextDueMs).toBeLessThanOrEqual(HOUR_MS);
    expect(await claim(claimSession())).toBeUndefined();
    await pause(stage, target, new Date(now - 1_000));
    expect(await driver.claims.survey({ queues: [queue], kinds: [KIND] })).toMatchObject({
      nextDueMs: null,
      waiting: true,
    });
    expect(await driver.admission.pauses()).toEqual([]);
    expect(await claim(claimSession())).toMatchObject({ id: job.id });
  });

  test('pauses are listed in order, and a later pause of the same work takes the place of the first', async (stage) => {
    const { driver, queue, reader } = stage;
    const ends = new Date(Math.trunc((await reader.now()).getTime()) + HOUR_MS);
    const [b, a] = [`${queue} b`, `${queue} a`];
    await pause(stage, { scope: 'queue', name: b });
    await pause(stage, { scope: 'queue', name: a });
    await pause(stage, { scope: 'kind', name: b });
    await driver.admission.pause({ scope: 'queue', name: b, until: ends, reason: null, by: 'bob' });
    const listed = (await driver.admission.pauses()).map(({ pausedAt, ...each }) => {
      expect(pausedAt).toBeInstanceOf(Date);
      return each;
    });
    expect(listed).toEqual([
      { scope: 'kind', name: b, until: null, reason: 'a reason', by: 'ann' },
      { scope: 'queue', name: a, until: null, reason: 'a reason', by: 'ann' },
      { scope: 'queue', name: b, until: ends, reason: null, by: 'bob' },
    ]);
  });

  test('a pause in a transaction begins with its commit, and not at all when it is rolled back', async (stage) => {
    const { driver, queue, caller, claim, claimSession, put } = stage;
    const job = await put();
    const target: PauseTarget = { scope: 'queue', name: queue };
    for (const ends of ['rollback', 'commit'] as const) {
      const transaction = await caller();
      await pause(stage, target, null, driver.join(transaction.tx));
      const held = claimSession();
      expect(await claim(held)).toMatchObject({ id: job.id });
      await held.rollback();
      await transaction[ends]();
      expect((await claim(held))?.id).toBe(ends === 'commit' ? undefined : job.id);
      await held.rollback();
    }
    const transaction = await caller();
    await driver.join(transaction.tx).admission.resume(target);
    expect(await driver.join(transaction.tx).admission.pauses()).toEqual([]);
    expect(await claim(claimSession())).toBeUndefined();
    await transaction.commit();
    expect(await claim(claimSession())).toMatchObject({ id: job.id });
  });

  test('siblings are locked up to the first one whose kind is paused', async (stage) => {
    const { queue, key, putMany, claimSession } = stage;
    const [first, , third] = await putMany([{ key }, { key, kind: 'paused' }, { key }]);
    const other = await stage.put({ key: `${key} 2`, kind: 'paused' });
    await pause(stage, { scope: 'kind', name: 'paused' });
    const held = claimSession();
    expect(await stage.claim(held)).toMatchObject({ id: first?.id });
    const locked = await held.lockSiblings({ queue, keys: [key, `${key} 2`] }, 10);
    expect(locked.map(({ id }) => id)).toEqual([first?.id]);
    // All of them are locked, so nobody overtakes.
    for (const { id } of [third, other].flatMap((each) => each ?? [])) {
      const found = await stage.claim(claimSession(), {
        kinds: [KIND, 'paused'],
        line: { priority: 0, id: id - 1n },
      });
      expect(found).toBeUndefined();
    }
    await held.rollback();
  });

  test('siblings of a queue that was paused since the claim are left out', async (stage) => {
    const { queue, key, putMany, take, claimSession } = stage;
    await putMany([{ key }, { key }]);
    const held = claimSession();
    await take(held);
    await pause(stage, { scope: 'queue', name: queue });
    expect(await held.lockSiblings({ queue, keys: [key] }, 10)).toEqual([]);
    await held.rollback();
  });

  test('a sibling in progress blocks its key, although its kind is paused', async (stage) => {
    const { queue, key, putMany, take, claimSession } = stage;
    const [leased, next] = await putMany([{ key }, { key, kind: 'other' }]);
    const leasing = claimSession();
    const job = await take(leasing);
    await leasing.lease('00000000-0000-4000-8000-000000000001', [job.id], HOUR_MS);
    await pause(stage, { scope: 'kind', name: KIND });
    const held = claimSession();
    await take(held, { kinds: ['other'] });
    const locked = await held.lockSiblings({ queue, keys: [key] }, 10);
    expect(locked.map(({ id, status }) => [id, status])).toEqual([
      [leased?.id, 'in-progress'],
      [next?.id, 'new'],
    ]);
    await held.rollback();
  });
});
