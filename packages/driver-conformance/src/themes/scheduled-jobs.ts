import { createRowlock, defineHandler, merge, type RunContext, type Tick } from '@rowlock/core';
import type { NewSchedule, SchedulePlan } from '@rowlock/core/driver';
import type { ScheduleView } from '@rowlock/core/types';
import { expect } from 'vitest';
import type { Stage } from '../stage.js';
import { theme } from '../theme.js';
import { gate, until, within } from '../until.js';
import { AnyJson, clientOf, openWorker, SOON, startWorker } from '../worker-process.js';

const HOUR_MS = 3_600_000;

const SILENT = { debug() {}, info() {}, warn() {}, error() {} };

/** A grid whose points are far from now: no test comes to one by itself. */
async function everyHour({ reader }: Pick<Stage<unknown>, 'reader'>) {
  const half = (await reader.now()).getTime() - HOUR_MS / 2;
  return { every: '1h', anchor: new Date(half) } as const;
}

/** A handler of the test's queue, and the ticks that it was called for. */
function recorder<Tx>({ queue }: Pick<Stage<Tx>, 'queue'>, run: () => Promise<void> = async () => {}) {
  const ticks: (Tick | null)[] = [];
  const handler = defineHandler({
    kind: 'work',
    queue,
    payload: AnyJson,
    retry: SOON,
    run: async ({ job }: RunContext<unknown, Tx>) => {
      ticks.push(job.tick);
      await run();
    },
  });
  return { handler, ticks };
}

/** Makes a schedule due by hand, so many milliseconds ago. */
async function due({ reader, driver }: Stage<unknown>, name: string, agoMs = 0): Promise<void> {
  await reader.moveSchedule(name, new Date((await reader.now()).getTime() - agoMs));
  await driver.workers.notify([{ schedule: name }]);
}

/** Waits until so many jobs are there, all of them settled. */
function settled({ reader, queue }: Stage<unknown>, count: number) {
  return until(`${count} jobs are settled`, async () => {
    const rows = await reader.jobs(queue);
    return rows.length === count && rows.every(({ status }) => status === 'complete') && rows;
  });
}

async function view(stage: Stage<unknown>, name: string): Promise<ScheduleView | undefined> {
  return (await clientOf(stage, []).schedules.list()).find((schedule) => schedule.name === name);
}

