import type { Firing, NewSchedule, SchedulePlan } from '@rowlock/core/driver';
import { expect } from 'vitest';
import { KIND, type Stage } from '../stage.js';
import { theme } from '../theme.js';
import { until } from '../until.js';
import { withWrongClock } from '../wrong-clock.js';

const HOUR_MS = 3_600_000;

/** A schedule of the test's queue, which is removed after the test. Core makes these. */
function schedule(stage: Stage<unknown>, change: Partial<NewSchedule> = {}): NewSchedule {
  const { queue, key, driver } = stage;
  const name = change.name ?? key;
  stage.defer(() => driver.schedules.remove(name));
  const plan: SchedulePlan = {
    job: {
      queue,
      kind: KIND,
      key: null,
      payload: { text: 'ä "quoted" \\ 🚣', list: [1, null, { deep: true }] },
      priority: 3,
      maxAttempts: 2,
      metadata: {},
      limits: '',
    },
    timing: { cron: '0 3 * * *', timeZone: 'Europe/Berlin', jitterMs: 0 },
    missed: 'once',
    overlap: 'skip',
  };
  return { name, plan, fingerprint: 'one', source: 'dynamic', nextAt: HOUR_MS, read: null, ...change };
}

/** The schedule as the driver reads it. */
async function read({ driver }: Stage<unknown>, { name }: Pick<NewSchedule, 'name'>) {
  const { schedules } = await driver.schedules.find([name]);
  return schedules[0];
}

/** The firing of a schedule with these jobs, as core makes it. */
function firing(
  { queue, newJob }: Pick<Stage<unknown>, 'queue' | 'newJob'>,
  { name, fingerprint, nextAt }: NewSchedule,
  change: Partial<Firing> = {},
): Firing {
  const job = newJob({ metadata: { tick: nextAt } });
  return {
    name,
    at: nextAt ?? 0,
    fingerprint,
    nextAt: (nextAt ?? 0) + HOUR_MS,
    tickAt: nextAt ?? 0,
    jobs: [job],
    wakeUps: [{ queue }],
    ...change,
  };
}

