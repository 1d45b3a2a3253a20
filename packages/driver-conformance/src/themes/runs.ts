import { randomUUID } from 'node:crypto';
import type { SettlingEvent } from '@rowlock/core/driver';
import { expect } from 'vitest';
import type { JobRow } from '../driver-harness.js';
import { putOnRecord } from '../put-on-record.js';
import { settlement } from '../stage.js';
import { theme } from '../theme.js';
import { until, within } from '../until.js';

export const runs = theme('runs', (test) => {
  test('a run is on record while its claim is held', async ({ driver, reader, put, anchor, hold, row }) => {
    const before = await put();
    const { workerId } = await anchor();
    const { job } = await hold();
    const runId = randomUUID();
    const from = (await reader.now()).getTime();
    const started = await within(
      'the record beside the held job',
      putOnRecord(driver, [{ runId, workerId, jobs: [job] }]),
    );
    const to = (await reader.now()).getTime();
    expect(started).toEqual([]);
    const [run, ...more] = await reader.runs(job.publicId);
    expect(more).toEqual([]);
    expect(run).toMatchObject({ runId, workerId, finishedAt: null, outcome: null, progress: null });
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
    const group = await held.lockSiblings({ queue, keys: [key] }, 10);
    const runId = randomUUID();
    const started = await putOnRecord(driver, [{ runId, workerId, jobs: group }]);
    expect(started).toEqual([]);
    for (const { publicId } of rows) expect(await reader.runs(publicId)).toMatchObject([{ runId }]);
  });

  for (const jobs of [1, 2]) {
    test(`unfinished runs of ${jobs} are named, and nothing is written until they are ended`, async ({
      driver,
      reader,
      putMany,
      anchor,
    }) => {
      const rows = await putMany(Array.from({ length: jobs }, () => ({})));
      const { workerId } = await anchor();
      const [theirs, mine] = [randomUUID(), randomUUID()];
      await driver.claims.startRuns([{ runId: theirs, workerId, jobs: rows }], []).visible;
      const start = (crashed: readonly string[] = []) =>
        driver.claims.startRuns([{ runId: mine, workerId, jobs: rows }], crashed).visible;
      expect((await start()).unfinished).toEqual([theirs]);
      for (const { publicId } of rows)
        expect(await reader.runs(publicId)).toMatchObject([{ runId: theirs, outcome: null }]);
      expect((await start([theirs])).unfinished).toEqual([]);
      for (const { publicId } of rows) {
        const outcomes = (await reader.runs(publicId)).map(({ outcome }) => outcome);
        expect(outcomes).toEqual(['reclaim', null]);
      }
    });
  }

  test('where one of the jobs has an unfinished run no record is written', async ({
    driver,
    reader,
    putMany,
    anchor,
  }) => {
    const [first, second, third] = await putMany([{}, {}, {}]);
    if (first === undefined || second === undefined || third === undefined)
      throw new Error('There are three.');
    const { workerId } = await anchor();
    const crashed = randomUUID();
    await putOnRecord(driver, [{ runId: crashed, workerId, jobs: [second] }]);
    const start = (...jobs: JobRow[]) => ({ runId: randomUUID(), workerId, jobs });
    const together = [start(first, second, third)];
    const single = [start(first), start(second), start(third)];
    for (const starts of [together, single])
      expect((await driver.claims.startRuns(starts, []).visible).unfinished).toEqual([crashed]);
    const records = async () => {
      const all = await Promise.all([first, second, third].map(({ publicId }) => reader.runs(publicId)));
      return all.map((runs) => runs.map(({ outcome }) => outcome));
    };
    expect(await records()).toEqual([[], [null], []]);
    expect(await driver.claims.startRuns(single, [crashed]).visible).toEqual({
      earlier: [{ id: second.id, earlierRuns: 1, crashes: 1 }],
      unfinished: [],
    });
    expect(await records()).toEqual([[null], ['reclaim', null], [null]]);
  });

  test('only the runs that are named are ended as crashed, and only of the jobs that are named', async ({
    driver,
    reader,
    putMany,
    anchor,
    claimSession,
    claimMany,
  }) => {
    const rows = await putMany([{}, {}, {}, {}]);
    const held = claimSession();
    const jobs = await claimMany(held, 4);
    const ids = jobs.map(({ id }) => id);
    const { workerId } = await anchor();
    const [crashed, settled, other] = [randomUUID(), randomUUID(), randomUUID()];
    await putOnRecord(driver, [
      { runId: crashed, workerId, jobs: jobs.slice(0, 2) },
      { runId: settled, workerId, jobs: jobs.slice(2, 3) },
      { runId: other, workerId, jobs: jobs.slice(3) },
    ]);
    await held.settle(ids.slice(2, 3).map((id) => settlement({ id }, { runId: settled, event: 'retry' })));
    await held.commit();
    const records = async () => {
      const all = await Promise.all(rows.map(({ publicId }) => reader.runs(publicId)));
      return all.flat().map(({ outcome }) => outcome);
    };
    // Another run has not ended, so none begins.
    const start = async (of: typeof jobs, ended: readonly string[]) => {
      const started = driver.claims.startRuns([{ runId: randomUUID(), workerId, jobs: of }], ended);
      expect((await started.visible).unfinished).toContain(other);
    };
    // The one that was settled has its end.
    await start([...jobs.slice(0, 1), ...jobs.slice(2)], [crashed, settled]);
    expect(await records()).toEqual(['reclaim', null, 'retry', null]);
    await start(jobs, [crashed]);
    await start(jobs, [crashed]);
    await start(jobs, []);
    expect(await records()).toEqual(['reclaim', 'reclaim', 'retry', null]);
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
    const runId = randomUUID();
    await putOnRecord(driver, [{ runId, workerId, jobs: [job] }]);
    for (const done of [0.25, 0.5]) {
      await within(
        'the progress beside the held job',
        driver.claims.noteRun({ runId, jobs: [job.id] }, { done }),
      );
      expect(await reader.runs(job.publicId)).toMatchObject([{ progress: { done }, finishedAt: null }]);
      expect((await view(job)).progress).toEqual({ done });
    }
    await held.settle([settlement(job, { runId })]);
    await held.commit();
    expect((await view(job)).progress).toEqual({ done: 0.5 });
  });

  test('progress that comes after the end of the record changes nothing', async ({
    driver,
    reader,
    put,
    anchor,
    hold,
  }) => {
    await put();
    const { workerId } = await anchor();
    const { held, job } = await hold();
    const runId = randomUUID();
    await putOnRecord(driver, [{ runId, workerId, jobs: [job] }]);
    await held.settle([settlement(job, { runId, event: 'retry' })]);
    await held.commit();
    await driver.claims.noteRun({ runId, jobs: [job.id] }, 'too late');
    expect(await reader.runs(job.publicId)).toMatchObject([{ outcome: 'retry', progress: null }]);
  });

  test('several runs are on record by one call, and what is told is of the jobs that had runs before', async ({
    driver,
    reader,
    queue,
    key,
    putMany,
    anchor,
    hold,
    claimSession,
    claimMany,
  }) => {
    const rows = await putMany([{ key }, { key }, {}, {}, {}]);
    const { workerId } = await anchor();
    const first = await hold();
    const released = randomUUID();
    await putOnRecord(driver, [{ runId: released, workerId, jobs: [first.job] }]);
    await first.held.release({ runId: released, jobs: [first.job.id] });

    const grouped = claimSession();
    await claimMany(grouped, 1);
    const group = await grouped.lockSiblings({ queue, keys: [key] }, 10);
    const others = claimSession();
    const batch = await claimMany(others, 2);
    const single = await hold();
    const all = [group, batch, [single.job]].map((jobs) => ({
      runId: randomUUID(),
      workerId,
      jobs,
    }));
    const started = await within('the records beside the held jobs', putOnRecord(driver, all));
    expect(started).toEqual([{ id: rows[0]?.id, earlierRuns: 1, crashes: 0 }]);
    for (const { id, publicId } of rows) {
      const runId = all.find(({ jobs }) => jobs.some((job) => job.id === id))?.runId;
      const records = await reader.runs(publicId);
      expect(records.at(-1)).toMatchObject({ runId, workerId, outcome: null });
      expect(records).toHaveLength(id === rows[0]?.id ? 2 : 1);
    }
    for (const [place, held] of [grouped, others, single.held].entries()) {
      const { runId = '', jobs = [] } = all[place] ?? {};
      await held.release({ runId, jobs: jobs.map(({ id }) => id) });
    }
    for (const { publicId } of rows) {
      expect((await reader.runs(publicId)).at(-1)).toMatchObject({ outcome: 'release' });
    }
  });

  test('a call without runs writes none', async ({ driver }) => {
    expect(await driver.claims.startRuns([], []).visible).toEqual({ earlier: [], unfinished: [] });
  });

  test('progress is noted for the jobs of its run alone', async ({
    driver,
    reader,
    putMany,
    anchor,
    claimSession,
    claimMany,
  }) => {
    const rows = await putMany([{}, {}]);
    const { workerId } = await anchor();
    await claimMany(claimSession(), 2);
    const [one, other] = rows.map((job) => ({ runId: randomUUID(), workerId, jobs: [job] }));
    if (one === undefined || other === undefined) throw new Error('There are not two runs.');
    await putOnRecord(driver, [one, other]);
    await driver.claims.noteRun({ runId: one.runId, jobs: one.jobs.map(({ id }) => id) }, 'one');
    const progress = rows.map(async ({ publicId }) => (await reader.runs(publicId))[0]?.progress);
    expect(await Promise.all(progress)).toEqual(['one', null]);
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
      const runId = randomUUID();
      await putOnRecord(driver, [{ runId, workerId, jobs: [job] }]);
      await held.settle([settlement(job, { runId, event, error: { code: 'E', message: 'e' } })]);
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
    const group = await held.lockSiblings({ queue, keys: [key] }, 10);
    const runId = randomUUID();
    await putOnRecord(driver, [{ runId, workerId, jobs: group }]);
    const events = ['complete', 'retry'] as const;
    await held.settle(
      group.map((job, place) => settlement(job, { runId, event: events[place] ?? 'complete' })),
    );
    await held.commit();
    for (const [place, event] of events.entries()) {
      expect(await reader.runs(rows[place]?.publicId ?? '')).toMatchObject([{ runId, outcome: event }]);
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
    const runId = randomUUID();
    await putOnRecord(driver, [{ runId, workerId, jobs: [job] }]);
    await held.settle([settlement(job, { runId })]);
    await held.rollback();
    expect(await reader.runs(job.publicId)).toMatchObject([{ finishedAt: null, outcome: null }]);
  });

  test('the settlement of a run that is not on record still settles', async ({ put, serve, row, reader }) => {
    const job = await put();
    await serve();
    expect((await row(job)).status).toBe('complete');
    expect(await reader.runs(job.publicId)).toMatchObject([{ workerId: null, outcome: 'complete' }]);
  });

  for (const how of ['disconnect', 'kill'] as const) {
    test(`${how}: each crash is counted once, and its record ended, by the next run`, async ({
      driver,
      reader,
      put,
      anchor,
      process,
      claimSession,
      claim,
    }) => {
      const job = await put();
      const { id, publicId } = job;
      const { workerId } = await anchor();
      for (const crashes of [0, 1, 2, 3]) {
        const dying = await process();
        const held = claimSession(dying.driver);
        await until('the job is claimable', () => claim(held));
        const runId = randomUUID();
        const started = await putOnRecord(dying.driver, [{ runId, workerId, jobs: [job] }]);
        expect(started).toEqual(crashes === 0 ? [] : [{ id, earlierRuns: crashes, crashes }]);
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
      const survivor = claimSession();
      await until('the job is claimable', () => claim(survivor));
      expect(await putOnRecord(driver, [{ runId: randomUUID(), workerId, jobs: [job] }])).toEqual([
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
    claimSession,
    claim,
  }) => {
    const poison = await put({ key });
    const { workerId } = await anchor();
    const dying = await process();
    await hold({}, dying.driver);
    await putOnRecord(driver, [{ runId: randomUUID(), workerId, jobs: [poison] }]);
    await dying.kill();
    const held = claimSession();
    await until('the job is claimable again', () => claim(held));
    const fresh = await put({ key });
    const group = await held.lockSiblings({ queue, keys: [key] }, 10);
    const started = await putOnRecord(driver, [{ runId: randomUUID(), workerId, jobs: group }]);
    expect(group.map(({ id }) => id)).toEqual([poison.id, fresh.id]);
    expect(started).toEqual([{ id: poison.id, earlierRuns: 1, crashes: 1 }]);
  });

  test('a run that was released is no crash', async ({ driver, reader, put, anchor, hold }) => {
    const { publicId } = await put();
    const { workerId } = await anchor();
    const { held, job } = await hold();
    const runId = randomUUID();
    await putOnRecord(driver, [{ runId, workerId, jobs: [job] }]);
    await held.release({ runId, jobs: [job.id] });
    const [record] = await reader.runs(publicId);
    expect(record).toMatchObject({ runId, outcome: 'release' });
    expect(record?.finishedAt).toBeInstanceOf(Date);
    await hold();
    const again = await putOnRecord(driver, [{ runId: randomUUID(), workerId, jobs: [job] }]);
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
    for (const end of ['release', 'retry', 'complete'] as const) {
      const { held, job } = await hold();
      const runId = randomUUID();
      await putOnRecord(driver, [{ runId, workerId, jobs: [job] }]);
      // A worker that has not noticed yet that its claim was lost.
      await putOnRecord(driver, [{ runId: randomUUID(), workerId, jobs: [job] }]);
      if (end === 'release') await held.release({ runId, jobs: [job.id] });
      else {
        await held.settle([settlement(job, { runId, event: end })]);
        await held.commit();
      }
      const records = await reader.runs(publicId);
      expect(records.find((record) => record.runId === runId)).toMatchObject({ outcome: end });
    }
  });

  test('a release without the claim leaves a record as whoever has the claim since has ended it', async ({
    driver,
    reader,
    put,
    anchor,
    claimSession,
    claim,
    hold,
  }) => {
    const { publicId } = await put();
    const { workerId } = await anchor();
    const { held, job } = await hold();
    const runId = randomUUID();
    await putOnRecord(driver, [{ runId, workerId, jobs: [job] }]);
    await held.rollback();
    const next = await hold();
    const started = await putOnRecord(driver, [{ runId: randomUUID(), workerId, jobs: [job] }]);
    expect(started).toEqual([{ id: job.id, earlierRuns: 1, crashes: 1 }]);
    await claimSession().release({ runId, jobs: [job.id] });
    const records = await reader.runs(publicId);
    expect(records.find((record) => record.runId === runId)).toMatchObject({ outcome: 'reclaim' });
    await next.held.rollback();
    const last = claimSession();
    await until('the job is claimable again', () => claim(last));
    const again = await putOnRecord(driver, [{ runId: randomUUID(), workerId, jobs: [job] }]);
    expect(again).toEqual([{ id: job.id, earlierRuns: 2, crashes: 2 }]);
  });

  test('a claim that is lost is not released', async ({ reader, put, anchor, process, hold }) => {
    const { publicId } = await put();
    const { workerId } = await anchor();
    const dying = await process();
    const { held, job } = await hold({}, dying.driver);
    const runId = randomUUID();
    await putOnRecord(dying.driver, [{ runId, workerId, jobs: [job] }]);
    await dying.disconnect();
    await expect(held.release({ runId, jobs: [job.id] })).rejects.toMatchObject({
      code: 'ConnectionLost',
    });
    expect(await reader.runs(publicId)).toMatchObject([{ runId, outcome: null }]);
  });

  test('every earlier run is counted: released, settled and crashed', async ({
    driver,
    put,
    anchor,
    process,
    claimSession,
    claim,
    hold,
  }) => {
    const job = await put();
    const { id } = job;
    const { workerId } = await anchor();
    const start = async (runId: string) => {
      const [started] = await putOnRecord(driver, [{ runId, workerId, jobs: [job] }]);
      return [started?.earlierRuns ?? 0, started?.crashes ?? 0];
    };
    const released = await hold();
    const first = randomUUID();
    expect(await start(first)).toEqual([0, 0]);
    await released.held.release({ runId: first, jobs: [id] });

    const retried = await hold();
    const second = randomUUID();
    expect(await start(second)).toEqual([1, 0]);
    await retried.held.settle([settlement(retried.job, { runId: second, event: 'retry' })]);
    await retried.held.commit();

    const dying = await process();
    await hold({}, dying.driver);
    expect(await start(randomUUID())).toEqual([2, 0]);
    await dying.kill();
    const held = claimSession();
    await until('the job is claimable again', () => claim(held));
    expect(await start(randomUUID())).toEqual([3, 1]);
  });

  test('a run that was settled is no crash, however it ended', async ({ driver, put, anchor, hold }) => {
    const { id } = await put();
    const { workerId } = await anchor();
    for (const [earlierRuns, event] of (['retry', 'snooze', 'retry'] as const).entries()) {
      const { held, job } = await hold();
      const runId = randomUUID();
      const started = await putOnRecord(driver, [{ runId, workerId, jobs: [job] }]);
      expect(started).toEqual(earlierRuns === 0 ? [] : [{ id, earlierRuns, crashes: 0 }]);
      await held.settle([settlement(job, { runId, event })]);
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
    expect(await view(job)).toMatchObject({ status: 'new', runId: null, worker: null, startedAt: null });
    const { workerId } = await anchor(driver, { name: 'worker 7' });
    const { held } = await hold();
    const runId = randomUUID();
    await putOnRecord(driver, [{ runId, workerId, jobs: [job] }]);
    const running = await view(job);
    expect(running).toMatchObject({ status: 'in-progress', runId, worker: 'worker 7', finishedAt: null });
    expect(running.startedAt).toBeInstanceOf(Date);
    await held.settle([settlement(job, { runId, output: 'done' })]);
    await held.commit();
    expect(await view(job)).toMatchObject({ status: 'complete', runId, worker: null, output: 'done' });
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
    await putOnRecord(driver, [{ runId: randomUUID(), workerId, jobs: [job] }]);
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
    const runId = randomUUID();
    await putOnRecord(driver, [{ runId, workerId, jobs: [job] }]);
    await held.settle([settlement(job, { runId, event: 'retry', delayMs: 60_000 })]);
    await held.commit();
    expect(await view(job)).toMatchObject({ status: 'new', runId, worker: null, attempt: 1 });
  });
});
