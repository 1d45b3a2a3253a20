import { defineHandler } from '@rowlock/core';
import type { SettlingEvent } from '@rowlock/core/driver';
import type { UniqueScope } from '@rowlock/core/types';
import { expect } from 'vitest';
import { moveOne } from '../move-one.js';
import { LOOKALIKES } from '../names.js';
import { settlement } from '../stage.js';
import { theme } from '../theme.js';
import { LOAD_GUARD_MS, within } from '../until.js';
import { AnyJson, clientOf } from '../worker-process.js';

const SCOPES: readonly UniqueScope[] = ['outstanding', 'ever'];

export const uniqueKeys = theme('unique keys', (test) => {
  for (const scope of SCOPES) {
    test(`unique, ${scope}: refuses a second job and names the first`, async ({
      driver,
      reader,
      queue,
      key,
      newJob,
      put,
    }) => {
      const first = await put({ unique: { key, scope } });
      const again = await driver.jobs.enqueue([newJob({ unique: { key, scope }, payload: 'second' })]);
      expect(again).toEqual([{ outcome: 'duplicate', publicId: first.publicId }]);
      expect(await reader.jobs(queue)).toEqual([first]);
    });

    test(`unique, ${scope}: of two in one call both are duplicates of the one that is there`, async ({
      driver,
      reader,
      queue,
      key,
      newJob,
      put,
    }) => {
      const first = await put({ unique: { key, scope } });
      const twins = await driver.jobs.enqueue([
        newJob({ unique: { key, scope } }),
        newJob({ unique: { key, scope } }),
      ]);
      const duplicate = { outcome: 'duplicate', publicId: first.publicId };
      expect(twins).toEqual([duplicate, duplicate]);
      expect(await reader.jobs(queue)).toEqual([first]);
    });

    test(`unique, ${scope}: refuses while the first is between two attempts`, async ({
      driver,
      key,
      newJob,
      put,
      serve,
    }) => {
      const first = await put({ unique: { key, scope } });
      await serve({ event: 'retry', delayMs: 3_600_000 });
      const again = await driver.jobs.enqueue([newJob({ unique: { key, scope } })]);
      expect(again).toEqual([{ outcome: 'duplicate', publicId: first.publicId }]);
    });

    test(`unique, ${scope}: answers at once for a duplicate of a job that somebody holds`, async ({
      driver,
      key,
      newJob,
      put,
      hold,
      row,
    }) => {
      const first = await put({ key, unique: { key, scope } });
      const { held, job } = await hold();
      await held.lockSiblings({ queue: job.queue, keys: [key] }, 10);
      // The hold ends only below: a driver that waits for it never comes past this line.
      const again = await within(
        'the duplicate, while the first is held',
        driver.jobs.enqueue([newJob({ key, unique: { key, scope } })]),
      );
      expect(again).toEqual([{ outcome: 'duplicate', publicId: first.publicId }]);
      expect(await held.settle([settlement(job)])).toEqual([job.id]);
      await held.commit();
      expect((await row(first)).status).toBe('complete');
    });

    test(`unique, ${scope}: duplicates within a call name its first`, async ({
      driver,
      reader,
      queue,
      key,
      newJob,
      put,
    }) => {
      const there = await put({ unique: { key: `${key}-there`, scope } });
      const enqueued = await driver.jobs.enqueue([
        newJob({ unique: { key: `${key}-a`, scope }, payload: 'a' }),
        newJob({ unique: { key: `${key}-b`, scope }, payload: 'b' }),
        newJob({ unique: { key: `${key}-a`, scope }, payload: 'a again' }),
        newJob({ payload: 'plain' }),
        newJob({ unique: { key: `${key}-there`, scope }, payload: 'there already' }),
        newJob({ unique: { key: `${key}-a`, scope }, payload: 'and again' }),
      ]);
      expect(enqueued.map(({ outcome }) => outcome)).toEqual([
        'enqueued',
        'enqueued',
        'duplicate',
        'enqueued',
        'duplicate',
        'duplicate',
      ]);
      const [a, b, a2, plain, old, a3] = enqueued.map(({ publicId }) => publicId);
      expect([a2, a3, old]).toEqual([a, a, there.publicId]);
      const rows = await reader.jobs(queue);
      expect(rows.slice(1).map(({ publicId }) => publicId)).toEqual([a, b, plain]);
      expect(rows.slice(1).map(({ payload }) => payload)).toEqual(['a', 'b', 'plain']);
    });

    test(`unique, ${scope}: of many at once exactly one is inserted`, async ({
      driver,
      reader,
      queue,
      key,
      newJob,
      process,
    }) => {
      const other = await process();
      const answers = await Promise.all(
        Array.from({ length: 16 }, (_, place) =>
          (place % 2 === 0 ? driver : other.driver).jobs.enqueue([newJob({ unique: { key, scope } })]),
        ),
      );
      const flat = answers.flat();
      const [row, ...more] = await reader.jobs(queue);
      expect(more).toEqual([]);
      expect(flat.filter(({ outcome }) => outcome === 'enqueued')).toHaveLength(1);
      expect(new Set(flat.map(({ publicId }) => publicId))).toEqual(new Set([row?.publicId]));
    });
  }

  for (const event of ['complete', 'fail', 'exhaust', 'abandon'] as const satisfies SettlingEvent[]) {
    test(`unique, outstanding: is free again after ${event}`, async ({ key, put, serve }) => {
      const first = await put({ unique: { key, scope: 'outstanding' } });
      await serve({ event });
      const second = await put({ unique: { key, scope: 'outstanding' } });
      expect(second.publicId).not.toBe(first.publicId);
    });

    test(`unique, ever: is still taken after ${event}`, async ({ driver, key, newJob, put, serve }) => {
      const first = await put({ unique: { key, scope: 'ever' } });
      await serve({ event });
      const again = await driver.jobs.enqueue([newJob({ unique: { key, scope: 'ever' } })]);
      expect(again).toEqual([{ outcome: 'duplicate', publicId: first.publicId }]);
    });
  }

  test('unique, outstanding: is free again after cancel', async ({ driver, key, put }) => {
    const first = await put({ unique: { key, scope: 'outstanding' } });
    expect(await moveOne(driver, 'cancel', first.publicId)).toEqual({ outcome: 'moved' });
    const second = await put({ unique: { key, scope: 'outstanding' } });
    expect(second.publicId).not.toBe(first.publicId);
  });

  for (const [what, one, other] of LOOKALIKES) {
    test(`unique: keys that differ by ${what} are two keys`, async ({ key, putMany }) => {
      await putMany([
        { unique: { key: `${key}-${one}`, scope: 'outstanding' } },
        { unique: { key: `${key}-${other}`, scope: 'outstanding' } },
      ]);
    });
  }

  test('unique: two kinds may have the same unique key', async ({ key, putMany }) => {
    await putMany([
      { kind: 'a', unique: { key, scope: 'ever' } },
      { kind: 'b', unique: { key, scope: 'ever' } },
    ]);
  });

  test('unique: the queue makes no difference', async ({ driver, queue, key, put, newJob }) => {
    const unique = { key, scope: 'outstanding' } as const;
    const first = await put({ unique });
    const again = await driver.jobs.enqueue([newJob({ unique, queue: `${queue}-other` })]);
    expect(again).toEqual([{ outcome: 'duplicate', publicId: first.publicId }]);
  });

  test('unique: both scopes share their keys', async ({ driver, key, put, newJob, serve }) => {
    const first = await put({ unique: { key, scope: 'outstanding' } });
    const ever = newJob({ unique: { key, scope: 'ever' } });
    expect(await driver.jobs.enqueue([ever])).toEqual([{ outcome: 'duplicate', publicId: first.publicId }]);
    await serve();
    const [second] = await driver.jobs.enqueue([ever]);
    expect(second?.outcome).toBe('enqueued');
    await serve();
    const again = await driver.jobs.enqueue([newJob({ unique: { key, scope: 'outstanding' } })]);
    expect(again).toEqual([{ outcome: 'duplicate', publicId: second?.publicId }]);
  });

  test('unique: nobody waits for a transaction that takes a key again which a settled job had', async ({
    driver,
    key,
    put,
    newJob,
    serve,
    caller,
  }) => {
    const unique = { key, scope: 'outstanding' } as const;
    await put({ unique });
    await serve();
    const { tx } = await caller();
    const [taken] = await driver.join(tx).jobs.enqueue([newJob({ unique })]);
    expect(taken?.outcome).toBe('enqueued');
    // In whatever order an index has kinds, one of these is its neighbour.
    for (const kind of ['a', 'work', 'z']) {
      const [other] = await within(`an enqueue of ${kind}`, driver.jobs.enqueue([newJob({ kind })]));
      expect(other?.outcome).toBe('enqueued');
    }
  });

  test('unique: two calls at once that have the same keys in two orders enqueue each of them once', async (stage) => {
    const { key, queue, reader } = stage;
    const handler = defineHandler({ kind: 'work', queue, payload: AnyJson, run: () => {} });
    const client = clientOf(stage, [handler]);
    for (let times = 1; times <= 5; times++) {
      const jobs = Array.from({ length: 500 }, (_, place) => ({
        payload: place,
        unique: `${key} ${times} ${place}`,
      }));
      const calls = [jobs, jobs.toReversed()].map((each) => client.enqueueMany(handler, each));
      const outcomes = (await within('both calls', Promise.all(calls), LOAD_GUARD_MS)).flat();
      const enqueued = outcomes.filter(({ outcome }) => outcome === 'enqueued');
      expect(enqueued).toHaveLength(jobs.length);
      expect(new Set(outcomes.map(({ publicId }) => publicId)).size).toBe(jobs.length);
      expect(await reader.jobs(queue)).toHaveLength(times * jobs.length);
    }
  });

  test('without a unique key inserts the same job twice', async ({ key, putMany }) => {
    const [first, second] = await putMany([
      { key, payload: 1 },
      { key, payload: 1 },
    ]);
    expect(first?.publicId).not.toBe(second?.publicId);
  });
});
