import { expect } from 'vitest';
import { settlement } from '../stage.js';
import { theme } from '../theme.js';
import { until } from '../until.js';

const ERROR = { code: 'E_SHEET', message: 'The sheet is full.', details: { rows: 10 } } as const;

export const handlerTransaction = theme('handler transaction', (test) => {
  test('what a handler writes commits with the settlement', async ({ put, hold, row, createNotes }) => {
    const notes = await createNotes();
    await put();
    const { held, job } = await hold();
    await notes.write(held.handle, 'written by the handler');
    expect(await notes.all()).toEqual([]);
    await held.settle([settlement(job)]);
    expect(await notes.all()).toEqual([]);
    await held.commit();
    expect(await notes.all()).toEqual(['written by the handler']);
    expect((await row(job)).status).toBe('complete');
  });

  test('finish commits what a handler wrote with its settlement', async ({ put, hold, row, createNotes }) => {
    const notes = await createNotes();
    await put();
    const { held, job } = await hold();
    await notes.write(held.handle, 'written by the handler');
    expect(await held.finish([settlement(job, { output: 'done' })])).toEqual({
      settled: [job.id],
      next: null,
    });
    expect(await notes.all()).toEqual(['written by the handler']);
    expect(await row(job)).toMatchObject({ status: 'complete', output: 'done' });
    await expect(held.commit()).rejects.toMatchObject({ code: 'TransactionOver' });
  });

  test('finish commits nothing of what a handler wrote unless it settles all', async (stage) => {
    const notes = await stage.createNotes();
    const before = [await stage.put(), await stage.put()];
    const { held, job } = await stage.hold();
    const other = await stage.hold();
    await notes.write(held.handle, 'lost');
    const settlements = [job, other.job].map((each) => settlement(each));
    const { settled } = await held.finish(settlements);
    expect(settled.length).toBeLessThan(settlements.length);
    await held.rollback();
    expect(await notes.all()).toEqual([]);
    for (const each of before) expect(await stage.row(each)).toEqual(each);
  });

  test('what was undone is not committed by finish', async ({ put, hold, row, createNotes }) => {
    const notes = await createNotes();
    await put();
    const { held, job } = await hold();
    await notes.write(held.handle, 'undone');
    await held.undo();
    const finished = await held.finish([settlement(job, { event: 'fail', error: ERROR })]);
    expect(finished.settled).toEqual([job.id]);
    expect(await notes.all()).toEqual([]);
    expect((await row(job)).status).toBe('error');
  });

  test('what a handler wrote vanishes with the claim', async ({ put, hold, row, createNotes }) => {
    const notes = await createNotes();
    const before = await put();
    const { held, job } = await hold();
    await notes.write(held.handle, 'lost');
    await held.settle([settlement(job)]);
    await held.rollback();
    expect(await notes.all()).toEqual([]);
    expect(await row(before)).toEqual(before);
  });

  test('what a handler wrote vanishes when its process dies', async ({
    put,
    process,
    hold,
    row,
    claimSession,
    claim,
    createNotes,
  }) => {
    const notes = await createNotes();
    const before = await put();
    const dying = await process();
    const { held, job } = await hold({}, dying.driver);
    await notes.write(held.handle, 'lost');
    await held.settle([settlement(job)]);
    await dying.kill();
    const waiting = claimSession();
    await until('the job is claimable again', () => claim(waiting));
    expect(await notes.all()).toEqual([]);
    expect(await row(before)).toEqual(before);
  });

  test('undo takes back what the handler wrote and keeps the claim', async ({
    put,
    hold,
    claimSession,
    claim,
    row,
    createNotes,
  }) => {
    const notes = await createNotes();
    await put();
    const { held, job } = await hold();
    await notes.write(held.handle, 'undone');
    await held.undo();
    expect(await claim(claimSession())).toBeUndefined();
    expect(await held.settle([settlement(job, { event: 'fail', error: ERROR })])).toEqual([job.id]);
    await held.commit();
    expect(await notes.all()).toEqual([]);
    expect((await row(job)).status).toBe('error');
  });

  test("undo keeps the locks on the claimed job's siblings", async ({
    queue,
    key,
    putMany,
    hold,
    claimSession,
    claim,
    createNotes,
  }) => {
    const notes = await createNotes();
    await putMany([{ key }, { key }, { key }]);
    const { held } = await hold();
    await held.lockSiblings({ queue, keys: [key] }, 10);
    await notes.write(held.handle, 'undone');
    await held.undo();
    expect(await claim(claimSession())).toBeUndefined();
  });

  test('undo of nothing, and twice, keeps the claim', async ({ put, hold, claimSession, claim }) => {
    await put();
    const { held, job } = await hold();
    await held.undo();
    await held.undo();
    expect(await claim(claimSession())).toBeUndefined();
    expect(await held.settle([settlement(job)])).toEqual([job.id]);
    await held.commit();
  });

  test("undo rescues the claim from a handler's failed statement", async ({
    database,
    put,
    hold,
    row,
    createNotes,
  }) => {
    const notes = await createNotes();
    await put();
    const { held, job } = await hold();
    await notes.write(held.handle, 'before the error');
    await expect(database.run(held.handle, `INSERT INTO no_such_table VALUES (1)`)).rejects.toThrow();
    await held.undo();
    expect(await held.settle([settlement(job, { event: 'fail', error: ERROR })])).toEqual([job.id]);
    await held.commit();
    expect(await notes.all()).toEqual([]);
    expect((await row(job)).status).toBe('error');
  });

  test("undo rescues the claim from a handler's first statement when that fails", async ({
    database,
    put,
    hold,
    row,
  }) => {
    await put();
    const { held, job } = await hold();
    await expect(database.run(held.handle, 'INSERT INTO no_such_table VALUES (1)')).rejects.toThrow();
    await held.undo();
    await held.settle([settlement(job, { event: 'fail', error: ERROR })]);
    await held.commit();
    expect((await row(job)).status).toBe('error');
  });

  test("undo takes back also a handler's statement that nobody waits for", async ({
    put,
    hold,
    row,
    createNotes,
  }) => {
    const notes = await createNotes();
    await put();
    const { held, job } = await hold();
    const forgotten = notes.write(held.handle, 'undone');
    await held.undo();
    await Promise.allSettled([forgotten]);
    await held.settle([settlement(job, { event: 'fail', error: ERROR })]);
    await held.commit();
    expect(await notes.all()).toEqual([]);
    expect((await row(job)).status).toBe('error');
  });

  test('renew keeps what was written when what comes after it is undone', async ({
    database,
    putMany,
    claimSession,
    claimMany,
    row,
    createNotes,
  }) => {
    const notes = await createNotes();
    const insert = (note: string) => notes.write(held.handle, note);
    await putMany([{}, {}, {}]);
    const held = claimSession();
    const jobs = await claimMany(held, 3);
    await insert('first');
    await held.renew();
    expect(held.used).toBe(false);
    await insert('second');
    expect(held.used).toBe(true);
    await expect(database.run(held.handle, 'INSERT INTO no_such_table VALUES (1)')).rejects.toThrow();
    await held.undo();
    await held.renew();
    await insert('third');
    await held.renew();
    expect(await notes.all()).toEqual([]);
    const { settled } = await held.finish(jobs.map((job) => settlement(job)));
    expect(settled).toHaveLength(3);
    expect((await notes.all()).toSorted()).toEqual(['first', 'third']);
    for (const job of jobs) expect((await row(job)).status).toBe('complete');
  });

  test('renew gives another handle, and the one before is over', async ({
    database,
    put,
    hold,
    createNotes,
  }) => {
    const notes = await createNotes();
    await put();
    const { held, job } = await hold();
    const { handle } = held;
    await notes.write(handle, 'in its run');
    await held.renew();
    expect(held.handle).not.toBe(handle);
    const late = notes.write(handle, 'a zombie');
    await expect(late).rejects.toMatchObject({ code: 'TransactionOver' });
    await database.run(held.handle, 'SELECT 1 AS one');
    await held.settle([settlement(job)]);
    await held.commit();
    expect(await notes.all()).toEqual(['in its run']);
  });

  test('renew of what nobody wrote through, and twice, keeps the claim', async ({
    put,
    hold,
    claimSession,
    claim,
    row,
  }) => {
    await put();
    const { held, job } = await hold();
    const { handle } = held;
    await held.renew();
    await held.renew();
    expect(held.handle).not.toBe(handle);
    expect(await claim(claimSession())).toBeUndefined();
    expect(await held.settle([settlement(job)])).toEqual([job.id]);
    await held.commit();
    expect((await row(job)).status).toBe('complete');
  });

  test('what renew has kept vanishes with the claim', async ({ put, hold, row, createNotes }) => {
    const notes = await createNotes();
    const before = await put();
    const { held } = await hold();
    await notes.write(held.handle, 'kept');
    await held.renew();
    await held.rollback();
    expect(await notes.all()).toEqual([]);
    expect(await row(before)).toEqual(before);
  });

  for (const statement of ['COMMIT', 'ROLLBACK']) {
    test(`a ${statement} through the handle is refused, and the claim goes on`, async ({
      database,
      put,
      hold,
      claimSession,
      claim,
      createNotes,
    }) => {
      const notes = await createNotes();
      await put();
      const { held, job } = await hold();
      const refused = { code: 'InvalidInput', message: expect.stringMatching(/not sent.*SAVEPOINT/) };
      await expect(database.run(held.handle, statement)).rejects.toMatchObject(refused);
      await notes.write(held.handle, 'before');
      await expect(database.run(held.handle, statement)).rejects.toMatchObject(refused);
      await notes.write(held.handle, 'behind');
      expect(await claim(claimSession())).toBeUndefined();
      expect(await notes.all()).toEqual([]);
      expect(held.lost.aborted).toBe(false);
      await held.finish([settlement(job)]);
      expect(await notes.all()).toEqual(['before', 'behind']);
    });
  }

  test('of two rollbacks at once both resolve when it is done', async ({ put, hold, claimSession, take }) => {
    const job = await put();
    const { held } = await hold();
    await Promise.all([held.rollback(), held.rollback()]);
    expect((await take(claimSession())).id).toBe(job.id);
  });

  for (const end of ['commit', 'rollback'] as const) {
    test(`a statement that comes while ${end} is on its way is refused, and happens nowhere`, async ({
      database,
      put,
      hold,
      createNotes,
    }) => {
      const notes = await createNotes();
      await put();
      const { held } = await hold();
      await database.run(held.handle, 'SELECT 1 AS one');
      const ended = held[end]();
      const late = notes.write(held.handle, 'a zombie');
      await expect(late).rejects.toMatchObject({ code: 'TransactionOver' });
      await ended;
      expect(await notes.all()).toEqual([]);
    });

    test(`after ${end} the handle and every verb but a claim are over`, async ({
      database,
      queue,
      key,
      put,
      hold,
    }) => {
      await put({ key });
      const { held, job } = await hold();
      await held[end]();
      const over = { name: 'DriverError', code: 'TransactionOver' };
      await expect(database.run(held.handle, 'SELECT 1 AS one')).rejects.toMatchObject(over);
      await expect(held.lockSiblings({ queue, keys: [key] }, 1)).rejects.toMatchObject(over);
      await expect(
        held.firstOutstanding({ key, kinds: ['a'], before: job.id, except: [] }),
      ).rejects.toMatchObject(over);
      await expect(held.confirm()).rejects.toMatchObject(over);
      await expect(held.settle([settlement(job)])).rejects.toMatchObject(over);
      await expect(held.commit()).rejects.toMatchObject(over);
      await held.rollback();
      expect(held.lost.aborted).toBe(false);
    });
  }

  test('a handle that is used after the end reaches no later transaction', async ({
    database,
    put,
    process,
    hold,
    claimSession,
    createNotes,
  }) => {
    const notes = await createNotes();
    await put();
    const { driver } = await process();
    const { held } = await hold({}, driver);
    const { handle } = held;
    await database.run(handle, 'SELECT 1 AS one');
    await held.rollback();
    // The connection is used again by the next one.
    const next = claimSession(driver);
    await expect(notes.write(handle, 'a zombie')).rejects.toThrow();
    await next.commit();
    expect(await notes.all()).toEqual([]);
  });
});