export const schedules = theme('schedules', (test) => {
  test('a schedule is read as it was written, and by its name to the byte', async (stage) => {
    const { driver, reader } = stage;
    const given = schedule(stage);
    const { read: _, ...written } = given;
    const before = await reader.now();
    await driver.schedules.set([given, schedule(stage, { name: `${given.name} `, nextAt: null })], 'ann');
    const { now, schedules: found } = await driver.schedules.find([given.name]);
    expect(found).toEqual([
      {
        ...written,
        tickAt: null,
        firedAt: null,
        skipped: 0,
        skippedTickAt: null,
        skippedFor: null,
        broken: null,
        brokenAt: null,
        pausedAt: null,
        pausedBy: null,
        updatedAt: expect.any(Number),
        updatedBy: 'ann',
      },
    ]);
    expect(found[0]?.updatedAt).toBeGreaterThanOrEqual(before.getTime() - 1);
    expect(now).toBeGreaterThanOrEqual(found[0]?.updatedAt ?? Number.NaN);
    expect(await driver.schedules.find([given.name.toUpperCase()])).toMatchObject({ schedules: [] });
    const names = async (beyond: string) => {
      const { schedules: page } = await driver.schedules.find({ beyond });
      return page.map(({ name }) => name).filter((name) => name.startsWith(given.name));
    };
    expect(await names(given.name.slice(0, -1))).toEqual([given.name, `${given.name} `]);
    expect(await names(given.name)).toEqual([`${given.name} `]);
  });

  test("the time is the database's, also without schedules", async ({ driver, reader, key }) => {
    const before = await reader.now();
    const { now } = await withWrongClock(() => driver.schedules.find([key]));
    expect(now).toBeGreaterThanOrEqual(before.getTime() - 1);
    expect(now).toBeLessThanOrEqual((await reader.now()).getTime() + 1);
  });

  test('is changed only if it is as it was read', async (stage) => {
    const { driver } = stage;
    const given = schedule(stage);
    await driver.schedules.set([given], 'ann');
    await driver.schedules.set([{ ...given, nextAt: 7, fingerprint: 'two' }], 'bob');
    expect(await read(stage, given)).toMatchObject({ nextAt: HOUR_MS, fingerprint: 'one', updatedBy: 'ann' });
    const asRead = { fingerprint: 'one', source: 'dynamic', nextAt: HOUR_MS } as const;
    for (const other of [
      { fingerprint: 'two' },
      { source: 'code' },
      { nextAt: 7 },
      { nextAt: null },
    ] as const)
      await driver.schedules.set([{ ...given, nextAt: 7, read: { ...asRead, ...other } }], 'bob');
    expect(await read(stage, given)).toMatchObject({ nextAt: HOUR_MS, updatedBy: 'ann' });
    await driver.schedules.set([{ ...given, nextAt: null, fingerprint: 'two', read: asRead }], 'cy');
    expect(await read(stage, given)).toMatchObject({ nextAt: null, fingerprint: 'two', updatedBy: 'cy' });
    const never = { ...asRead, fingerprint: 'two', nextAt: null };
    await driver.schedules.set([{ ...given, nextAt: 9, source: 'code', read: never }], 'dee');
    expect(await read(stage, given)).toMatchObject({ nextAt: 9, source: 'code', updatedBy: 'dee' });
  });

  test('a change leaves a pause as it is, and who made it', async (stage) => {
    const { driver } = stage;
    const given = schedule(stage);
    await driver.schedules.set([given], 'ann');
    expect(await driver.schedules.pause(given.name, 'bob')).toBe(true);
    expect(await driver.schedules.pause(given.name, 'cy')).toBe(true);
    await driver.schedules.set([{ ...given, fingerprint: 'two', read: given }], 'ann');
    expect(await read(stage, given)).toMatchObject({ fingerprint: 'two', pausedBy: 'bob' });
    expect(await driver.schedules.resume(given.name, 'one', 5)).toBe(false);
    expect(await driver.schedules.resume(given.name, 'two', 5)).toBe(true);
    expect(await driver.schedules.resume(given.name, 'two', 6)).toBe(false);
    expect(await read(stage, given)).toMatchObject({ pausedAt: null, pausedBy: null, nextAt: 5 });
  });

  test('what is not there is not paused, resumed or removed', async ({ driver, key }) => {
    expect(await driver.schedules.pause(key, 'ann')).toBe(false);
    expect(await driver.schedules.resume(key, 'one', 5)).toBe(false);
    expect(await driver.schedules.remove(key)).toBe(false);
  });

  test('in a transaction, a schedule is there with its commit, and not at all when it is rolled back', async (stage) => {
    const { driver, caller } = stage;
    const given = schedule(stage);
    for (const ends of ['rollback', 'commit'] as const) {
      const transaction = await caller();
      const { schedules } = driver.join(transaction.tx);
      await schedules.set([given], 'ann');
      expect((await schedules.find([given.name])).schedules).toMatchObject([{ plan: given.plan }]);
      expect(await read(stage, given)).toBeUndefined();
      await transaction[ends]();
      expect((await read(stage, given))?.plan).toEqual(ends === 'commit' ? given.plan : undefined);
    }
  });

  test('in a transaction, a schedule is paused, resumed and removed with the commit', async (stage) => {
    const { driver, caller } = stage;
    const given = schedule(stage);
    await driver.schedules.set([given], 'ann');
    const { tx, commit } = await caller();
    const { schedules } = driver.join(tx);
    expect(await schedules.pause(given.name, 'bob')).toBe(true);
    expect(await schedules.resume(given.name, 'one', 7)).toBe(true);
    expect((await schedules.find([given.name])).schedules).toMatchObject([{ nextAt: 7, pausedAt: null }]);
    expect(await schedules.remove(given.name)).toBe(true);
    expect(await read(stage, given)).toMatchObject({ nextAt: HOUR_MS, pausedAt: null });
    await commit();
    expect(await read(stage, given)).toBeUndefined();
  });

  test('many programs may write the same ones at once', async (stage) => {
    const { driver, key } = stage;
    const given = ['c', 'a', 'b'].map((name) => schedule(stage, { name: `${key} ${name}` }));
    await Promise.all(Array.from({ length: 6 }, () => driver.schedules.set(given, 'ann')));
    expect(await driver.schedules.find(given.map(({ name }) => name))).toMatchObject({
      schedules: [{}, {}, {}],
    });
  });

  test('is due by its next time, unless it is paused or left out', async (stage) => {
    const { driver, key, reader } = stage;
    const now = (await reader.now()).getTime();
    const at = {
      late: now - 2_000,
      due: now - 1_000,
      paused: now - 3_000,
      later: now + HOUR_MS,
      never: null,
    };
    const given = Object.entries(at).map(([name, nextAt]) =>
      schedule(stage, { name: `${key} ${name}`, nextAt }),
    );
    await driver.schedules.set(given, 'ann');
    await driver.schedules.pause(`${key} paused`, 'ann');
    const due = async (except: readonly string[], limit = 1_000): Promise<readonly string[]> => {
      const { schedules: found } = await driver.schedules.due(except, limit);
      return found.map(({ name }) => name).filter((name) => name.startsWith(key));
    };
    expect(await due([])).toEqual([`${key} late`, `${key} due`]);
    expect(await due([`${key} late`, `${key} never`, 'another'])).toEqual([`${key} due`]);
    expect(await due([], 1)).toHaveLength(1);
  });

  test('a survey and a look say when the first one is due', async (stage) => {
    const { driver, queue, reader } = stage;
    const lanes = { queues: [queue], kinds: [KIND] };
    expect(await driver.claims.survey(lanes)).toMatchObject({ nextTickMs: null });
    expect(await driver.schedules.due([], 10)).toMatchObject({ schedules: [], nextMs: null });
    const before = (await reader.now()).getTime();
    const given = schedule(stage, { nextAt: before + HOUR_MS });
    await driver.schedules.set([given], 'ann');
    const { nextTickMs } = await withWrongClock(() => driver.claims.survey(lanes));
    const { nextMs } = await driver.schedules.due([], 10);
    const passed = (await reader.now()).getTime() - before;
    for (const ms of [nextTickMs, nextMs]) {
      expect(ms).toBeGreaterThanOrEqual(HOUR_MS - passed - 1);
      expect(ms).toBeLessThanOrEqual(HOUR_MS + 1);
    }
    await reader.moveSchedule(given.name, new Date(before - 5_000));
    expect((await driver.claims.survey(lanes)).nextTickMs).toBeLessThanOrEqual(-4_999);
    await driver.schedules.pause(given.name, 'ann');
    expect(await driver.claims.survey(lanes)).toMatchObject({ nextTickMs: null });
  });

  test('a tick is fired once, however many fire it at once', async (stage) => {
    const { driver, queue, reader } = stage;
    const given = schedule(stage);
    await driver.schedules.set([given], 'ann');
    const fired = await Promise.all(
      Array.from({ length: 6 }, () => driver.schedules.fire([firing(stage, given)])),
    );
    expect(fired.flat()).toEqual([given.name]);
    expect(await reader.jobs(queue)).toMatchObject([{ metadata: { tick: HOUR_MS }, status: 'new' }]);
    expect(await read(stage, given)).toMatchObject({ nextAt: 2 * HOUR_MS, firedAt: expect.any(Number) });
  });

  test('is not fired if it was moved, changed, paused or removed since it was read', async (stage) => {
    const { driver, queue, reader } = stage;
    const given = schedule(stage);
    const fires = async (change: Partial<Firing> = {}): Promise<readonly string[]> =>
      driver.schedules.fire([firing(stage, given, change)]);
    expect(await fires()).toEqual([]);
    await driver.schedules.set([given], 'ann');
    expect(await fires({ at: HOUR_MS + 1 })).toEqual([]);
    expect(await fires({ fingerprint: 'two' })).toEqual([]);
    await driver.schedules.pause(given.name, 'ann');
    expect(await fires()).toEqual([]);
    expect(await reader.jobs(queue)).toEqual([]);
    await driver.schedules.resume(given.name, 'one', HOUR_MS);
    expect(await fires()).toEqual([given.name]);
  });

  test('of several, those are fired that are as they were read', async (stage) => {
    const { driver, key, queue, reader } = stage;
    const given = ['a', 'b', 'c'].map((name) => schedule(stage, { name: `${key} ${name}` }));
    await driver.schedules.set(given, 'ann');
    await driver.schedules.pause(`${key} b`, 'ann');
    const firings = given.map((each) =>
      firing(stage, each, {
        jobs: [stage.newJob({ payload: each.name }), stage.newJob({ payload: each.name })],
      }),
    );
    expect((await driver.schedules.fire(firings)).toSorted()).toEqual([`${key} a`, `${key} c`]);
    expect((await reader.jobs(queue)).map(({ payload }) => payload)).toEqual(
      ['a', 'a', 'c', 'c'].map((name) => `${key} ${name}`),
    );
  });

  test('a tick without a job, or whose job is a duplicate, moves the schedule', async (stage) => {
    const { driver, queue, reader, key } = stage;
    const given = schedule(stage);
    await driver.schedules.set([given], 'ann');
    expect(await driver.schedules.fire([firing(stage, given, { jobs: [], wakeUps: [] })])).toEqual([
      given.name,
    ]);
    expect(await read(stage, given)).toMatchObject({ nextAt: 2 * HOUR_MS, firedAt: null });
    const jobs = [stage.newJob({ unique: { key, scope: 'outstanding' } })];
    const next = { ...given, nextAt: 2 * HOUR_MS };
    expect(await driver.schedules.fire([firing(stage, next, { jobs })])).toEqual([given.name]);
    const last = firing(stage, { ...given, nextAt: 3 * HOUR_MS }, { jobs, nextAt: null });
    expect(await driver.schedules.fire([last])).toEqual([given.name]);
    const [job, ...others] = await reader.jobs(queue);
    expect(others).toEqual([]);
    expect(await read(stage, given)).toMatchObject({
      ...{ nextAt: null, tickAt: 3 * HOUR_MS, firedAt: expect.any(Number) },
      ...{ skipped: 1, skippedTickAt: 3 * HOUR_MS, skippedFor: job?.publicId },
    });
  });

  test('says when a job came of a tick last, and of ticks without one how many there were', async (stage) => {
    const { driver, key } = stage;
    const [given, other] = [schedule(stage), schedule(stage, { name: `${stage.key} other` })];
    await driver.schedules.set([given, other], 'ann');
    const jobs = [stage.newJob({ unique: { key, scope: 'outstanding' } })];
    await driver.schedules.fire([firing(stage, given, { jobs })]);
    const fired = await read(stage, given);
    for (const tick of [2, 3]) {
      const [again, free] = [given, other].map((each) => ({ ...each, nextAt: (tick - 1) * HOUR_MS }));
      if (again === undefined || free === undefined) throw new Error('There are two.');
      await driver.schedules.fire([
        firing(stage, { ...again, nextAt: tick * HOUR_MS }, { jobs }),
        firing(stage, free),
      ]);
    }
    expect(await read(stage, given)).toEqual({
      ...fired,
      ...{ nextAt: 4 * HOUR_MS, tickAt: 3 * HOUR_MS },
      ...{ skipped: 2, skippedTickAt: 3 * HOUR_MS, skippedFor: expect.any(String) },
    });
    expect(await read(stage, other)).toMatchObject({ skipped: 0, skippedFor: null, tickAt: 2 * HOUR_MS });
  });

  test('why it cannot be fired is noted, until it is fired or set', async (stage) => {
    const { driver } = stage;
    const given = schedule(stage);
    await driver.schedules.set([given], 'ann');
    const at = HOUR_MS;
    await driver.schedules.noteBroken({ ...given, at: at + 1 }, 'it has moved');
    await driver.schedules.noteBroken({ ...given, at, fingerprint: 'two' }, 'it was changed');
    expect(await read(stage, given)).toMatchObject({ broken: null, brokenAt: null });
    await driver.schedules.noteBroken({ ...given, at }, 'one');
    const first = await read(stage, given);
    expect(first).toMatchObject({ broken: 'one', brokenAt: expect.any(Number) });
    await driver.schedules.noteBroken({ ...given, at }, 'another');
    expect(await read(stage, given)).toEqual({ ...first, broken: 'another' });
    await driver.schedules.fire([firing(stage, given)]);
    expect(await read(stage, given)).toMatchObject({ broken: null, brokenAt: null });
    const next = { ...given, nextAt: 2 * HOUR_MS };
    await driver.schedules.noteBroken({ ...given, at: 2 * HOUR_MS }, 'again');
    await driver.schedules.set([{ ...next, fingerprint: 'two', read: next }], 'bob');
    expect(await read(stage, given)).toMatchObject({ broken: null, brokenAt: null });
  });

  test('the tick of a process that is killed while it fires is there once in the end', async (stage) => {
    const { driver, queue, reader } = stage;
    const given = schedule(stage);
    await driver.schedules.set([given], 'ann');
    for (let tick = 1; tick <= 5; tick++) {
      const next = { ...given, nextAt: tick * HOUR_MS };
      const dying = await stage.process();
      // So that it has a connection: otherwise it would die before it sends anything.
      await dying.driver.schedules.find([given.name]);
      const firings = [firing(stage, next)];
      const ended = dying.driver.schedules.fire(firings).catch(() => []);
      await dying.kill();
      await ended;
      await until('the schedule is moved', async () => {
        await driver.schedules.fire(firings);
        return (await read(stage, given))?.nextAt === (tick + 1) * HOUR_MS;
      });
      expect(await reader.jobs(queue)).toHaveLength(tick);
    }
  });

  test('a move that cannot enqueue its jobs moves nothing', async (stage) => {
    const { driver, reader, queue } = stage;
    const given = schedule(stage);
    await driver.schedules.set([given], 'ann');
    const jobs = [stage.newJob(), stage.newJob({ payload: 'half of a pair: \ud800' })];
    await expect(driver.schedules.fire([firing(stage, given, { jobs })])).rejects.toThrow();
    expect(await read(stage, given)).toMatchObject({ nextAt: HOUR_MS, firedAt: null });
    expect(await reader.jobs(queue)).toEqual([]);
  });
});
