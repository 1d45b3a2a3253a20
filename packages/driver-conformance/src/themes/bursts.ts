import { randomUUID } from 'node:crypto';
import { defineHandler } from '@rowlock/core';
import { expect } from 'vitest';
import { moveOne } from '../move-one.js';
import { settlement } from '../stage.js';
import { theme } from '../theme.js';
import { until, within } from '../until.js';
import { AnyJson, clientOf, openWorker } from '../worker-process.js';

/** More calls than a pool takes within `ANSWER_MS`, each with a statement of its own. */
const MANY = 10_000;

const ANSWER_MS = 4_000;

/** For bursts of thousands. */
const LONG_MS = 180_000;

const numbers = (count: number): readonly number[] => Array.from({ length: count }, (_, place) => place);

/** Tens of thousands of statements. */
export const largeBursts = theme('large bursts', (test) => {
  test('no call of a burst is refused, and the worker of the same process goes on', async (stage) => {
    const { queue, key, reader, defer } = stage;
    const work = defineHandler({ kind: 'work', queue, payload: AnyJson, run: () => {} });
    const later = { kind: 'later', queue: `${queue}-later`, payload: AnyJson };
    const { rowlock, worker } = await openWorker(stage, [work], { answerMs: ANSWER_MS });
    const faults: unknown[] = [];
    worker.on('fault', (fault) => faults.push(fault));
    await worker.start();
    defer(() => rowlock.jobs.flush());
    const enqueue = (place: number) => rowlock.enqueue(later, { payload: place, unique: `${key}-${place}` });
    const others = numbers(50).map((place) => rowlock.enqueue(work, { payload: place }));
    const jobs = await within('the enqueues', Promise.all(numbers(MANY).map(enqueue)), LONG_MS);
    expect(jobs.every(({ outcome }) => outcome === 'enqueued')).toBe(true);
    expect(new Set((await reader.jobs(later.queue)).map(({ publicId }) => publicId))).toEqual(
      new Set(jobs.map(({ publicId }) => publicId)),
    );
    const ids = jobs.map(({ publicId }) => publicId);

    const found = await within('the finds', Promise.all(ids.map((id) => rowlock.find(id))), LONG_MS);
    expect(found.map((job) => job?.payload)).toEqual(numbers(MANY));
    await within('the cancels', Promise.all(ids.map((id) => rowlock.cancel(id))), LONG_MS);
    const states = async () => [...new Set((await reader.jobs(later.queue)).map(({ status }) => status))];
    expect(await states()).toEqual(['cancelled']);
    await within('the redrives', Promise.all(ids.map((id) => rowlock.redrive(id))), LONG_MS);
    expect(await states()).toEqual(['new']);

    await Promise.all(others);
    await until('the worker has settled its own', async () =>
      (await reader.jobs(queue)).every(({ status }) => status === 'complete'),
    );
    expect(faults).toEqual([]);
  });
});

