import { randomUUID } from 'node:crypto';
import { type Settlement, type SettlingEvent, TRANSITIONS } from '@rowlock/core/driver';
import { expect } from 'vitest';
import { putOnRecord } from '../put-on-record.js';
import { createStage, endProcess, settlement } from '../stage.js';
import { theme } from '../theme.js';
import { within } from '../until.js';
import { withWrongClock } from '../wrong-clock.js';

const EVENTS = ['complete', 'fail', 'retry', 'snooze', 'release', 'exhaust', 'abandon'] as const;
const HOUR_MS = 3_600_000;
const ERROR = { code: 'E_SHEET', message: 'The sheet is full.', details: { rows: 10 } } as const;

/** What an event comes with. Core decides these numbers; the driver writes them as they are. */
const GIVEN: Readonly<Record<SettlingEvent, Partial<Settlement>>> = {
  complete: { attempt: 3, crashes: 1, output: { url: 'sheet' } },
  fail: { attempt: 4, crashes: 2, error: ERROR },
  retry: { attempt: 2, crashes: 0, delayMs: HOUR_MS, error: ERROR },
  snooze: { attempt: 1, crashes: 1, delayMs: 2 * HOUR_MS },
  release: { attempt: 1, crashes: 1 },
  exhaust: { attempt: 5, crashes: 5, error: ERROR },
  abandon: { attempt: 1, crashes: 0, error: ERROR },
};

