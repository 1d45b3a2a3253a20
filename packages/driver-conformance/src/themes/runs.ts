import { randomUUID } from 'node:crypto';
import type { SettlingEvent } from '@rowlock/core';
import { expect } from 'vitest';
import { settlement } from '../stage.js';
import { theme } from '../theme.js';
import { until, within } from '../until.js';

export const runs = theme('runs', (test) => {
  test('a run is on record while its claim is held', async ({ driver, reader, put, anchor, hold, row }) => {
    const before = await put();
    const { workerId } = await anchor();
    const { job } = await hold();
    const processId = randomUUID();
    const from = (await reader.now()).getTime();
    const started = await within(
      'the record beside the held job',
      driver.startRun({ processId, workerId, jobs: [job.id] }),
    );
    const to = (await reader.now()).getTime();
    expect(started).toEqual([{ id: job.id, earlierRuns: 0, crashes: 0 }]);
    const [run, ...more] = await reader.runs(job.publicId);
    expect(more).toEqual([]);
    expect(run).toMatchObject({ processId, workerId, finishedAt: null, outcome: null, progress: null });
    expect(run?.startedAt.getTime()).toBeGreaterThanOrEqual(from - 1);
    expect(run?.startedAt.getTime()).toBeLessThanOrEqual(to + 1);
    expect(await row(before)).toEqual(before);
  });

  test('a run over a group is on record for each of its jobs', async ({
    driver,
    reader,
    queue,
    key,
    putMany,
    anchor,
    hold,
  }) => {
    const rows = await putMany([{ key }, { key }, { key }]);
    const { workerId } = await anchor();
    const { held } = await hold();
    const group = await held.lockSiblings({ queue, key }, 10);
    const processId = randomUUID();
    const started = await driver.startRun({ processId, workerId, jobs: group.map(({ id }) => id) });
    expect(new Map(started.map(({ id, crashes }) => [id, crashes]))).toEqual(
      new Map(rows.map(({ id }) => [id, 0])),
    );
    for (const { publicId } of rows) expect(await reader.runs(publicId)).toMatchObject([{ processId }]);
  });

  test('progress is seen while the claim is held, and the last one stays', async ({
    driver,
    reader,
    put,
    anchor,
    hold,
    view,
  }) => {
    await put();
    const { workerId } = await anchor();
    const { held, job } = await hold();
    const processId = randomUUID();
    await driver.startRun({ processId, workerId, jobs: [job.id] });
    for (const done of [0.25, 0.5]) {
      await within('the progress beside the held job', driver.noteRun(processId, { progress: { done } }));
      expect(await reader.runs(job.publicId)).toMatchObject([{ progress: { done }, finishedAt: null }]);
      expect((await view(job)).progress).toEqual({ done });
    }
    await held.settle(processId, [settlement(job)]);
    await held.commit();
    expect((await view(job)).progress).toEqual({ done: 0.5 });
  });

  test('progress that comes after the end changes nothing', async ({ driver, reader, put, anchor, hold }) => {
    await put();
    const { workerId } = await anchor();
    const { held, job } = await hold();
    const processId = randomUUID();
    await driver.startRun({ processId, workerId, jobs: [job.id] });
    await held.settle(processId, [settlement(job)]);
    await held.commit();
    await driver.noteRun(processId, { progress: 'too late' });
    expect(await reader.runs(job.publicId)).toMatchObject([{ outcome: 'complete', progress: null }]);
  });

  const EVENTS = [
    'complete',
    'fail',
    'retry',
    'snooze',
    'release',
    'exhaust',
    'abandon',
  ] as const satisfies SettlingEvent[];
  for (const event of EVENTS) {
    test(`${event} ends the record with the settlement's commit`, async ({
      driver,
      reader,
      put,
      anchor,
      hold,
    }) => {
      await put();
      const { workerId } = await anchor();
      const { held, job } = await hold();
      const processId = randomUUID();
      await driver.startRun({ processId, workerId, jobs: [job.id] });
      await held.settle(processId, [settlement(job, { event, error: { code: 'E', message: 'e' } })]);
      expect(await reader.runs(job.publicId)).toMatchObject([{ finishedAt: null, outcome: null }]);
      await held.commit();
      const [run] = await reader.runs(job.publicId);
      expect(run?.outcome).toBe(event);
      expect(run?.finishedAt).toBeInstanceOf(Date);
    });
  }

  test('each job of a run has its own outcome on record', async ({
    driver,
    reader,
    queue,
    key,
    putMany,
    anchor,
    hold,
  }) => {
    const rows = await putMany([{ key }, { key }]);
    const { workerId } = await anchor();
    const { held } = await hold();
    const group = await held.lockSiblings({ queue, key }, 10);
    const processId = randomUUID();
    await driver.startRun({ processId, workerId, jobs: group.map(({ id }) => id) });
    const events = ['complete', 'retry'] as const;
    await held.settle(
      processId,
      group.map((job, place) => settlement(job, { event: events[place] ?? 'complete' })),
    );
    await held.commit();
    for (const [place, event] of events.entries()) {
      expect(await reader.runs(rows[place]?.publicId ?? '')).toMatchObject([{ processId, outcome: event }]);
    }
  });

  test('a settlement that is rolled back leaves the record open', async ({
    driver,
    reader,
    put,
    anchor,
    hold,
  }) => {
    await put();
    const { workerId } = await anchor();
    const { held, job } = await hold();
    const processId = randomUUID();
    await driver.startRun({ processId, workerId, jobs: [job.id] });
    await held.settle(processId, [settlement(job)]);
    await held.rollback();
    expect(await reader.runs(job.publicId)).toMatchObject([{ finishedAt: null, outcome: null }]);
  });

  test('the settlement of a run that is not on record still settles', async ({ put, serve, row, reader }) => {
    const job = await put();
    await serve();
    expect((await row(job)).status).toBe('complete');
    expect(await reader.runs(job.publicId)).toEqual([]);
  });

  for (const how of ['disconnect', 'kill'] as const) {
    test(`${how}: each crash is counted once, and its record ended, by the next run`, async ({
      driver,
      reader,
      put,
      anchor,
      process,
      begin,
      claim,
    }) => {
      const { id, publicId } = await put();
      const { workerId } = await anchor();
      for (const crashes of [0, 1, 2, 3]) {
        const dying = await process();
        const held = await begin(dying.driver);
        await until('the job is claimable', () => claim(held));
        const processId = randomUUID();
        const started = await dying.driver.startRun({ processId, workerId, jobs: [id] });
        expect(started).toEqual([{ id, earlierRuns: crashes, crashes }]);
        const records = await reader.runs(publicId);
        expect(records.map(({ outcome }) => outcome)).toEqual([
          ...Array.from({ length: crashes }, () => 'reclaim'),
          null,
        ]);
        expect(records.map(({ finishedAt }) => finishedAt !== null)).toEqual(
          records.map(({ outcome }) => outcome !== null),
        );
        await dying[how]();
      }
      const survivor = await begin();
      await until('the job is claimable', () => claim(survivor));
      expect(await driver.startRun({ processId: randomUUID(), workerId, jobs: [id] })).toEqual([
        { id, earlierRuns: 4, crashes: 4 },
      ]);
    });
  }

  test('crashes are counted for each job by itself', async ({
    driver,
    queue,
    key,
    put,
    anchor,
    process,
    hold,
    begin,
    claim,
  }) => {
    const poison = await put({ key });
    const { workerId } = await anchor();
    const dying = await process();
    await hold({}, dying.driver);
    await driver.startRun({ processId: randomUUID(), workerId, jobs: [poison.id] });
    await dying.kill();
    const held = await begin();
    await until('the job is claimable again', () => claim(held));
    const fresh = await put({ key });
    const group = await held.lockSiblings({ queue, key }, 10);
    const started = await driver.startRun({
      processId: randomUUID(),
      workerId,
      jobs: group.map(({ id }) => id),
    });
    expect(new Map(started.map(({ id, crashes }) => [id, crashes]))).toEqual(
      new Map([
        [poison.id, 1],
        [fresh.id, 0],
      ]),
    );
  });

  test('a run that was released is no crash', async ({ driver, reader, put, anchor, hold }) => {
    const { publicId } = await put();
    const { workerId } = await anchor();
    const { held, job } = await hold();
    const processId = randomUUID();
    await driver.startRun({ processId, workerId, jobs: [job.id] });
    await held.release(processId);
    const [record] = await reader.runs(publicId);
    expect(record).toMatchObject({ processId, outcome: 'release' });
    expect(record?.finishedAt).toBeInstanceOf(Date);
    await hold();
    const again = await driver.startRun({ processId: randomUUID(), workerId, jobs: [job.id] });
    expect(again).toEqual([{ id: job.id, earlierRuns: 1, crashes: 0 }]);
  });

  test('a run that begins too late, when another has the job, takes nothing from that one', async ({
    driver,
    reader,
    put,
    anchor,
    hold,
  }) => {
    const { publicId } = await put();
    const { workerId } = await anchor();
    for (const end of ['release', 'retry'] as const) {
      const { held, job } = await hold();
      const processId = randomUUID();
      await driver.startRun({ processId, workerId, jobs: [job.id] });
      // A worker that has not noticed yet that its claim was lost.
      await driver.startRun({ processId: randomUUID(), workerId, jobs: [job.id] });
      if (end === 'release') await held.release(processId);
      else {
        await held.settle(processId, [settlement(job, { event: 'retry' })]);
        await held.commit();
      }
      const records = await reader.runs(publicId);
      expect(records.find((record) => record.processId === processId)).toMatchObject({ outcome: end });
    }
  });

  test('a claim that is lost is not released', async ({ reader, put, anchor, process, hold }) => {
    const { publicId } = await put();
    const { workerId } = await anchor();
    const dying = await process();
    const { held, job } = await hold({}, dying.driver);
    const processId = randomUUID();
    await dying.driver.startRun({ processId, workerId, jobs: [job.id] });
    await dying.disconnect();
    await expect(held.release(processId)).rejects.toMatchObject({ code: 'ConnectionLost' });
    expect(await reader.runs(publicId)).toMatchObject([{ processId, outcome: null }]);
  });

  test('every earlier run is counted: released, settled and crashed', async ({
    driver,
    put,
    anchor,
    process,
    begin,
    claim,
    hold,
  }) => {
    const { id } = await put();
    const { workerId } = await anchor();
    const start = async (processId: string) => {
      const [started] = await driver.startRun({ processId, workerId, jobs: [id] });
      return [started?.earlierRuns, started?.crashes];
    };
    const released = await hold();
    const first = randomUUID();
    expect(await start(first)).toEqual([0, 0]);
    await released.held.release(first);

    const retried = await hold();
    const second = randomUUID();
    expect(await start(second)).toEqual([1, 0]);
    await retried.held.settle(second, [settlement(retried.job, { event: 'retry' })]);
    await retried.held.commit();

    const dying = await process();
    await hold({}, dying.driver);
    expect(await start(randomUUID())).toEqual([2, 0]);
    await dying.kill();
    const held = await begin();
    await until('the job is claimable again', () => claim(held));
    expect(await start(randomUUID())).toEqual([3, 1]);
  });

  test('a run that was settled is no crash, however it ended', async ({ driver, put, anchor, hold }) => {
    const { id } = await put();
    const { workerId } = await anchor();
    for (const [earlierRuns, event] of (['retry', 'snooze', 'retry'] as const).entries()) {
      const { held, job } = await hold();
      const processId = randomUUID();
      const started = await driver.startRun({ processId, workerId, jobs: [id] });
      expect(started).toEqual([{ id, earlierRuns, crashes: 0 }]);
      await held.settle(processId, [settlement(job, { event })]);
      await held.commit();
    }
  });

  test('a job that a live worker has is listed as in progress, with its run', async ({
    driver,
    put,
    anchor,
    hold,
    view,
  }) => {
    const job = await put();
    expect(await view(job)).toMatchObject({ status: 'new', processId: null, worker: null, startedAt: null });
    const { workerId } = await anchor(driver, { name: 'worker 7' });
    const { held } = await hold();
    const processId = randomUUID();
    await driver.startRun({ processId, workerId, jobs: [job.id] });
    const running = await view(job);
    expect(running).toMatchObject({ status: 'in-progress', processId, worker: 'worker 7', finishedAt: null });
    expect(running.startedAt).toBeInstanceOf(Date);
    await held.settle(processId, [settlement(job, { output: 'done' })]);
    await held.commit();
    expect(await view(job)).toMatchObject({ status: 'complete', processId, worker: null, output: 'done' });
  });

  test('a job of a worker that died is listed as new again', async ({
    driver,
    put,
    process,
    anchor,
    hold,
    view,
  }) => {
    const job = await put();
    const dying = await process();
    const { workerId } = await anchor(dying.driver);
    await hold({}, dying.driver);
    await driver.startRun({ processId: randomUUID(), workerId, jobs: [job.id] });
    expect((await view(job)).status).toBe('in-progress');
    await dying.kill();
    const after = await until('the job is listed as new', async () => {
      const found = await view(job);
      return found.status === 'new' && found;
    });
    expect(after).toMatchObject({ status: 'new', worker: null });
  });

  test('a job that was retried is listed as new, with the run that settled it last', async ({
    driver,
    put,
    anchor,
    hold,
    view,
  }) => {
    await put();
    const { workerId } = await anchor();
    const { held, job } = await hold();
    const processId = randomUUID();
    await driver.startRun({ processId, workerId, jobs: [job.id] });
    await held.settle(processId, [settlement(job, { event: 'retry', delayMs: 60_000 })]);
    await held.commit();
    expect(await view(job)).toMatchObject({ status: 'new', processId, worker: null, attempt: 1 });
  });
});
