import { expect } from 'vitest';
import { moveOne } from '../move-one.js';
import { KIND } from '../stage.js';
import { theme } from '../theme.js';
import { withWrongClock } from '../wrong-clock.js';

const HOUR_MS = 3_600_000;

export const survey = theme('survey', (test) => {
  test('of an empty queue finds nothing to wait for', async ({ driver, queue }) => {
    const found = await driver.claims.survey({ queues: [queue], kinds: [KIND] });
    expect(found).toEqual({
      promoted: 0,
      nextDueMs: null,
      leased: false,
      limited: false,
      unlimited: false,
      followers: expect.any(Boolean),
      nextExpiryMs: expect.toBeOneOf([null, expect.any(Number)]),
      nextTickMs: null,
      refused: [],
      waiting: false,
    });
  });

  test('of no queues finds nothing', async ({ driver, put }) => {
    await put();
    expect(await driver.claims.survey({ queues: [], kinds: [] })).toMatchObject({
      nextDueMs: null,
      leased: false,
      limited: false,
      followers: expect.any(Boolean),
      nextExpiryMs: expect.toBeOneOf([null, expect.any(Number)]),
      nextTickMs: null,
      refused: [],
      waiting: false,
      unlimited: false,
    });
  });

  test('tells that a due job waits', async ({ driver, queue, put }) => {
    await put();
    expect(await driver.claims.survey({ queues: [queue], kinds: [KIND] })).toEqual({
      promoted: 0,
      nextDueMs: null,
      leased: false,
      limited: false,
      followers: expect.any(Boolean),
      nextExpiryMs: expect.toBeOneOf([null, expect.any(Number)]),
      nextTickMs: null,
      refused: [],
      waiting: true,
      unlimited: true,
    });
  });

  test('tells that a due job waits also when somebody holds it', async ({ driver, queue, put, hold }) => {
    await put();
    await hold();
    expect((await driver.claims.survey({ queues: [queue], kinds: [KIND] })).waiting).toBe(true);
  });

  test('does not tell of settled jobs', async ({ driver, queue, put, serve }) => {
    await put();
    await serve();
    await put();
    await serve({ event: 'fail' });
    const { publicId } = await put();
    await moveOne(driver, 'cancel', publicId);
    expect(await driver.claims.survey({ queues: [queue], kinds: [KIND] })).toEqual({
      promoted: 0,
      nextDueMs: null,
      leased: false,
      limited: false,
      followers: expect.any(Boolean),
      nextExpiryMs: expect.toBeOneOf([null, expect.any(Number)]),
      nextTickMs: null,
      refused: [],
      waiting: false,
      unlimited: false,
    });
  });

  test('looks only at the queues and kinds asked for', async ({ driver, queue, put }) => {
    await put({ kind: 'other' });
    await put({ queue: `${queue}-other` });
    await put({ queue: `${queue}-third`, available: { inMs: HOUR_MS } });
    expect(await driver.claims.survey({ queues: [queue], kinds: [KIND] })).toEqual({
      promoted: 0,
      nextDueMs: null,
      leased: false,
      limited: false,
      followers: expect.any(Boolean),
      nextExpiryMs: expect.toBeOneOf([null, expect.any(Number)]),
      nextTickMs: null,
      refused: [],
      waiting: false,
      unlimited: false,
    });
    expect((await driver.claims.survey({ queues: [queue], kinds: ['other', KIND] })).waiting).toBe(true);
    expect((await driver.claims.survey({ queues: [queue, `${queue}-other`], kinds: [KIND] })).waiting).toBe(
      true,
    );
  });

  test("tells when the next delayed job becomes due, by the database's clock", async ({
    driver,
    queue,
    reader,
    putMany,
  }) => {
    const rows = await putMany([
      { available: { inMs: 3 * HOUR_MS } },
      { available: { inMs: HOUR_MS } },
      { available: { inMs: 2 * HOUR_MS } },
    ]);
    const before = await reader.now();
    const { nextDueMs, waiting, promoted } = await withWrongClock(() =>
      driver.claims.survey({ queues: [queue], kinds: [KIND] }),
    );
    const after = await reader.now();
    expect({ waiting, promoted }).toEqual({ waiting: false, promoted: 0 });
    const due = rows[1]?.availableAt.getTime() ?? 0;
    // Rounding to whole milliseconds may go either way.
    expect(nextDueMs).toBeGreaterThanOrEqual(due - after.getTime() - 1);
    expect(nextDueMs).toBeLessThanOrEqual(due - before.getTime() + 1);
  });

  test('moves jobs whose time has come into the way of a claim', async ({
    driver,
    queue,
    reader,
    putMany,
    claimSession,
    claim,
    take,
  }) => {
    const rows = await putMany(Array.from({ length: 3 }, () => ({ available: { inMs: HOUR_MS } })));
    const still = await putMany([{ available: { inMs: HOUR_MS } }]);
    const held = claimSession();
    expect(await claim(held)).toBeUndefined();

    const past = new Date((await reader.now()).getTime() - 1_000);
    for (const { publicId } of rows) await reader.write(publicId, { availableAt: past });
    const { promoted, nextDueMs } = await driver.claims.survey({ queues: [queue], kinds: [KIND] });
    expect(promoted).toBe(3);
    expect(nextDueMs).toBeGreaterThan(0);
    expect(nextDueMs).toBeLessThanOrEqual(HOUR_MS);

    const taken = [];
    for (const _ of rows) taken.push((await take(claimSession())).id);
    expect(taken).toEqual(rows.map(({ id }) => id));
    expect(await claim(claimSession())).toBeUndefined();
    expect(still).toHaveLength(1);
    expect(await driver.claims.survey({ queues: [queue], kinds: [KIND] })).toMatchObject({
      promoted: 0,
      waiting: true,
    });
  });

  test('counts each promoted job once, however many survey at once', async ({
    driver,
    queue,
    reader,
    putMany,
  }) => {
    const rows = await putMany(Array.from({ length: 20 }, () => ({ available: { inMs: HOUR_MS } })));
    const past = new Date((await reader.now()).getTime() - 1_000);
    for (const { publicId } of rows) await reader.write(publicId, { availableAt: past });
    const lanes = { queues: [queue], kinds: [KIND] };
    const found = await Promise.all(Array.from({ length: 6 }, () => driver.claims.survey(lanes)));
    expect(found.reduce((sum, { promoted }) => sum + promoted, 0)).toBe(20);
  });

  test('keeps a promoted job in its place by id', async ({
    driver,
    queue,
    reader,
    put,
    claimSession,
    take,
  }) => {
    const delayed = await put({ available: { inMs: HOUR_MS } });
    const plain = await put();
    const past = new Date((await reader.now()).getTime() - 1_000);
    await reader.write(delayed.publicId, { availableAt: past });
    await driver.claims.survey({ queues: [queue], kinds: [KIND] });
    expect((await take(claimSession())).id).toBe(delayed.id);
    expect((await take(claimSession())).id).toBe(plain.id);
  });

  test('brings back a retried job when its pause is over', async ({
    driver,
    queue,
    reader,
    put,
    serve,
    hold,
  }) => {
    const job = await put();
    await serve({ event: 'retry', attempt: 1, delayMs: HOUR_MS });
    const past = new Date((await reader.now()).getTime() - 1_000);
    await reader.write(job.publicId, { availableAt: past });
    expect(await driver.claims.survey({ queues: [queue], kinds: [KIND] })).toMatchObject({ promoted: 1 });
    expect((await hold()).job).toMatchObject({ id: job.id, attempt: 1 });
  });

  test('promotes a delayed job that a client cancels or has cancelled only while it is new', async ({
    driver,
    queue,
    reader,
    put,
    row,
  }) => {
    const job = await put({ available: { inMs: HOUR_MS } });
    const past = new Date((await reader.now()).getTime() - 1_000);
    await reader.write(job.publicId, { availableAt: past });
    expect(await moveOne(driver, 'cancel', job.publicId)).toEqual({ outcome: 'moved' });
    expect(await driver.claims.survey({ queues: [queue], kinds: [KIND] })).toEqual({
      promoted: 0,
      nextDueMs: null,
      leased: false,
      limited: false,
      followers: expect.any(Boolean),
      nextExpiryMs: expect.toBeOneOf([null, expect.any(Number)]),
      nextTickMs: null,
      refused: [],
      waiting: false,
      unlimited: false,
    });
    expect((await row(job)).status).toBe('cancelled');
  });
});