export const bursts = theme('bursts', (test) => {
  test('of many at once with one unique key, one is enqueued, and the others are its duplicates', async (stage) => {
    const { queue, key, reader } = stage;
    const client = clientOf(stage, []);
    const work = { kind: 'work', queue, payload: AnyJson };
    const calls = numbers(60).map((place) =>
      client.enqueue(work, { payload: place, unique: `${key}-${place % 3}` }),
    );
    const outcomes = await within('the enqueues', Promise.all(calls));
    const rows = await reader.jobs(queue);
    expect(rows).toHaveLength(3);
    expect(outcomes.filter(({ outcome }) => outcome === 'enqueued')).toHaveLength(3);
    for (const [place, { publicId }] of outcomes.entries())
      expect(rows.find((row) => row.publicId === publicId)?.uniqueKey).toBe(`${key}-${place % 3}`);
  });

  test('an enqueue whose key another transaction has keeps no other call waiting', async (stage) => {
    const { queue, key, reader, driver, newJob, caller } = stage;
    const client = clientOf(stage, []);
    const application = await caller();
    const unique = (place: number) => ({ key: `${key}-${place}`, scope: 'outstanding' }) as const;
    const [taken] = await driver
      .join(application.tx)
      .jobs.enqueue([newJob({ kind: 'work', unique: unique(7) })]);
    const work = { kind: 'work', queue, payload: AnyJson };
    const calls = numbers(20).map((place) => client.enqueue(work, { payload: place, unique: unique(place) }));
    const others = calls.filter((_, place) => place !== 7);
    // On a slow machine the server's limit on a wait may end it before the others are done.
    const waiting = calls[7]?.catch((error: unknown) => {
      expect(error).toMatchObject({ code: 'LockTimeout' });
      return client.enqueue(work, { payload: 7, unique: unique(7) });
    });
    await within('the enqueues of other keys', Promise.all(others));
    expect(await reader.jobs(queue)).toHaveLength(19);
    await application.commit();
    expect(await within('the enqueue of the key', Promise.resolve(waiting))).toEqual({
      outcome: 'duplicate',
      publicId: taken?.publicId,
    });
  });

  test('an enqueue with a bound on its wait for a key is refused whole', async ({
    driver,
    reader,
    queue,
    key,
    newJob,
    caller,
  }) => {
    const application = await caller();
    const unique = { key, scope: 'outstanding' } as const;
    await driver.join(application.tx).jobs.enqueue([newJob({ unique })]);
    const free = newJob({ unique: { key: `${key}-free`, scope: 'outstanding' } });
    await expect(
      within('the refusal', driver.jobs.enqueue([free, newJob({ unique })], [], 50)),
    ).rejects.toMatchObject({ code: 'LockTimeout' });
    await application.rollback();
    expect(await reader.jobs(queue)).toEqual([]);
    // A later statement of the connection waits as before.
    const again = await driver.jobs.enqueue([free, newJob({ unique })], [], 50);
    expect(again.map(({ outcome }) => outcome)).toEqual(['enqueued', 'enqueued']);
  });

  test('a move of many says of each what it met, and leaves those that are held', async ({
    driver,
    putMany,
    take,
    claimSession,
    row,
    key,
  }) => {
    const held = claimSession();
    const [first, second, third] = await putMany([{ key: `${key}-1` }, { key: `${key}-2` }, {}]);
    if (first === undefined || second === undefined || third === undefined) return expect.unreachable();
    const job = await take(held);
    expect(job.id).toBe(first.id);
    await moveOne(driver, 'cancel', third.publicId);
    const missing = randomUUID();
    const ids = [third.publicId, missing, second.publicId, first.publicId];
    expect(await within('the cancels', driver.jobs.move('cancel', ids))).toEqual([
      { outcome: 'illegal', status: 'cancelled' },
      { outcome: 'missing' },
      { outcome: 'moved' },
      { outcome: 'running', redrives: 0 },
    ]);
    expect((await row(second)).status).toBe('cancelled');
    expect(
      await driver.jobs.move('redrive', [first.publicId, second.publicId, third.publicId], { waitMs: 50 }),
    ).toEqual([{ outcome: 'illegal', status: 'new' }, { outcome: 'moved' }, { outcome: 'moved' }]);
    expect((await row(second)).redrives).toBe(1);
    expect(await held.settle([settlement(job)])).toEqual([first.id]);
    await held.commit();
    expect((await row(first)).status).toBe('complete');
  });

  test('two calls that move one job at once: one moves it, and the other meets it moved', async (stage) => {
    const client = clientOf(stage, []);
    const jobs = await stage.putMany(numbers(10).map(() => ({})));
    const ids = [...jobs, ...jobs].map(({ publicId }) => publicId);
    for (const move of ['cancel', 'redrive'] as const) {
      const moves = await Promise.allSettled(ids.map((id) => client[move](id)));
      const done = moves.filter(({ status }) => status === 'fulfilled').length;
      // A cancel that meets the lock of the other one signals the job's run, as if a worker had the job.
      expect(done).toBeGreaterThanOrEqual(10);
      if (move === 'redrive') expect(done).toBe(10);
      for (const each of moves)
        if (each.status === 'rejected')
          expect(each.reason).toMatchObject({ code: 'ROWLOCK_ILLEGAL_TRANSITION' });
      const rows = await Promise.all(jobs.map((job) => stage.row(job)));
      const status = move === 'cancel' ? 'cancelled' : 'new';
      expect(rows.map((row) => row.status)).toEqual(jobs.map(() => status));
    }
  });

  test('of many redrives at once, one whose unique key is taken fails alone', async (stage) => {
    const { driver, key, put, putMany, row } = stage;
    const client = clientOf(stage, []);
    const unique = (place: number) => ({ key: `${key}-${place}`, scope: 'outstanding' }) as const;
    const jobs = await putMany(numbers(20).map((place) => ({ unique: unique(place) })));
    await driver.jobs.move(
      'cancel',
      jobs.map(({ publicId }) => publicId),
    );
    await put({ unique: unique(7) });
    const redriven = await Promise.allSettled(jobs.map(({ publicId }) => client.redrive(publicId)));
    for (const [place, job] of jobs.entries()) {
      expect(redriven[place]?.status).toBe(place === 7 ? 'rejected' : 'fulfilled');
      expect((await row(job)).status).toBe(place === 7 ? 'cancelled' : 'new');
    }
    expect(redriven[7]).toMatchObject({ reason: { code: 'ROWLOCK_ILLEGAL_TRANSITION' } });
  });
});
