import { randomUUID } from 'node:crypto';
import type { RecordedJob } from '@rowlock/core/driver';
import { expect } from 'vitest';
import { putOnRecord } from '../put-on-record.js';
import { settlement } from '../stage.js';
import { theme } from '../theme.js';
import { until } from '../until.js';

/** Runs of several jobs may be on record together until they end: each job has a record of its own all the same. */
export const openRuns = theme('open runs', (test) => {
  test('a crash of a run of several jobs is counted for each of them, once, by whoever comes to it', async ({
    driver,
    reader,
    putMany,
    anchor,
    process,
    claimSession,
    claimMany,
  }) => {
    const rows = await putMany([{}, {}, {}]);
    const { workerId } = await anchor();
    const dying = await process();
    const claimed = await claimMany(claimSession(dying.driver), 3);
    await putOnRecord(dying.driver, [{ runId: randomUUID(), workerId, jobs: claimed }]);
    await dying.kill();

    const [first, ...others] = claimed;
    if (first === undefined) throw new Error('Nothing was claimed.');
    const one = claimSession();
    await until('a job is claimable', async () => (await claimMany(one, 1)).length > 0);
    const runId = randomUUID();
    expect(await putOnRecord(driver, [{ runId, workerId, jobs: [first] }])).toEqual([
      { id: first.id, earlierRuns: 1, crashes: 1 },
    ]);
    const several = claimSession();
    const rest = others.map(({ id }) => id);
    expect((await claimMany(several, 3)).map(({ id }) => id)).toEqual(rest);
    const started = await putOnRecord(driver, [{ runId: randomUUID(), workerId, jobs: others }]);
    expect(started.toSorted((a, b) => Number(a.id - b.id))).toEqual(
      rest.map((id) => ({ id, earlierRuns: 1, crashes: 1 })),
    );
    for (const { publicId } of rows) {
      const outcomes = (await reader.runs(publicId)).map(({ outcome }) => outcome);
      expect(outcomes).toEqual(['reclaim', null]);
    }
    await one.settle([settlement(first, { runId })]);
    await one.commit();
    expect((await reader.runs(rows[0]?.publicId ?? '')).map(({ outcome }) => outcome)).toEqual([
      'reclaim',
      'complete',
    ]);
  });

  test('runs of several jobs whose ids lie between each other are none of each other', async ({
    driver,
    reader,
    putMany,
    anchor,
    process,
    claimSession,
    claimMany,
    view,
  }) => {
    const rows = await putMany([{ kind: 'a' }, { kind: 'b' }, { kind: 'a' }, { kind: 'b' }]);
    const dying = await process();
    const [mine, theirs] = [claimSession(), claimSession(dying.driver)];
    const own = await claimMany(mine, 2, { kinds: ['a'] });
    const other = await claimMany(theirs, 2, { kinds: ['b'] });
    const [{ workerId }, doomed] = [await anchor(), await anchor(dying.driver)];
    const run = (jobs: readonly RecordedJob[], workerId: string) => ({ runId: randomUUID(), workerId, jobs });
    const [ownRun, otherRun] = [run(own, workerId), run(other, doomed.workerId)];
    expect(await putOnRecord(driver, [ownRun])).toEqual([]);
    expect(await putOnRecord(dying.driver, [otherRun])).toEqual([]);
    const seen = await Promise.all(rows.map(async (row) => (await view(row)).runId));
    const [a, b] = [ownRun.runId, otherRun.runId];
    expect(seen).toEqual([a, b, a, b]);
    await dying.kill();
    await mine.settle(
      own.map((job, place) =>
        settlement(job, { runId: a, event: place === 0 ? 'complete' : 'retry', delayMs: 60_000 }),
      ),
    );
    await mine.commit();
    const after = claimSession();
    await until('the others are claimable', async () => {
      const found = await claimMany(after, 2, { kinds: ['a', 'b'] });
      return found.length === 2;
    });
    const again = await putOnRecord(driver, [run(other, workerId)]);
    expect(again.toSorted((x, y) => Number(x.id - y.id))).toEqual(
      other.map(({ id }) => ({ id, earlierRuns: 1, crashes: 1 })),
    );
    const records = rows.map(async ({ publicId }) =>
      (await reader.runs(publicId)).map(({ outcome }) => outcome),
    );
    expect(await Promise.all(records)).toEqual([
      ['complete'],
      ['reclaim', null],
      ['retry'],
      ['reclaim', null],
    ]);
  });

  test('progress that a run of several jobs noted of one outlasts it', async ({
    driver,
    reader,
    putMany,
    anchor,
    claimSession,
    claimMany,
    view,
  }) => {
    const rows = await putMany([{}, {}, {}]);
    const { workerId } = await anchor();
    const held = claimSession();
    const jobs = await claimMany(held, 3);
    const runId = randomUUID();
    await putOnRecord(driver, [{ runId, workerId, jobs }]);
    for (const [place, progress] of ['begun', 'half'].entries()) {
      for (const job of jobs.slice(place)) await driver.claims.noteRun({ runId, jobs: [job.id] }, progress);
    }
    const progress = () => Promise.all(rows.map(async (row) => (await view(row)).progress));
    expect(await progress()).toEqual(['begun', 'half', 'half']);
    const events = ['complete', 'complete', 'retry'] as const;
    await held.settle(
      jobs.map((job, place) => settlement(job, { runId, event: events[place] ?? 'complete' })),
    );
    await held.commit();
    expect(await progress()).toEqual(['begun', 'half', 'half']);
    const records = rows.map(async ({ publicId }) =>
      (await reader.runs(publicId)).map(({ outcome }) => outcome),
    );
    expect(await Promise.all(records)).toEqual([['complete'], ['complete'], ['retry']]);
    await driver.claims.noteRun({ runId, jobs: jobs.map(({ id }) => id) }, 'too late');
    expect((await progress())[2]).toBe('half');
  });
});
