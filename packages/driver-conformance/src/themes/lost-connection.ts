import { expect } from 'vitest';
import { endSessions } from '../end-sessions.js';
import { settlement } from '../stage.js';
import { theme } from '../theme.js';
import { aborted, until, within } from '../until.js';

export const lostConnection = theme('lost connection', (test) => {
  for (const how of ['disconnect', 'kill'] as const) {
    test(`${how}: the claim is lost, says so, and settles nothing`, async ({
      database,
      queue,
      key,
      put,
      process,
      hold,
      claim,
      row,
    }) => {
      const before = await put({ key });
      const dying = await process();
      const { held, job } = await hold({}, dying.driver);
      const lost = aborted(held.lost);
      expect(held.lost.aborted).toBe(false);
      await held.confirm();
      await dying[how]();
      const gone = { name: 'DriverError', code: 'ConnectionLost' };
      expect(await within('the loss', lost)).toMatchObject(gone);

      await expect(claim(held)).rejects.toMatchObject(gone);
      await expect(held.lockSiblings({ queue, keys: [key] }, 1)).rejects.toMatchObject(gone);
      await expect(
        held.firstOutstanding({ key, kinds: ['a'], before: job.id, except: [] }),
      ).rejects.toMatchObject(gone);
      await expect(held.confirm()).rejects.toMatchObject(gone);
      await expect(held.settle([settlement(job)])).rejects.toMatchObject(gone);
      await expect(held.undo()).rejects.toMatchObject(gone);
      await expect(held.commit()).rejects.toMatchObject(gone);
      await expect(database.run(held.handle, 'SELECT 1 AS one')).rejects.toThrow();
      await held.rollback();
      await held.rollback();
      expect(await row(before)).toEqual(before);
    });
  }

  test('a claim whose loss has not been told of is not confirmed', async ({
    put,
    process,
    hold,
    claimSession,
    claim,
  }) => {
    await put();
    const dying = await process({ answerMs: 4_000, cable: true });
    const { held } = await hold({}, dying.driver);
    await dying.forget();
    await endSessions(dying);
    const other = claimSession();
    // Behind a pooler the server's session ends a moment after the connection.
    await until('the job is claimable', () => claim(other));
    await expect(held.confirm()).rejects.toMatchObject({ code: 'ConnectionLost' });
  });

  test('a verb that is on its way when the connection is lost rejects with ConnectionLost', async ({
    put,
    process,
    hold,
    reader,
    row,
  }) => {
    const before = await put();
    const dying = await process();
    const { held, job } = await hold({}, dying.driver);
    const killed = dying.disconnect();
    const verbs = Array.from({ length: 20 }, () => held.settle([settlement(job)]));
    const ended = await Promise.allSettled(verbs);
    await killed;
    await within('the loss', aborted(held.lost));
    for (const each of ended) {
      if (each.status === 'rejected') expect(each.reason).toMatchObject({ code: 'ConnectionLost' });
    }
    await expect(held.commit()).rejects.toMatchObject({ code: 'ConnectionLost' });
    expect(await row(before)).toEqual(before);
    expect(await reader.runs(before.publicId)).toEqual([]);
  });

  test('a driver that lost all its connections goes on with new ones', async ({
    put,
    process,
    hold,
    claimSession,
    claim,
    row,
  }) => {
    const job = await put();
    const other = await process();
    const first = await hold({}, other.driver);
    await other.disconnect();
    await within('the loss', aborted(first.held.lost));
    const held = await until('the driver has the job on a new connection', async () => {
      const next = claimSession(other.driver);
      // The old session may have the job for a moment longer.
      const claimed = await claim(next).catch(() => undefined);
      if (claimed !== undefined) return next;
      await next.rollback();
      return undefined;
    });
    await held.settle([settlement(job)]);
    await held.commit();
    expect((await row(job)).status).toBe('complete');
  });

  test('the server ends a transaction that idles longer than allowed', async ({
    driver,
    put,
    claimSession,
    claim,
    defer,
  }) => {
    const job = await put();
    const held = driver.claims.session({ idleLimitMs: 300 });
    defer(() => held.rollback());
    const gone = { code: 'ConnectionLost' };
    // On a machine that stalls, the server may have ended it by now: then the claim says so as well.
    await claim(held).then(
      (claimed) => expect(claimed?.id).toBe(job.id),
      (error: unknown) => expect(error).toMatchObject(gone),
    );
    expect(await within('the loss', aborted(held.lost))).toMatchObject(gone);
    const waiting = claimSession();
    expect((await until('the job is claimable again', () => claim(waiting))).id).toBe(job.id);
  });

  test('the limit of one transaction is not that of the next on its connection', async ({
    process,
    put,
    claim,
    hold,
  }) => {
    await put();
    const { driver } = await process();
    const gone = { code: 'ConnectionLost' };
    // On a machine that stalls, the server may end it before it is rolled back, and its connection with it.
    await until('a transaction with a limit is over before the limit', async () => {
      const short = driver.claims.session({ idleLimitMs: 500 });
      // A transaction begins with its first verb.
      const claimed = await claim(short).catch((error: unknown) => expect(error).toMatchObject(gone));
      await short.rollback();
      return claimed !== undefined && !short.lost.aborted;
    });
    const { held } = await hold({}, driver);
    const watched = driver.claims.session({ idleLimitMs: 1_000 });
    await claim(watched).then(
      async (claimed) => {
        expect(claimed).toBeUndefined();
        await within('the loss of the shorter one', aborted(watched.lost));
      },
      (error: unknown) => expect(error).toMatchObject(gone),
    );
    expect(held.lost.aborted).toBe(false);
    expect(await claim(held)).toBeDefined();
    await held.rollback();
    await watched.rollback();
  });
});
