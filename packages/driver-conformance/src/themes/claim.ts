import { randomUUID } from 'node:crypto';
import type { JobId, Line, NewJob } from '@rowlock/core/driver';
import { expect } from 'vitest';
import { moveOne } from '../move-one.js';
import { ODD_NAMES } from '../names.js';
import { settlement } from '../stage.js';
import { theme } from '../theme.js';
import { until, within } from '../until.js';

export const claim = theme('claim', (test) => {
  test('takes jobs in the order of priority, then of id', async ({ putMany, claimSession, take }) => {
    const rows = await putMany([5, 0, -3, 0, 32_767, -32_768, -3, 5].map((priority) => ({ priority })));
    const order = rows.toSorted((a, b) => a.priority - b.priority || (a.id < b.id ? -1 : 1));
    const taken: JobId[] = [];
    for (const _ of rows) taken.push((await take(claimSession())).id);
    expect(taken).toEqual(order.map(({ id }) => id));
  });

  test('takes as many as it may, in that order, and locks these alone', async ({
    putMany,
    claimSession,
    claimMany,
  }) => {
    const rows = await putMany([5, 0, -3, 0, 32_767, -32_768, -3, 5].map((priority) => ({ priority })));
    const order = rows.toSorted((a, b) => a.priority - b.priority || (a.id < b.id ? -1 : 1));
    const ids = order.map(({ id }) => id);
    const first = await claimMany(claimSession(), 3);
    expect(first.map(({ id }) => id)).toEqual(ids.slice(0, 3));
    const rest = await claimMany(claimSession(), 100);
    expect(rest.map(({ id }) => id)).toEqual(ids.slice(3));
    expect(await claimMany(claimSession(), 100)).toEqual([]);
  });

  test('of several takes those beyond the line whose keys are not busy, and skips what others hold', async ({
    key,
    putMany,
    claimSession,
    claim,
    claimMany,
  }) => {
    const rows = await putMany([{}, {}, { key }, {}, { priority: -1 }, { priority: 1 }, {}]);
    const [, second, , fourth, , last, seventh] = rows.map(({ id }) => id);
    await claim(claimSession(), { line: { priority: 0, id: rows[2]?.id ?? 0n } });
    const found = await claimMany(claimSession(), 10, {
      busy: [key],
      line: rows[0] ?? { priority: 0, id: 0n },
    });
    expect(found.map(({ id }) => id)).toEqual([second, seventh, last]);
    expect(found.map(({ id }) => id)).not.toContain(fourth);
  });

  test('ten transactions at once take three each, and none what another has', async ({
    putMany,
    claimSession,
    claimMany,
    process,
  }) => {
    const rows = await putMany(Array.from({ length: 30 }, () => ({})));
    const other = await process();
    const sessions = Array.from({ length: 10 }, (_, place) =>
      place % 2 === 0 ? claimSession() : claimSession(other.driver),
    );
    const taken = await Promise.all(sessions.map((held) => claimMany(held, 3)));
    for (const jobs of taken) expect(jobs).toEqual(jobs.toSorted((a, b) => (a.id < b.id ? -1 : 1)));
    const ids = taken.flat().map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    const left = await claimMany(claimSession(other.driver), 30);
    expect([...ids, ...left.map(({ id }) => id)].toSorted()).toEqual(rows.map(({ id }) => id).toSorted());
  });

  test('several given back by rollback are as they were', async ({
    putMany,
    claimSession,
    claimMany,
    reader,
    queue,
  }) => {
    const before = await putMany([{}, {}, {}]);
    const held = claimSession();
    expect(await claimMany(held, 3)).toHaveLength(3);
    await held.rollback();
    expect(await reader.jobs(queue)).toEqual(before);
    expect(await claimMany(claimSession(), 3)).toHaveLength(3);
  });

  test('gives the job as it was enqueued', async ({ key, put, hold }) => {
    const row = await put({
      key,
      priority: 3,
      payload: { cells: [1, 2] },
      metadata: { tenant: 'acme' },
      maxAttempts: 7,
    });
    const { job } = await hold();
    expect(job).toEqual({
      id: row.id,
      publicId: row.publicId,
      queue: row.queue,
      kind: 'work',
      key,
      payload: { cells: [1, 2] },
      priority: 3,
      status: 'new',
      attempt: 0,
      maxAttempts: 7,
      crashes: 0,
      redrives: 0,
      metadata: { tenant: 'acme' },
      limits: '',
      createdAt: row.createdAt,
      waitedMs: expect.any(Number),
    });
  });

  test('says how long the time of the job had come', async ({ reader, put, hold }) => {
    const at = new Date((await reader.now()).getTime() - 3_600_000);
    await put({ available: { at } });
    const { job } = await hold();
    const since = (await reader.now()).getTime() - at.getTime();
    expect(job.waitedMs).toBeGreaterThanOrEqual(3_600_000);
    expect(job.waitedMs).toBeLessThanOrEqual(since + 1);
  });

  test('takes nothing at or before the line', async ({ putMany, claimSession, claim }) => {
    const rows = await putMany([1, 2, 1, 0, 2, 1].map((priority) => ({ priority })));
    const order = rows.toSorted((a, b) => a.priority - b.priority || (a.id < b.id ? -1 : 1));
    const held = claimSession();
    for (const [place, { priority, id }] of order.entries()) {
      const next = await claim(held, { line: { priority, id } });
      expect(next?.id, `after place ${place}`).toBe(order[place + 1]?.id);
    }
  });

  test('goes by a line between two jobs', async ({ putMany, claimSession, claim }) => {
    const [low, high] = await putMany([{ priority: 0 }, { priority: 10 }]);
    const held = claimSession();
    const beyond = async (line: Line) => (await claim(held, { line }))?.id;
    expect(await beyond({ priority: 0, id: 0n })).toBe(low?.id);
    expect(await beyond({ priority: 5, id: 0n })).toBe(high?.id);
    expect(await beyond({ priority: 5, id: 2n ** 62n })).toBe(high?.id);
    expect(await beyond({ priority: 10, id: 2n ** 62n })).toBeUndefined();
  });

  test('passes over the keys that are busy', async ({ key, putMany, claimSession, claim }) => {
    const [, , other, , none] = await putMany([
      { key: `${key}-a` },
      { key: `${key}-b` },
      { key: `${key}-c` },
      { key: `${key}-a` },
      { key: null },
    ]);
    const held = claimSession();
    expect((await claim(held, { busy: [`${key}-a`, `${key}-b`] }))?.id).toBe(other?.id);
    expect((await claim(held, { busy: [`${key}-a`, `${key}-b`, `${key}-c`] }))?.id).toBe(none?.id);
  });

  test('passes over busy keys whatever characters they hold', async ({
    put,
    putMany,
    claimSession,
    claim,
  }) => {
    await putMany(ODD_NAMES.map((key) => ({ key })));
    const free = await put({ key: 'free' });
    const held = claimSession();
    expect((await claim(held, { busy: ODD_NAMES }))?.id).toBe(free.id);
    expect(await claim(held, { busy: [...ODD_NAMES, 'free'] })).toBeUndefined();
  });

  test('passes over a thousand busy keys', async ({ put, putMany, claimSession, claim }) => {
    const keys = Array.from({ length: 1_000 }, (_, place) => `busy-${place}`);
    await putMany([{ key: 'busy-0' }, { key: 'busy-999' }]);
    const free = await put({ key: 'free' });
    expect((await claim(claimSession(), { busy: keys }))?.id).toBe(free.id);
  });

  test('takes only the queue and the kinds asked for', async ({ queue, putMany, claimSession, claim }) => {
    const [a, b, , elsewhere] = await putMany([
      { kind: 'a' },
      { kind: 'b' },
      { kind: 'c' },
      { kind: 'a', queue: `${queue}-other` },
    ]);
    const held = claimSession();
    expect((await claim(held, { kinds: ['a'] }))?.id).toBe(a?.id);
    expect((await claim(held, { kinds: ['b', 'a'], line: { priority: 0, id: a?.id ?? 0n } }))?.id).toBe(
      b?.id,
    );
    expect((await claim(held, { kinds: ['a'], queue: `${queue}-other` }))?.id).toBe(elsewhere?.id);
    expect(await claim(held, { kinds: ['d'] })).toBeUndefined();
    expect(await claim(held, { kinds: [] })).toBeUndefined();
    expect(await claim(held, { kinds: ['a'], queue: `${queue}-none` })).toBeUndefined();
  });

  test('leaves a job whose time has not come', async ({ put, claimSession, claim, take }) => {
    const job = await put({ available: { inMs: 3_600_000 } });
    const held = claimSession();
    expect(await claim(held)).toBeUndefined();
    const due = await put();
    expect((await take(held)).id).toBe(due.id);
    expect(due.id).toBeGreaterThan(job.id);
  });

  test('leaves a job that goes back to new until its pause is over', async ({
    put,
    serve,
    claimSession,
    claim,
  }) => {
    await put();
    await serve({ event: 'retry', delayMs: 3_600_000 });
    expect(await claim(claimSession())).toBeUndefined();
  });

  for (const event of ['complete', 'fail', 'exhaust', 'abandon'] as const) {
    test(`leaves a job that is settled by ${event}`, async ({ put, serve, claimSession, claim }) => {
      await put();
      await serve({ event });
      expect(await claim(claimSession())).toBeUndefined();
    });
  }

  test('leaves a job that was cancelled', async ({ driver, put, claimSession, claim }) => {
    const { publicId } = await put();
    await moveOne(driver, 'cancel', publicId);
    expect(await claim(claimSession())).toBeUndefined();
  });

  test('leaves a job that is in progress without a lock', async ({ put, reader, claimSession, claim }) => {
    const { publicId } = await put();
    await reader.write(publicId, {
      status: 'in-progress',
      runId: randomUUID(),
      startedAt: await reader.now(),
      startedBy: 'host',
    });
    expect(await claim(claimSession())).toBeUndefined();
  });

  test('skips what others hold, without waiting', async ({ putMany, hold, claimSession, claim }) => {
    const [first, second] = await putMany([{}, {}]);
    const a = await hold();
    expect(a.job.id).toBe(first?.id);
    const b = claimSession();
    expect((await within('a claim beside a held job', claim(b)))?.id).toBe(second?.id);
    const c = claimSession();
    expect(await within('a claim when everything is held', claim(c))).toBeUndefined();
  });

  test("skips what another process's driver holds", async ({
    putMany,
    hold,
    process,
    claimSession,
    take,
  }) => {
    const [, second] = await putMany([{}, {}]);
    await hold();
    const { driver } = await process();
    expect((await take(claimSession(driver))).id).toBe(second?.id);
  });

  test('writes nothing: others read the row as it was', async ({ put, hold, row }) => {
    const before = await put();
    const { held } = await hold();
    expect(await row(before)).toEqual(before);
    await held.rollback();
    expect(await row(before)).toEqual(before);
  });

  test('given back by rollback, the job is as it was', async ({ put, hold, row }) => {
    const before = await put({ maxAttempts: 3 });
    for (let time = 0; time < 5; time++) {
      const { held, job } = await hold();
      expect(job.attempt).toBe(0);
      await held.rollback();
    }
    expect(await row(before)).toEqual(before);
  });

  test('committed without a settlement, the job is as it was', async ({ put, hold, row }) => {
    const before = await put();
    const { held } = await hold();
    await held.commit();
    expect(await row(before)).toEqual(before);
    expect((await hold()).job.id).toBe(before.id);
  });

  test('given back when the server ends the connection', async ({
    put,
    process,
    hold,
    claimSession,
    claim,
    row,
  }) => {
    const before = await put();
    const dying = await process();
    await hold({}, dying.driver);
    const waiting = claimSession();
    expect(await claim(waiting)).toBeUndefined();
    await dying.disconnect();
    const found = await until('the job is claimable again', () => claim(waiting));
    expect(found.id).toBe(before.id);
    expect(await row(before)).toEqual(before);
  });

  test('given back when the process dies', async ({ put, process, hold, claimSession, claim, row }) => {
    const before = await put();
    const dying = await process();
    await hold({}, dying.driver);
    const waiting = claimSession();
    expect(await claim(waiting)).toBeUndefined();
    await dying.kill();
    const found = await until('the job is claimable again', () => claim(waiting));
    expect(found.id).toBe(before.id);
    expect(await row(before)).toEqual(before);
  });

  test('sees what was committed after its transaction began', async ({ put, claimSession, claim, take }) => {
    const held = claimSession();
    expect(await claim(held)).toBeUndefined();
    const job = await put();
    expect((await take(held)).id).toBe(job.id);
  });

  test('ten transactions at once take ten jobs', async ({ putMany, claimSession, claim, process }) => {
    const rows = await putMany(Array.from({ length: 10 }, () => ({})));
    const other = await process();
    const sessions = rows.map((_, place) => (place % 2 === 0 ? claimSession() : claimSession(other.driver)));
    const taken = await Promise.all(sessions.map((held) => claim(held)));
    expect(taken.map((job) => job?.id).toSorted()).toEqual(rows.map(({ id }) => id).toSorted());
    const late = claimSession(other.driver);
    expect(await claim(late)).toBeUndefined();
  });

  test('ten transactions at once share three jobs', async ({ putMany, claimSession, claim, process }) => {
    const rows = await putMany([{}, {}, {}]);
    const other = await process();
    const sessions = Array.from({ length: 10 }, (_, place) =>
      place % 2 === 0 ? claimSession() : claimSession(other.driver),
    );
    const taken = await Promise.all(sessions.map((held) => claim(held)));
    const ids = taken.flatMap((job) => (job === undefined ? [] : [job.id]));
    expect(ids.toSorted()).toEqual(rows.map(({ id }) => id).toSorted());
  });

  for (const size of [0, 5, 3_000]) {
    test(`holds one row and no more among ${size} settled and ${size} waiting ones`, async ({
      driver,
      queue,
      key,
      newJob,
      putMany,
      claimSession,
      take,
    }) => {
      const many = (change: Partial<NewJob>) => Array.from({ length: size }, () => newJob(change));
      await driver.jobs.enqueue(many({ key }));
      const settling = claimSession();
      const siblings = await settling.lockSiblings({ queue, keys: [key] }, size + 1);
      await settling.settle(siblings.map((job) => settlement(job)));
      await settling.commit();
      const rows = await putMany([{}, {}, {}, {}]);
      await driver.jobs.enqueue(many({}));

      // Each next transaction gets exactly the next row: the ones before have locked theirs and nothing else.
      const taken: JobId[] = [];
      for (const _ of rows) taken.push((await take(claimSession())).id);
      expect(taken).toEqual(rows.map(({ id }) => id));
    });
  }

  test('a worker may have as many connections as the driver says, and no more', async ({
    process,
    claim,
  }) => {
    const { driver, sessions } = await process();
    const most = driver.pool?.most;
    const wanted = (most ?? 12) + 3;
    const claimed = Array.from({ length: wanted }, async () => {
      const session = driver.claims.session({ idleLimitMs: 60_000 });
      await claim(session);
      return session;
    });
    const open = [...claimed];
    while (open.length > 0) {
      const [held, place] = await within(
        'a transaction, when another one has ended',
        Promise.race(open.map(async (each, index) => [await each, index] as const)),
      );
      if (most !== undefined) expect((await sessions()).length).toBeLessThanOrEqual(most);
      await held.rollback();
      open.splice(place, 1);
    }
    await Promise.all(claimed);
  });
});
