import { randomUUID } from 'node:crypto';
import type { JobId } from '@rowlock/core/driver';
import { expect } from 'vitest';
import { moveOne } from '../move-one.js';
import { settlement } from '../stage.js';
import { theme } from '../theme.js';
import { within } from '../until.js';

export const siblings = theme('siblings', (test) => {
  test('locks and returns every available job of the key, by id', async ({
    queue,
    key,
    putMany,
    hold,
    claimSession,
    claim,
  }) => {
    const rows = await putMany([3, 1, 2, 0].map((priority) => ({ key, priority })));
    const { held } = await hold();
    const group = await held.lockSiblings({ queue, keys: [key] }, 10);
    expect(group.map(({ id }) => id)).toEqual(rows.map(({ id }) => id));
    expect(await claim(claimSession())).toBeUndefined();
  });

  test('returns jobs as a claim does', async ({ queue, key, put, hold }) => {
    await put({ key, payload: { a: [1] }, metadata: { b: 2 }, priority: 4, maxAttempts: 2 });
    const { held, job } = await hold();
    expect(await held.lockSiblings({ queue, keys: [key] }, 10)).toEqual([
      { ...job, waitedMs: expect.any(Number) },
    ]);
  });

  test('takes the jobs of every kind', async ({ queue, key, putMany, claimSession }) => {
    const rows = await putMany([
      { key, kind: 'a' },
      { key, kind: 'b' },
      { key, kind: 'a' },
    ]);
    const group = await claimSession().lockSiblings({ queue, keys: [key] }, 10);
    expect(group.map(({ id }) => id)).toEqual(rows.map(({ id }) => id));
  });

  test('needs no claim before it, and may find nothing', async ({ queue, key, claimSession }) => {
    expect(await claimSession().lockSiblings({ queue, keys: [key] }, 10)).toEqual([]);
  });

  test('returns no more than the limit, and locks them all', async ({
    queue,
    key,
    driver,
    putMany,
    hold,
    claimSession,
    claim,
    take,
  }) => {
    const rows = await putMany(Array.from({ length: 6 }, () => ({ key })));
    const { held } = await hold();
    const group = await held.lockSiblings({ queue, keys: [key] }, 2);
    expect(group.map(({ id }) => id)).toEqual(rows.slice(0, 2).map(({ id }) => id));

    expect(await claim(claimSession())).toBeUndefined();
    for (const { publicId } of rows) {
      expect(await moveOne(driver, 'cancel', publicId)).toMatchObject({ outcome: 'running' });
    }
    await held.rollback();
    expect((await take(claimSession())).id).toBe(rows[0]?.id);
  });

  test('leaves the jobs beyond the limit as they were', async ({ queue, key, putMany, hold, row }) => {
    const rows = await putMany(Array.from({ length: 3 }, () => ({ key })));
    const { held } = await hold();
    const group = await held.lockSiblings({ queue, keys: [key] }, 1);
    await held.settle(group.map((job) => settlement(job)));
    await held.commit();
    const [first, ...rest] = rows;
    expect((await row(first ?? { publicId: '' })).status).toBe('complete');
    for (const before of rest) expect(await row(before)).toEqual(before);
  });

  test('is refused at once when another transaction holds one of them', async ({
    queue,
    key,
    putMany,
    hold,
    claimSession,
    claim,
  }) => {
    const [first, second, third] = await putMany([{ key }, { key }, { key }]);
    const a = await hold();
    const b = await hold();
    expect([a.job.id, b.job.id]).toEqual([first?.id, second?.id]);
    // A's transaction stays open over this line: a lock that waits never comes past it.
    const refused = within('the refusal', b.held.lockSiblings({ queue, keys: [key] }, 10));
    await expect(refused).rejects.toMatchObject({ name: 'DriverError', code: 'LockNotAvailable' });
    await b.held.rollback();
    const line = { priority: 0, id: first?.id ?? 0n };
    expect((await claim(claimSession(), { line }))?.id).toBe(second?.id);
    expect((await claim(claimSession(), { line }))?.id).toBe(third?.id);
  });

  test('refused, it keeps nothing locked after the rollback', async ({
    queue,
    key,
    putMany,
    hold,
    claimSession,
  }) => {
    await putMany([{ key }, { key }, { key }]);
    const a = await hold();
    const b = await hold();
    await expect(b.held.lockSiblings({ queue, keys: [key] }, 10)).rejects.toMatchObject({
      code: 'LockNotAvailable',
    });
    await b.held.rollback();
    expect(await a.held.lockSiblings({ queue, keys: [key] }, 10)).toHaveLength(3);
    await a.held.rollback();
    expect(await claimSession().lockSiblings({ queue, keys: [key] }, 10)).toHaveLength(3);
  });

  test('of two transactions that hold one job each, one or both are refused, and neither waits', async ({
    queue,
    key,
    putMany,
    hold,
    claimSession,
  }) => {
    await putMany([{ key }, { key }]);
    const a = await hold();
    const b = await hold();
    const both = await within(
      'both answers',
      Promise.allSettled([
        a.held.lockSiblings({ queue, keys: [key] }, 10),
        b.held.lockSiblings({ queue, keys: [key] }, 10),
      ]),
    );
    // Some databases give a refused transaction's locks back at once: then the later one gets them all.
    const refusals = both.filter(({ status }) => status === 'rejected');
    expect(refusals.length).toBeGreaterThan(0);
    for (const refusal of refusals) expect(refusal).toMatchObject({ reason: { code: 'LockNotAvailable' } });
    for (const each of both) if (each.status === 'fulfilled') expect(each.value).toHaveLength(2);
    await a.held.rollback();
    await b.held.rollback();
    expect(await claimSession().lockSiblings({ queue, keys: [key] }, 10)).toHaveLength(2);
  });

  test('is refused by the lock of another process on a job of another kind', async ({
    queue,
    key,
    putMany,
    process,
    hold,
  }) => {
    await putMany([{ key, kind: 'create' }, { key }]);
    const { driver } = await process();
    await hold({ kinds: ['create'] }, driver);
    const { held } = await hold();
    await expect(held.lockSiblings({ queue, keys: [key] }, 10)).rejects.toMatchObject({
      code: 'LockNotAvailable',
    });
  });

  test('returns jobs in progress before all others', async ({
    reader,
    queue,
    key,
    putMany,
    hold,
    driver,
  }) => {
    const [first, second, third] = await putMany([{ key }, { key }, { key }]);
    await reader.write(third?.publicId ?? '', {
      status: 'in-progress',
      runId: randomUUID(),
      startedAt: await reader.now(),
      startedBy: 'host',
    });
    const { held } = await hold();
    const group = await held.lockSiblings({ queue, keys: [key] }, 2);
    expect(group.map(({ id, status }) => [id, status])).toEqual([
      [third?.id, 'in-progress'],
      [first?.id, 'new'],
    ]);
    expect(await moveOne(driver, 'cancel', second?.publicId ?? '')).toMatchObject({ outcome: 'running' });
  });

  test('leaves alone what is not available', async ({ queue, key, driver, put, serve, hold }) => {
    const failed = await put({ key });
    await serve({ event: 'fail' });
    const later = await put({ key, available: { inMs: 3_600_000 } });
    const now = await put({ key });
    const { held } = await hold();
    expect((await held.lockSiblings({ queue, keys: [key] }, 10)).map(({ id }) => id)).toEqual([now.id]);
    // Not locked: others may move them at once.
    expect(await within('the redrive', moveOne(driver, 'redrive', failed.publicId))).toEqual({
      outcome: 'moved',
    });
    expect(await within('the cancel', moveOne(driver, 'cancel', later.publicId))).toEqual({
      outcome: 'moved',
    });
  });

  test('leaves alone other queues, other keys and jobs without a key', async ({
    queue,
    key,
    putMany,
    hold,
    claimSession,
    take,
  }) => {
    const [, elsewhere, other, none] = await putMany([
      { key },
      { key, queue: `${queue}-other` },
      { key: `${key}-other` },
      { key: null },
    ]);
    const { held } = await hold();
    expect(await held.lockSiblings({ queue, keys: [key] }, 10)).toHaveLength(1);
    expect((await take(claimSession(), { queue: `${queue}-other` })).id).toBe(elsewhere?.id);
    expect((await take(claimSession())).id).toBe(other?.id);
    expect((await take(claimSession())).id).toBe(none?.id);
  });

  test('two keys are locked side by side', async ({ queue, key, putMany, claimSession, take }) => {
    await putMany([{ key: `${key}-a` }, { key: `${key}-b` }, { key: `${key}-a` }, { key: `${key}-b` }]);
    const a = claimSession();
    const b = claimSession();
    await take(a);
    await take(b);
    const [ofA, ofB] = await within(
      'both groups',
      Promise.all([
        a.lockSiblings({ queue, keys: [`${key}-a`] }, 10),
        b.lockSiblings({ queue, keys: [`${key}-b`] }, 10),
      ]),
    );
    expect(ofA).toHaveLength(2);
    expect(ofB).toHaveLength(2);
  });

  test('of several keys returns no more than the limit each, those in progress first, and locks them all', async ({
    queue,
    key,
    reader,
    putMany,
    claimSession,
    claim,
    driver,
  }) => {
    const keys = ['a', 'b', 'c'].map((name) => `${key}-${name}`);
    const rows = await putMany([...keys, ...keys, ...keys].map((own) => ({ key: own })));
    const leased = rows.findLast((row) => row.key === keys[1]);
    await reader.write(leased?.publicId ?? '', {
      status: 'in-progress',
      runId: randomUUID(),
      startedAt: await reader.now(),
      startedBy: 'host',
    });
    const held = claimSession();
    const group = await held.lockSiblings({ queue, keys: [...keys, `${key}-none`] }, 2);
    const idsOf = (jobs: readonly { readonly id: JobId; readonly key: string | null }[], own = '') =>
      jobs.filter((job) => job.key === own).map(({ id }) => id);
    expect(idsOf(group, keys[0])).toEqual(idsOf(rows, keys[0]).slice(0, 2));
    expect(idsOf(group, keys[1])).toEqual([leased?.id, ...idsOf(rows, keys[1]).slice(0, 1)]);
    expect(idsOf(group, keys[2])).toEqual(idsOf(rows, keys[2]).slice(0, 2));
    expect(group).toHaveLength(6);

    expect(await claim(claimSession())).toBeUndefined();
    for (const { publicId } of rows) {
      expect(await moveOne(driver, 'cancel', publicId)).toMatchObject({ outcome: 'running' });
    }
  });

  test('of several keys is refused as a whole when one of their jobs is held elsewhere', async ({
    queue,
    key,
    putMany,
    claimSession,
    take,
    claimMany,
  }) => {
    const [a, b] = [`${key}-a`, `${key}-b`];
    const rows = await putMany([{ key: a }, { key: b }, { key: b }]);
    const owner = claimSession();
    await take(owner, { busy: [a] });
    const held = claimSession();
    await take(held);
    const refused = held.lockSiblings({ queue, keys: [a, b] }, 10);
    await expect(within('the refusal', refused)).rejects.toMatchObject({ code: 'LockNotAvailable' });
    await held.rollback();
    const free = await claimMany(claimSession(), 10);
    expect(free.map(({ id }) => id)).toEqual([rows[0]?.id, rows[2]?.id]);
  });

  test('two that lock the same keys in another order do not wait for each other', async ({
    queue,
    key,
    putMany,
    claimSession,
    take,
  }) => {
    const [a, b] = [`${key}-a`, `${key}-b`];
    await putMany([{ key: a }, { key: b }]);
    const [one, other] = [claimSession(), claimSession()];
    await take(one);
    await take(other);
    const locks = [
      one.lockSiblings({ queue, keys: [a, b] }, 10),
      other.lockSiblings({ queue, keys: [b, a] }, 10),
    ];
    const ends = await within('both answers', Promise.allSettled(locks));
    expect(ends.map(({ status }) => status)).toContain('rejected');
  });

  test('a job that is committed after the lock is not of the group, and gets its own', async ({
    queue,
    key,
    putMany,
    put,
    hold,
    row,
  }) => {
    const rows = await putMany([{ key }, { key }, { key }]);
    const { held } = await hold();
    const group = await held.lockSiblings({ queue, keys: [key] }, 10);
    expect(group).toHaveLength(3);

    const late = await put({ key });
    const other = await hold();
    expect(other.job.id).toBe(late.id);
    await expect(other.held.lockSiblings({ queue, keys: [key] }, 10)).rejects.toMatchObject({
      code: 'LockNotAvailable',
    });
    await other.held.rollback();

    const settled = await held.settle(group.map((job) => settlement(job)));
    expect(settled).toHaveLength(3);
    await held.commit();
    for (const each of rows) expect((await row(each)).status).toBe('complete');
    expect(await row(late)).toEqual(late);

    const next = await hold();
    expect(next.job.id).toBe(late.id);
    expect((await next.held.lockSiblings({ queue, keys: [key] }, 10)).map(({ id }) => id)).toEqual([late.id]);
  });

  test('sees jobs that were committed after its transaction began', async ({
    queue,
    key,
    put,
    putMany,
    hold,
  }) => {
    await put({ key });
    const { held } = await hold();
    await putMany([{ key }, { key }]);
    expect(await held.lockSiblings({ queue, keys: [key] }, 10)).toHaveLength(3);
  });

  test('locks a thousand', async ({ queue, key, driver, newJob, hold, claimSession, claim }) => {
    await driver.jobs.enqueue(Array.from({ length: 1_000 }, (_, payload) => newJob({ key, payload })));
    const { held } = await hold();
    const group = await held.lockSiblings({ queue, keys: [key] }, 1_000);
    expect(group.map(({ payload }) => payload)).toEqual(Array.from({ length: 1_000 }, (_, place) => place));
    expect(await claim(claimSession())).toBeUndefined();
  });
});