export const scheduledJobs = theme('scheduled jobs', (test) => {
  test('each tick has one job, with several workers, and its handler is told of the tick', async (stage) => {
    const { key: name, driver } = stage;
    stage.defer(() => driver.schedules.remove(name));
    const { handler, ticks } = recorder(stage);
    for (let workers = 0; workers < 3; workers++) await startWorker(stage, [handler]);
    const schedule = {
      handler,
      payload: 7,
      metadata: { by: 'me' },
      overlap: 'allow',
      ...(await everyHour(stage)),
    } as const;
    await clientOf(stage, []).schedules.set(name, schedule);
    for (let tick = 1; tick <= 5; tick++) {
      await due(stage, name);
      await settled(stage, tick);
      expect((await view(stage, name))?.nextAt?.getTime()).toBeGreaterThan(
        (await stage.reader.now()).getTime(),
      );
    }
    expect(ticks).toMatchObject(
      ticks.map(() => ({ schedule: name, scheduledFor: expect.any(Date), lateMs: expect.any(Number) })),
    );
    const [job] = await stage.reader.jobs(stage.queue);
    expect(job).toMatchObject({ payload: 7, kind: 'work', metadata: { by: 'me' } });
    expect(ticks).toHaveLength(5);
  });

  test('a schedule that is set in a transaction fires when that has committed', async (stage) => {
    const { key: name, driver } = stage;
    stage.defer(() => driver.schedules.remove(name));
    const { handler, ticks } = recorder(stage);
    await startWorker(stage, [handler]);
    const client = clientOf(stage, []);
    const transaction = await stage.caller();
    const schedule = { handler, payload: 7, every: '1s' } as const;
    await client.as('ann').schedules.set(name, schedule, { tx: transaction.tx });
    expect(await view(stage, name)).toBeUndefined();
    await transaction.commit();
    expect(await view(stage, name)).toMatchObject({ source: 'dynamic', updatedBy: 'ann' });
    await until('a tick has come', async () => ticks.length > 0);
  });

  test('a schedule fires at its time, while a worker sleeps', async (stage) => {
    const { key: name, driver } = stage;
    stage.defer(() => driver.schedules.remove(name));
    const { handler, ticks } = recorder(stage);
    await startWorker(stage, [handler]);
    await clientOf(stage, []).schedules.set(name, { handler, payload: 1, cron: '* * * * * *' });
    await until('two ticks have come', async () => ticks.length >= 2);
    const [one, other] = ticks.map((tick) => tick?.scheduledFor.getTime() ?? 0);
    expect((one ?? 0) % 1_000).toBe(0);
    expect(other).toBeGreaterThan(one ?? 0);
  });

  test('a schedule fires while all slots are busy', async (stage) => {
    const { key: name, driver, queue, reader } = stage;
    stage.defer(() => driver.schedules.remove(name));
    const [busy, free] = [gate(), gate()];
    const { handler } = recorder(stage, async () => {
      busy.open();
      await within('the tick is there', free.promise);
    });
    const { rowlock } = await startWorker(stage, [handler], { concurrency: 1 });
    await rowlock.enqueue(handler, { payload: 0 });
    await within('the slot is busy', busy.promise);
    await rowlock.schedules.set(name, { handler, payload: 1, ...(await everyHour(stage)) });
    await due(stage, name);
    await until('the tick is there', async () => (await reader.jobs(queue)).length === 2);
    free.open();
    await settled(stage, 2);
  });

  test('after an outage the newest tick comes, or none, or all up to a number', async (stage) => {
    const { key, driver, queue, reader } = stage;
    const { handler, ticks } = recorder(stage);
    const { schedules } = clientOf(stage, []);
    const policies = { once: 'once', skip: 'skip', all: { all: { max: 3 } } } as const;
    for (const [policy, missed] of Object.entries(policies)) {
      const name = `${key} ${policy}`;
      stage.defer(() => driver.schedules.remove(name));
      await schedules.set(name, {
        handler,
        payload: policy,
        missed,
        overlap: 'allow',
        ...(await everyHour(stage)),
      });
      await reader.moveSchedule(name, new Date((await reader.now()).getTime() - 5 * HOUR_MS));
    }
    await startWorker(stage, [handler], { concurrency: 1 });
    await settled(stage, 4);
    const rows = await reader.jobs(queue);
    expect(rows.map(({ payload }) => payload).toSorted()).toEqual(['all', 'all', 'all', 'once']);
    const caughtUp = ticks
      .filter((tick) => tick?.schedule === `${key} all`)
      .map((tick) => tick?.scheduledFor.getTime() ?? 0);
    expect(caughtUp).toEqual([0, 1, 2].map((place) => (caughtUp[0] ?? 0) + place * HOUR_MS));
    expect(ticks.every((tick) => (tick?.lateMs ?? 0) >= HOUR_MS / 2)).toBe(true);
    for (const policy of Object.keys(policies))
      expect((await view(stage, `${key} ${policy}`))?.nextAt?.getTime()).toBeGreaterThan(
        (await reader.now()).getTime(),
      );
  });

  test('overlap: skip leaves a tick out, queue has it wait, and allow runs it beside the first', async (stage) => {
    const { key, driver, queue, reader } = stage;
    const release = gate();
    const started: unknown[] = [];
    const handler = defineHandler({
      kind: 'work',
      queue,
      payload: AnyJson,
      run: async ({ job }) => {
        started.push(job.payload);
        await within('both ticks have come', release.promise);
      },
    });
    const { rowlock } = await startWorker(stage, [handler], { concurrency: 6 });
    const count = async (payload: string): Promise<number> =>
      (await reader.jobs(queue)).filter((row) => row.payload === payload).length;
    const expected = { skip: 1, queue: 2, allow: 2 } as const;
    for (const overlap of ['skip', 'queue', 'allow'] as const) {
      const name = `${key} ${overlap}`;
      stage.defer(() => driver.schedules.remove(name));
      await rowlock.schedules.set(name, { handler, payload: overlap, overlap, ...(await everyHour(stage)) });
      for (let tick = 1; tick <= 2; tick++) {
        await due(stage, name);
        await until(
          'it is moved',
          async () => ((await view(stage, name))?.nextAt?.getTime() ?? 0) > (await reader.now()).getTime(),
        );
        await until('the first one runs', async () => started.includes(overlap));
      }
      expect(await count(overlap)).toBe(expected[overlap]);
    }
    await until(
      'the other one of allow runs',
      async () => started.filter((payload) => payload === 'allow').length === 2,
    );
    expect(started.toSorted()).toEqual(['allow', 'allow', 'queue', 'skip']);
    release.open();
    await settled(stage, 5);
  });

  test('code is written when a worker starts, and is changed by a program that differs, and a pause stays', async (stage) => {
    const { key: name, driver, reader, queue } = stage;
    stage.defer(() => driver.schedules.remove(name));
    const { handler } = recorder(stage);
    const times = await everyHour(stage);
    const deploy = (payload: number) =>
      startWorker(stage, [handler], { schedules: { [name]: { handler, payload, ...times } } });
    await deploy(1);
    const first = await view(stage, name);
    expect(first).toMatchObject({
      source: 'code',
      payload: 1,
      everyMs: HOUR_MS,
      cron: null,
      kind: 'work',
      queue,
    });
    await deploy(1);
    expect(await view(stage, name)).toEqual(first);
    await clientOf(stage, []).as('ann').schedules.pause(name);
    const { rowlock } = await deploy(2);
    expect(await view(stage, name)).toMatchObject({ payload: 2, pausedBy: 'ann', nextAt: first?.nextAt });
    await due(stage, name, 3 * HOUR_MS);
    await rowlock.schedules.resume(name);
    expect(await view(stage, name)).toMatchObject({ pausedAt: null, pausedBy: null, nextAt: first?.nextAt });
    expect(await reader.jobs(queue)).toEqual([]);
    await expect(rowlock.schedules.set(name, { handler, payload: 3, every: '1h' })).rejects.toThrow(
      'declared in code',
    );
  });

  test('a tick that is overdue comes after a deploy that leaves its times as they are', async (stage) => {
    const { key: name, driver, reader } = stage;
    stage.defer(() => driver.schedules.remove(name));
    const { handler, ticks } = recorder(stage);
    const times = await everyHour(stage);
    const before = await startWorker(stage, [handler], {
      schedules: { [name]: { handler, payload: 1, ...times } },
    });
    await before.worker.stop();
    await reader.moveSchedule(name, new Date((await reader.now()).getTime() - 60_000));
    await startWorker(stage, [handler], { schedules: { [name]: { handler, payload: 2, ...times } } });
    await settled(stage, 1);
    expect(ticks).toHaveLength(1);
    expect(await reader.jobs(stage.queue)).toMatchObject([{ payload: 2 }]);
  });

  test('an overdue tick comes after a deploy that changes the times: once, skip, and all from it on', async (stage) => {
    const { key, driver, queue, reader } = stage;
    const { handler, ticks } = recorder(stage);
    const { schedules } = clientOf(stage, []);
    const anchor = new Date((await reader.now()).getTime() - HOUR_MS / 2);
    const policies = { once: 'once', skip: 'skip', all: { all: { max: 5 } } } as const;
    for (const [policy, missed] of Object.entries(policies)) {
      const name = `${key} ${policy}`;
      stage.defer(() => driver.schedules.remove(name));
      const schedule = { handler, payload: policy, missed, overlap: 'allow', anchor } as const;
      await schedules.set(name, { ...schedule, every: '1h' });
      // Of the old times, and none of the new ones.
      await reader.moveSchedule(name, new Date(anchor.getTime() - 5 * HOUR_MS));
      await schedules.set(name, { ...schedule, every: '2h' });
    }
    await startWorker(stage, [handler], { concurrency: 1 });
    await settled(stage, 5);
    const hours = (policy: string) =>
      ticks
        .filter((tick) => tick?.schedule === `${key} ${policy}`)
        .map((tick) => ((tick?.scheduledFor.getTime() ?? 0) - anchor.getTime()) / HOUR_MS);
    expect([hours('once'), hours('skip')]).toEqual([[0], []]);
    expect(hours('all').toSorted((one, other) => one - other)).toEqual([-5, -4, -2, 0]);
    expect(await reader.jobs(queue)).toHaveLength(5);
  });

  test('an instant that was fired is not fired again by a deploy that adds a jitter, nor behind a pause', async (stage) => {
    const { key: name, driver, reader, queue } = stage;
    stage.defer(() => driver.schedules.remove(name));
    const { handler } = recorder(stage);
    const { schedules } = clientOf(stage, []);
    const schedule = { handler, payload: 1, overlap: 'allow', ...(await everyHour(stage)) } as const;
    const instant = schedule.anchor.getTime();
    await schedules.set(name, schedule);
    await startWorker(stage, [handler]);
    await reader.moveSchedule(name, new Date(instant));
    await driver.workers.notify([{ schedule: name }]);
    await settled(stage, 1);
    // Each of these puts the instants off so far that the one that was fired would come again.
    for (const jitter of ['23h', '24h'] as const) {
      await schedules.set(name, { ...schedule, jitter });
      expect((await view(stage, name))?.nextAt?.getTime()).toBeGreaterThanOrEqual(instant + HOUR_MS);
      await schedules.pause(name);
      await schedules.resume(name);
      expect((await view(stage, name))?.nextAt?.getTime()).toBeGreaterThanOrEqual(instant + HOUR_MS);
      expect((await schedules.preview(name, 1))[0]?.getTime()).toBeGreaterThanOrEqual(instant + HOUR_MS);
    }
    expect(await reader.jobs(queue)).toHaveLength(1);
  });

  test('no job is a tick but one of a schedule, also if a tick passes on its metadata', async (stage) => {
    const { key: name, driver, queue, reader } = stage;
    stage.defer(() => driver.schedules.remove(name));
    const ticks: (Tick | null)[] = [];
    const handler = defineHandler({
      kind: 'work',
      queue,
      payload: AnyJson,
      run: async ({ job, enqueue }) => {
        ticks.push(job.tick);
        if (job.tick !== null) await enqueue(handler, { payload: 2, metadata: job.metadata });
      },
    });
    const { rowlock } = await startWorker(stage, [handler]);
    const schedule = { handler, payload: 1, metadata: { by: 'me' }, ...(await everyHour(stage)) };
    await rowlock.schedules.set(name, schedule);
    await due(stage, name);
    await settled(stage, 2);
    expect(ticks).toEqual([expect.objectContaining({ schedule: name }), null]);
    const [tick, follower] = await reader.jobs(queue);
    expect(follower?.metadata).toEqual({ by: 'me' });
    const { metadata } = tick ?? { metadata: {} };
    const forged = Object.assign({}, metadata);
    for (const call of ['enqueue', 'updateMetadata'] as const) {
      const made =
        call === 'enqueue'
          ? rowlock.enqueue(handler, { payload: 3, metadata: forged })
          : rowlock.jobs.updateMetadata(follower?.publicId ?? '', [merge([], forged)]);
      await expect(made).rejects.toMatchObject({ code: 'ROWLOCK_INVALID_INPUT' });
    }
    expect(await reader.jobs(queue)).toHaveLength(2);
  });

  test('a tick that is left out says so: firedAt stays, and the job in its way is named', async (stage) => {
    const { key: name, driver, queue, reader } = stage;
    stage.defer(() => driver.schedules.remove(name));
    const [busy, free] = [gate(), gate()];
    const { handler } = recorder(stage, async () => {
      busy.open();
      await within('the ticks were left out', free.promise);
    });
    await startWorker(stage, [handler], { concurrency: 1 });
    await clientOf(stage, []).schedules.set(name, { handler, payload: 1, ...(await everyHour(stage)) });
    await due(stage, name);
    await within('the first one runs', busy.promise);
    const first = await view(stage, name);
    expect(first).toMatchObject({ firedAt: expect.any(Date), skipped: null });
    const [job] = await reader.jobs(queue);
    for (const count of [1, 2]) {
      await due(stage, name);
      await until('it is left out', async () => (await view(stage, name))?.skipped?.count === count);
    }
    expect(await view(stage, name)).toMatchObject({
      firedAt: first?.firedAt,
      skipped: { count: 2, lastTick: expect.any(Date), job: job?.publicId },
    });
    free.open();
    await settled(stage, 1);
    await due(stage, name);
    await settled(stage, 2);
    const last = await view(stage, name);
    expect(last?.firedAt?.getTime()).toBeGreaterThan(first?.firedAt?.getTime() ?? 0);
    expect(last?.skipped?.count).toBe(2);
  });

  test('a row that this version cannot read is shown as broken, and all others are shown too', async (stage) => {
    const { key, driver, reader } = stage;
    const { handler } = recorder(stage);
    const { schedules } = clientOf(stage, []);
    const given = { handler, payload: 1, ...(await everyHour(stage)) } as const;
    for (const name of ['a', 'b', 'c', 'd'].map((each) => `${key} ${each}`)) {
      stage.defer(() => driver.schedules.remove(name));
      await schedules.set(name, given);
    }
    const { schedules: rows } = await driver.schedules.find([`${key} a`]);
    const plan: SchedulePlan = Object(rows[0]?.plan);
    // As another version would, which knows more.
    const timings: Readonly<Record<string, object>> = {
      b: { sunrise: 'Oslo', jitterMs: 0 },
      c: { cron: '0 3 * * *', timeZone: 'Mars/Olympus', jitterMs: 0 },
    };
    for (const [each, timing] of Object.entries(timings)) {
      const [read = null] = (await driver.schedules.find([`${key} ${each}`])).schedules;
      const odd: NewSchedule = {
        ...{ name: `${key} ${each}`, plan: Object.assign({}, plan, { timing }), fingerprint: each },
        ...{ source: 'dynamic', nextAt: 1, read },
      };
      await driver.schedules.set([odd], 'another version');
    }
    const list = (await schedules.list()).filter(({ name }) => name.startsWith(key));
    expect(list.map(({ broken }) => broken?.error)).toEqual([
      undefined,
      expect.stringContaining('"timing" of its row'),
      expect.stringContaining('the times of its row'),
      undefined,
    ]);
    expect(list[1]).toMatchObject({ kind: 'work', cron: null, everyMs: null });
    for (const each of ['b', 'c'])
      for (const call of ['preview', 'run'] as const)
        await expect(schedules[call](`${key} ${each}`)).rejects.toMatchObject({
          code: 'ROWLOCK_INVALID_INPUT',
        });
    await startWorker(stage, [handler]);
    await due(stage, `${key} d`);
    await settled(stage, 1);
    await schedules.set(`${key} b`, given);
    expect(await view(stage, `${key} b`)).toMatchObject({ broken: null, everyMs: HOUR_MS });
    expect((await reader.jobs(stage.queue)).length).toBeGreaterThanOrEqual(1);
  });

  test.once(
    'more schedules than a page has are all listed, and a program may declare as many',
    async (stage) => {
      const { key, queue, createDatabase } = stage;
      const database = await createDatabase();
      stage.defer(() => database.close());
      const { driver, close } = await database.process();
      stage.defer(close);
      await driver.schema.migrate();
      const { handler } = recorder({ queue });
      const times = { payload: 1, every: '1h' } as const;
      const names = Array.from({ length: 1_001 }, (_, place) => `${key} ${place}`);
      const schedules = Object.fromEntries(names.map((name) => [name, { handler, ...times }]));
      const rowlock = createRowlock({ driver, handlers: [handler], schedules, log: SILENT });
      for (let start = 0; start < 2; start++) {
        const worker = rowlock.worker();
        await worker.start();
        await worker.stop();
      }
      expect((await rowlock.schedules.list()).map(({ name }) => name).toSorted()).toEqual(names.toSorted());
    },
  );

  test('a schedule that no live program declares is orphaned, and fires all the same', async (stage) => {
    const { key: name, driver } = stage;
    stage.defer(() => driver.schedules.remove(name));
    const { handler, ticks } = recorder(stage);
    const schedules = { [name]: { handler, payload: 1, ...(await everyHour(stage)) } };
    const old = await startWorker(stage, [handler], { schedules });
    expect(await view(stage, name)).toMatchObject({ orphaned: false });
    await old.worker.stop();
    const { rowlock } = await startWorker(stage, [handler]);
    expect(await view(stage, name)).toMatchObject({ orphaned: true, source: 'code' });
    await due(stage, name);
    await until('it has fired', async () => ticks.length === 1);
    expect(await rowlock.schedules.remove(name)).toBe(true);
    expect(await view(stage, name)).toBeUndefined();
    expect(await rowlock.schedules.remove(name)).toBe(false);
  });

  test('a schedule of a plugin is written too, and two of one name are refused', async (stage) => {
    const { key: name, driver } = stage;
    stage.defer(() => driver.schedules.remove(name));
    const { handler } = recorder(stage);
    const schedules = { [name]: { handler, payload: 1, ...(await everyHour(stage)) } };
    await startWorker(stage, [handler], { plugins: [{ name: 'reports', handlers: [], schedules }] });
    expect(await view(stage, name)).toMatchObject({ source: 'code', orphaned: false });
    const twice = openWorker(stage, [handler], {
      plugins: [{ name: 'reports', handlers: [], schedules }],
      schedules,
    });
    await expect(twice).rejects.toThrow('Two schedules have the name');
  });

  test('run enqueues a job now, and leaves the times as they are', async (stage) => {
    const { key: name, driver } = stage;
    stage.defer(() => driver.schedules.remove(name));
    const { handler, ticks } = recorder(stage);
    const { schedules } = clientOf(stage, []);
    await schedules.set(name, { handler, payload: 1, ...(await everyHour(stage)) });
    const before = await view(stage, name);
    const { outcome, publicId } = await schedules.run(name);
    expect(outcome).toBe('enqueued');
    expect(await schedules.run(name)).toEqual({ outcome: 'duplicate', publicId });
    expect(await view(stage, name)).toEqual(before);
    await startWorker(stage, [handler]);
    await settled(stage, 1);
    expect(ticks).toMatchObject([{ schedule: name, lateMs: 0 }]);
  });

  test('preview says when it fires, as list does, also of one that is not set yet', async (stage) => {
    const { key: name, driver } = stage;
    stage.defer(() => driver.schedules.remove(name));
    const { handler } = recorder(stage);
    const { schedules } = clientOf(stage, []);
    const schedule = { handler, payload: 1, jitter: '30s', ...(await everyHour(stage)) } as const;
    await schedules.set(name, schedule);
    const [first, second, third] = await schedules.preview(name, 3);
    expect(first).toEqual((await view(stage, name))?.nextAt);
    expect((second?.getTime() ?? 0) - (first?.getTime() ?? 0)).toBe(HOUR_MS);
    expect((third?.getTime() ?? 0) - (second?.getTime() ?? 0)).toBe(HOUR_MS);
    expect(await schedules.preview(schedule)).toHaveLength(5);
    await expect(schedules.preview(`${name} missing`)).rejects.toMatchObject({
      code: 'ROWLOCK_SCHEDULE_NOT_FOUND',
    });
    await expect(schedules.run(`${name} missing`)).rejects.toMatchObject({
      code: 'ROWLOCK_SCHEDULE_NOT_FOUND',
    });
    await expect(schedules.pause(`${name} missing`)).rejects.toMatchObject({
      code: 'ROWLOCK_SCHEDULE_NOT_FOUND',
    });
    await expect(schedules.resume(`${name} missing`)).rejects.toMatchObject({
      code: 'ROWLOCK_SCHEDULE_NOT_FOUND',
    });
  });
});
