import { increment, type Rowlock } from '@rowlock/core';
import { expect } from 'vitest';
import type { Stage } from '../stage.js';
import { theme } from '../theme.js';
import { within } from '../until.js';
import { AnyJson, clientOf } from '../worker-process.js';

const OVER = { code: 'TransactionOver' };

/** The calls that take a `tx`, on a job that is there. */
function calls<Tx>(
  rowlock: Rowlock<Tx>,
  { queue, key }: Stage<Tx>,
  publicId: string,
  tx: Tx,
): Readonly<Record<string, () => Promise<unknown>>> {
  const kind = { kind: 'work', queue, payload: AnyJson };
  const jobs = Array.from({ length: 2_500 }, () => ({ payload: 'lost' }));
  return {
    enqueue: () => rowlock.enqueue(kind, { payload: 'lost' }, { tx }),
    'enqueue with a unique key': () => rowlock.enqueue(kind, { payload: 'lost', unique: key }, { tx }),
    enqueueMany: () => rowlock.enqueueMany(kind, jobs, { tx }),
    find: () => rowlock.find(publicId, { tx }),
    list: () => rowlock.jobs.list({ queue }, { tx }),
    'list of a state': () => rowlock.jobs.list({ queue, status: 'in-progress' }, { tx }),
    count: () => rowlock.jobs.count({ queue }, { tx }),
    cancel: () => rowlock.cancel(publicId, { tx }),
    redrive: () => rowlock.redrive(publicId, { tx }),
    updateMetadata: () => rowlock.jobs.updateMetadata(publicId, [increment('n')], { tx }),
    updatePayload: () => rowlock.jobs.updatePayload(publicId, [increment('n')], { tx }),
    'schedules.set': () =>
      rowlock.schedules.set(key, { handler: kind, payload: 'lost', every: '1h' }, { tx }),
    'schedules.pause': () => rowlock.schedules.pause(key, { tx }),
    'schedules.resume': () => rowlock.schedules.resume(key, { tx }),
    'schedules.remove': () => rowlock.schedules.remove(key, { tx }),
  };
}

export const callersTransactions = theme("callers' transactions", (test) => {
  for (const end of ['commit', 'rollback'] as const) {
    test(`after ${end} every call that takes a tx is refused, and nothing is written`, async (stage) => {
      const rowlock = clientOf(stage, []);
      const job = await stage.put();
      const application = await stage.caller();
      await application[end]();
      for (const [name, call] of Object.entries(calls(rowlock, stage, job.publicId, application.tx)))
        await expect(call(), name).rejects.toMatchObject(OVER);
      expect(await stage.reader.jobs(stage.queue)).toEqual([job]);
    });

    test(`a call that is not awaited before a ${end} is not outside of its transaction`, async (stage) => {
      const { reader, queue } = stage;
      const rowlock = clientOf(stage, []);
      const kind = { kind: 'work', queue, payload: AnyJson };
      const application = await stage.caller();
      const { tx } = application;
      const enqueuing = rowlock.enqueue(kind, { payload: 1 }, { tx });
      const [outcome] = await Promise.allSettled([enqueuing, application[end]()]);
      const there = (await reader.jobs(queue)).length;
      if (outcome.status === 'rejected') expect(outcome.reason).toMatchObject(OVER);
      expect(there).toBe(end === 'commit' && outcome.status === 'fulfilled' ? 1 : 0);
    });
  }

  for (const call of ['cancel', 'redrive', 'updateMetadata', 'updatePayload']) {
    test(`${call} keeps no enqueue waiting, although it has met the newest job while that was held`, async (stage) => {
      const rowlock = clientOf(stage, []);
      const job = await stage.put();
      const { held } = await stage.hold();
      const application = await stage.caller();
      await calls(rowlock, stage, job.publicId, application.tx)
        [call]?.()
        .catch(() => {});
      await within('a job is enqueued', stage.put());
      await application.rollback();
      await held.rollback();
    });
  }

  test('calls at once in one transaction are all in it', async (stage) => {
    const { reader, queue, key } = stage;
    const rowlock = clientOf(stage, []);
    const kind = { kind: 'work', queue, payload: AnyJson };
    const application = await stage.caller();
    const { tx } = application;
    const enqueue = (payload: number) =>
      rowlock.enqueue(kind, { payload, unique: `${key} ${payload}` }, { tx });
    await Promise.all([enqueue(1), rowlock.jobs.count({ queue }, { tx }), enqueue(2), enqueue(3)]);
    expect(await reader.jobs(queue)).toEqual([]);
    await application.commit();
    expect((await reader.jobs(queue)).map(({ payload }) => payload).toSorted()).toEqual([1, 2, 3]);
  });
});