export const settle = theme('settle', (test) => {
  for (const event of EVENTS) {
    test(`${event}: writes the outcome and nothing else`, async ({ key, reader, put, hold, row }) => {
      const before = await put({ key, payload: [1], metadata: { a: 1 }, maxAttempts: 7, priority: 2 });
      const { held, job } = await hold();
      const runId = randomUUID();
      const given = settlement(job, { ...GIVEN[event], runId, event, tookMs: 5_000, by: 'host-b' });
      const from = (await reader.now()).getTime();
      expect(await withWrongClock(() => held.settle([given]))).toEqual([job.id]);
      expect(await row(job), 'nothing is visible before the commit').toEqual(before);
      await held.commit();
      const to = (await reader.now()).getTime();

      const { to: status }: { to: string } = TRANSITIONS[event];
      const after = await row(job);
      const settled = status !== 'new';
      expect(after).toEqual({
        ...before,
        status,
        runId,
        attempt: given.attempt,
        crashes: given.crashes,
        output: given.output,
        error: given.error,
        availableAt: settled ? before.availableAt : expect.any(Date),
        startedAt: expect.any(Date),
        startedBy: 'host-b',
        finishedAt: settled ? expect.any(Date) : null,
        finishedBy: settled ? 'host-b' : null,
      });
      // Rounding to whole milliseconds may go either way.
      const between = (at: Date | null, shift: number): void => {
        expect(at?.getTime()).toBeGreaterThanOrEqual(from + shift - 1);
        expect(at?.getTime()).toBeLessThanOrEqual(to + shift + 1);
      };
      between(after.startedAt, -5_000);
      if (settled) between(after.finishedAt, 0);
      else between(after.availableAt, given.delayMs);
    });
  }

  test('the next claim has the attempts and crashes that were written', async ({ put, serve, hold }) => {
    await put();
    await serve({ event: 'retry', attempt: 3, crashes: 2, delayMs: 0, error: ERROR });
    expect((await hold()).job).toMatchObject({ attempt: 3, crashes: 2, status: 'new' });
  });

  test('a later success clears the error of an earlier attempt', async ({ put, serve, row }) => {
    const job = await put();
    await serve({ event: 'retry', error: ERROR });
    expect((await row(job)).error).toEqual(ERROR);
    await serve({ event: 'complete', attempt: 2, output: 'done' });
    expect(await row(job)).toMatchObject({ status: 'complete', error: null, output: 'done' });
  });

  test('gives each job of a run its own outcome', async ({ queue, key, putMany, hold, row }) => {
    const rows = await putMany(EVENTS.map(() => ({ key })));
    const { held } = await hold();
    const group = await held.lockSiblings({ queue, keys: [key] }, 10);
    const runId = randomUUID();
    const settlements = group.map((job, place) => {
      const event = EVENTS[place] ?? 'complete';
      return settlement(job, { ...GIVEN[event], runId, event });
    });
    const written = await held.settle(settlements);
    expect(new Set(written)).toEqual(new Set(rows.map(({ id }) => id)));
    await held.commit();
    for (const [place, event] of EVENTS.entries()) {
      const after = await row(rows[place] ?? { publicId: '' });
      const { attempt, crashes, output = null, error = null } = GIVEN[event];
      expect(after).toMatchObject({
        status: TRANSITIONS[event].to,
        attempt,
        crashes,
        output,
        error,
        runId,
      });
    }
  });

  test('settles a thousand in one call', async ({ queue, key, driver, newJob, hold, reader }) => {
    await driver.jobs.enqueue(Array.from({ length: 1_000 }, () => newJob({ key })));
    const { held } = await hold();
    const group = await held.lockSiblings({ queue, keys: [key] }, 1_000);
    const settlements = group.map((job, output) => settlement(job, { output }));
    expect(await held.settle(settlements)).toHaveLength(1_000);
    await held.commit();
    const rows = await reader.jobs(queue);
    expect(rows.map(({ output }) => output)).toEqual(group.map((_, place) => place));
  });

  test('locks nothing but its own jobs and their runs, also in tables of a few rows', async (stage) => {
    const database = await stage.createDatabase();
    stage.defer(() => database.close());
    const process = await database.process();
    stage.defer(() => endProcess(process));
    const { driver } = process;
    await driver.schema.migrate();
    const { stage: inner, end } = createStage(database, driver, stage.createDatabase);
    stage.defer(end);
    await inner.putMany([{}, {}, {}]);
    const { workerId } = await inner.anchor();
    const [one, other] = [await inner.hold(), await inner.hold()];
    const [mine, others] = [randomUUID(), randomUUID()];
    await putOnRecord(driver, [{ runId: mine, workerId, jobs: [one.job] }]);
    await putOnRecord(driver, [{ runId: others, workerId, jobs: [other.job] }]);
    // Both transactions stay open over these lines: whatever waits for one of them never comes past.
    const settling = one.held.settle([settlement(one.job, { runId: mine })]);
    expect(await within('the settlement', settling)).toEqual([one.job.id]);
    expect(await inner.claim(inner.claimSession())).toBeDefined();
    await within(
      "the other run's progress",
      driver.claims.noteRun({ runId: others, jobs: [other.job.id] }, 1),
    );
    const settlingOther = other.held.settle([settlement(other.job, { runId: others })]);
    expect(await within('the other settlement', settlingOther)).toEqual([other.job.id]);
  });

  test('takes an empty list', async ({ claimSession }) => {
    expect(await claimSession().settle([])).toEqual([]);
  });

  test('leaves a job that this transaction does not hold', async ({ putMany, hold, row }) => {
    const [, other] = await putMany([{}, {}]);
    const { held, job } = await hold();
    const written = await held.settle([settlement(job), settlement(other ?? job)]);
    expect(written).toEqual([job.id]);
    await held.commit();
    expect(await row(other ?? job)).toEqual(other);
  });

  test('leaves a job that another transaction holds, without waiting for it', async ({
    put,
    hold,
    claimSession,
    row,
  }) => {
    const before = await put();
    const owner = await hold();
    const stranger = claimSession();
    const answer = stranger.settle([settlement(owner.job)]);
    expect(await within("the answer about another's job", answer)).toEqual([]);
    await stranger.commit();
    expect(await row(before)).toEqual(before);
    expect(await owner.held.settle([settlement(owner.job)])).toEqual([before.id]);
    await owner.held.commit();
  });

  test('leaves a job whose claim was given back and is held by another', async ({ put, hold, row }) => {
    const before = await put();
    const first = await hold();
    await first.held.rollback();
    const second = await hold();
    await expect(first.held.settle([settlement(first.job)])).rejects.toMatchObject({
      code: 'TransactionOver',
    });
    await second.held.rollback();
    expect(await row(before)).toEqual(before);
  });

  test('settles a job once', async ({ put, hold, row }) => {
    const { publicId } = await put();
    const { held, job } = await hold();
    const runId = randomUUID();
    expect(await held.settle([settlement(job, { runId, output: 'first' })])).toEqual([job.id]);
    expect(await held.settle([settlement(job, { output: 'second' })])).toEqual([]);
    await held.commit();
    expect(await row({ publicId })).toMatchObject({ output: 'first', runId });
  });

  test('settles a job once, also one that goes back to new', async ({ put, hold, row }) => {
    const { publicId } = await put();
    const { held, job } = await hold();
    const runId = randomUUID();
    expect(await held.settle([settlement(job, { runId, event: 'retry', error: ERROR })])).toEqual([job.id]);
    expect(await held.settle([settlement(job, { runId })])).toEqual([]);
    await held.commit();
    expect(await row({ publicId })).toMatchObject({ status: 'new', error: ERROR, runId });
  });

  test('settled in two calls, each returns its own jobs and ends their runs', async (stage) => {
    const { queue, key, putMany, hold, driver, reader } = stage;
    await putMany([{ key }, { key }]);
    const { held } = await hold();
    const jobs = await held.lockSiblings({ queue, keys: [key] }, 10);
    const [runId, { workerId }] = [randomUUID(), await stage.anchor()];
    await putOnRecord(driver, [{ runId, workerId, jobs }]);
    const settlements = jobs.map((job) => settlement(job, { runId, event: 'fail' }));
    expect(await held.settle(settlements.slice(0, 1))).toEqual([jobs[0]?.id]);
    expect(await held.settle(settlements)).toEqual([jobs[1]?.id]);
    await held.commit();
    for (const { publicId } of jobs) expect(await reader.runs(publicId)).toMatchObject([{ outcome: 'fail' }]);
  });

  test('settles several runs in one call, each by its own name', async (stage) => {
    const { putMany, claimSession, claimMany, driver, reader, row } = stage;
    const rows = await putMany(EVENTS.map(() => ({})));
    const held = claimSession();
    const jobs = await claimMany(held, 10);
    const { workerId } = await stage.anchor();
    const starts = jobs.map((job) => ({ runId: randomUUID(), workerId, jobs: [job] }));
    await putOnRecord(driver, starts);
    const settlements = jobs.map((job, place) => {
      const event = EVENTS[place] ?? 'complete';
      return settlement(job, { ...GIVEN[event], runId: starts[place]?.runId ?? '', event });
    });
    expect(new Set(await held.settle(settlements))).toEqual(new Set(rows.map(({ id }) => id)));
    await held.commit();
    for (const [place, event] of EVENTS.entries()) {
      const { runId } = starts[place] ?? {};
      const job = rows[place] ?? { publicId: '' };
      expect(await row(job)).toMatchObject({ status: TRANSITIONS[event].to, runId });
      expect(await reader.runs(job.publicId)).toMatchObject([{ runId, outcome: event }]);
    }
  });

  test('finish settles and commits in one', async (stage) => {
    const { putMany, claimSession, claimMany, driver, reader, row } = stage;
    const rows = await putMany(EVENTS.map(() => ({})));
    const held = claimSession();
    const jobs = await claimMany(held, 10);
    const { workerId } = await stage.anchor();
    const starts = jobs.map((job) => ({ runId: randomUUID(), workerId, jobs: [job] }));
    await putOnRecord(driver, starts);
    const settlements = jobs.map((job, place) => {
      const event = EVENTS[place] ?? 'complete';
      return settlement(job, { ...GIVEN[event], runId: starts[place]?.runId ?? '', event });
    });
    const { settled, next } = await held.finish(settlements);
    expect(new Set(settled)).toEqual(new Set(rows.map(({ id }) => id)));
    expect(next).toBeNull();
    for (const [place, event] of EVENTS.entries()) {
      const job = rows[place] ?? { publicId: '' };
      const { attempt, crashes, output = null, error = null } = GIVEN[event];
      const { runId } = starts[place] ?? {};
      const status = TRANSITIONS[event].to;
      expect(await row(job)).toMatchObject({ status, attempt, crashes, output, error, runId });
      expect(await reader.runs(job.publicId)).toMatchObject([{ runId, outcome: event }]);
    }
    const over = { name: 'DriverError', code: 'TransactionOver' };
    await expect(held.commit()).rejects.toMatchObject(over);
    expect(held.lost.aborted).toBe(false);
  });

  test('finish lets go of what was claimed and is not settled', async ({
    putMany,
    claimSession,
    claimMany,
    take,
  }) => {
    const [first, second] = await putMany([{}, {}]);
    const held = claimSession();
    const [job] = await claimMany(held, 2);
    const { settled } = await held.finish([settlement(job ?? { id: 0n })]);
    expect(settled).toEqual([first?.id]);
    expect((await take(claimSession())).id).toBe(second?.id);
  });

  test('finish writes nothing unless it writes all', async (stage) => {
    const { putMany, hold, claimSession, claimMany, driver, reader, row } = stage;
    const rows = await putMany([{}, {}, {}]);
    const other = await hold();
    const held = claimSession();
    const jobs = await claimMany(held, 10);
    const { workerId } = await stage.anchor();
    const starts = jobs.map((job) => ({ runId: randomUUID(), workerId, jobs: [job] }));
    await putOnRecord(driver, starts);
    const settlements = [...jobs, other.job].map((job, place) =>
      settlement(job, { runId: starts[place]?.runId ?? randomUUID(), event: 'fail' }),
    );
    const finished = within("the answer about another's job", held.finish(settlements));
    const { settled: written, next } = await finished;
    expect(next).toBeNull();
    expect(written).not.toContain(other.job.id);
    expect(written.length).toBeLessThan(settlements.length);
    for (const before of rows) expect(await row(before)).toEqual(before);
    await held.rollback();
    for (const before of rows) expect(await row(before)).toEqual(before);
    for (const { publicId } of jobs) expect(await reader.runs(publicId)).toMatchObject([{ outcome: null }]);
    expect((await claimMany(claimSession(), 10)).map(({ id }) => id)).toEqual(jobs.map(({ id }) => id));
  });

  test('finish of a claim that is lost writes nothing', async ({ put, process, hold, row }) => {
    const before = await put();
    const dying = await process();
    const { held, job } = await hold({}, dying.driver);
    await dying.disconnect();
    await expect(held.finish([settlement(job)])).rejects.toMatchObject({ code: 'ConnectionLost' });
    expect(await row(before)).toEqual(before);
  });

  test('finishes a thousand, each by a run of its own', async (stage) => {
    const { queue, driver, newJob, claimSession, claimMany, reader } = stage;
    await driver.jobs.enqueue(Array.from({ length: 1_000 }, () => newJob()));
    const held = claimSession();
    const jobs = await claimMany(held, 1_000);
    const settlements = jobs.map((job, output) => settlement(job, { output }));
    expect((await held.finish(settlements)).settled).toHaveLength(1_000);
    const rows = await reader.jobs(queue);
    expect(rows.map(({ output }) => output)).toEqual(jobs.map((_, place) => place));
    expect(rows.map(({ runId }) => runId)).toEqual(settlements.map(({ runId }) => runId));
  });

  test('knows nothing of an id that is not in the table', async ({ claimSession }) => {
    expect(await claimSession().settle([settlement({ id: 2n ** 60n })])).toEqual([]);
  });

  test('rolled back, a settlement has not happened', async ({ put, hold, row }) => {
    const before = await put();
    const { held, job } = await hold();
    await held.settle([settlement(job)]);
    await held.rollback();
    expect(await row(before)).toEqual(before);
    expect((await hold()).job.id).toBe(before.id);
  });
});
