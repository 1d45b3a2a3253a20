import { randomUUID } from 'node:crypto';
import { STATES, type State } from '@rowlock/core';
import {
  type ClaimSession,
  type ClientEvent,
  isLegal,
  type Job,
  type SettlingEvent,
  TRANSITIONS,
} from '@rowlock/core/driver';
import { expect } from 'vitest';
import type { JobChange, JobRow } from '../driver-harness.js';
import { moveOne } from '../move-one.js';
import { putOnRecord } from '../put-on-record.js';
import { type Stage, settlement } from '../stage.js';
import { theme } from '../theme.js';
import { until } from '../until.js';

const CLIENT_EVENTS = ['cancel', 'redrive'] as const satisfies readonly ClientEvent[];
const SETTLING_EVENTS = [
  'complete',
  'fail',
  'retry',
  'snooze',
  'release',
  'exhaust',
  'abandon',
] as const satisfies readonly SettlingEvent[];

const ERROR = { code: 'E', message: 'It failed.' };

/** A job in a state, and who holds it if that is what the state means. */
interface Situation<Tx> {
  readonly row: JobRow;
  readonly holder: { readonly held: ClaimSession<Tx>; readonly job: Job } | undefined;
}

/** Brings a job into a state by legal events alone. */
async function bringTo<Tx>(stage: Stage<Tx>, state: State): Promise<Situation<Tx>> {
  const job = await stage.put({ maxAttempts: 4 });
  switch (state) {
    case 'new':
      break;
    case 'in-progress':
      return { row: job, holder: await stage.hold() };
    case 'complete':
      await stage.serve({ event: 'complete', attempt: 2, crashes: 1, output: 'done' });
      break;
    case 'error':
      await stage.serve({ event: 'fail', attempt: 4, crashes: 1, error: ERROR });
      break;
    case 'cancelled':
      await stage.serve({ event: 'abandon', attempt: 2, crashes: 1, error: ERROR });
      break;
  }
  return { row: await stage.row(job), holder: undefined };
}

export const lifecycle = theme('lifecycle', (test) => {
  for (const state of STATES) {
    test(`claim of a job that is ${state} is ${legality('claim', state)}`, async (stage) => {
      const { row } = await bringTo(stage, state);
      const claimed = await stage.claim(stage.claimSession());
      expect(claimed?.id).toBe(isLegal('claim', state) ? row.id : undefined);
      expect(await stage.row(row)).toEqual(row);
    });

    for (const event of SETTLING_EVENTS) {
      test(`${event} of a job that is ${state} is ${legality(event, state)}`, async (stage) => {
        const { row, holder } = await bringTo(stage, state);
        const held = holder?.held ?? stage.claimSession();
        const change = {
          event,
          output: event === 'complete' ? 'out' : null,
          error: event === 'fail' ? ERROR : null,
        };
        const error = event === 'exhaust' ? ERROR : change.error;
        const written = await held.settle([settlement(row, { ...change, error })]);
        await held.commit();
        if (isLegal(event, state)) {
          expect(written).toEqual([row.id]);
          expect((await stage.row(row)).status).toBe(TRANSITIONS[event].to);
        } else {
          expect(written).toEqual([]);
          expect(await stage.row(row)).toEqual(row);
        }
      });
    }

    for (const event of CLIENT_EVENTS) {
      test(`${event} of a job that is ${state} is ${legality(event, state)}`, async (stage) => {
        const { row, holder } = await bringTo(stage, state);
        const moved = await moveOne(stage.driver, event, row.publicId);
        if (isLegal(event, state)) {
          expect(moved).toEqual({ outcome: 'moved' });
          expect((await stage.row(row)).status).toBe(TRANSITIONS[event].to);
          return;
        }
        // A job that is held is `new` in the table: a cancel can only be passed on, a redrive does not start there.
        const held = {
          cancel: { outcome: 'running', redrives: 0 },
          redrive: { outcome: 'illegal', status: 'new' },
        } as const;
        expect(moved).toEqual(holder === undefined ? { outcome: 'illegal', status: state } : held[event]);
        expect(await stage.row(row)).toEqual(row);
      });
    }
  }

  test('release: a rollback makes the job new again', async (stage) => {
    const { row, holder } = await bringTo(stage, 'in-progress');
    await holder?.held.rollback();
    expect(await stage.row(row)).toEqual(row);
    expect((await stage.hold()).job.id).toBe(row.id);
  });

  test('reclaim: the death of the holder makes the job new again', async (stage) => {
    const row = await stage.put();
    const dying = await stage.process();
    await stage.hold({}, dying.driver);
    await dying.kill();
    const held = stage.claimSession();
    expect((await until('the job is claimable again', () => stage.claim(held))).id).toBe(row.id);
    expect(await stage.row(row)).toEqual(row);
  });

  for (const state of ['error', 'cancelled'] as const) {
    test(`redrive of a job that is ${state} gives it all its attempts again`, async (stage) => {
      const { row } = await bringTo(stage, state);
      const from = (await stage.reader.now()).getTime();
      expect(await moveOne(stage.driver, 'redrive', row.publicId)).toEqual({ outcome: 'moved' });
      const to = (await stage.reader.now()).getTime();
      const after = await stage.row(row);
      expect(after).toMatchObject({
        id: row.id,
        status: 'new',
        attempt: 0,
        maxAttempts: 4,
        error: null,
        finishedAt: null,
        finishedBy: null,
      });
      expect(after.availableAt.getTime()).toBeGreaterThanOrEqual(from - 1);
      expect(after.availableAt.getTime()).toBeLessThanOrEqual(to + 1);
      expect((await stage.hold()).job).toMatchObject({ id: row.id, attempt: 0 });
    });
  }

  test('redrive does not count the crashes of before as attempts', async ({
    driver,
    put,
    anchor,
    process,
    claimSession,
    hold,
    claim,
    row,
  }) => {
    const job = await put();
    const { workerId } = await anchor();
    const dying = await process();
    await hold({}, dying.driver);
    await putOnRecord(driver, [{ runId: randomUUID(), workerId, jobs: [job] }]);
    await dying.kill();
    const held = claimSession();
    const again = await until('the job is claimable again', () => claim(held));
    const runId = randomUUID();
    const [started] = await putOnRecord(driver, [{ runId, workerId, jobs: [job] }]);
    expect(started?.crashes).toBe(1);
    const counts = { attempt: 1, crashes: 1 };
    await held.settle([settlement(again, { runId, event: 'exhaust', ...counts, error: ERROR })]);
    await held.commit();

    await moveOne(driver, 'redrive', job.publicId);
    expect(await row(job)).toMatchObject({ attempt: 0, crashes: 1 });
    await hold();
    const [next] = await putOnRecord(driver, [{ runId: randomUUID(), workerId, jobs: [job] }]);
    // Core counts the crashes beyond those that the row has counted: there are none.
    expect(next?.crashes).toBe(1);
  });

  for (const [runs, jobs] of [
    ['one job', 1],
    ['several', 3],
  ] as const) {
    test(`redrive does not count crashes that were not settled either: of a run of ${runs}`, async ({
      driver,
      putMany,
      anchor,
      row,
    }) => {
      const rows = await putMany(Array.from({ length: jobs }, () => ({})));
      const ids = rows.map(({ id }) => id);
      const { workerId } = await anchor();
      const runId = randomUUID();
      await putOnRecord(driver, [{ runId, workerId, jobs: rows }]);
      // Of a run of several this job alone has a record then, besides the run's.
      await driver.claims.noteRun({ runId, jobs: ids.slice(0, 1) }, 0.5);
      for (const { publicId } of rows) {
        await moveOne(driver, 'cancel', publicId);
        expect(await moveOne(driver, 'redrive', publicId)).toEqual({ outcome: 'moved' });
        expect(await row({ publicId })).toMatchObject({ attempt: 0, crashes: 1 });
      }
      const started = await putOnRecord(driver, [{ runId: randomUUID(), workerId, jobs: rows }]);
      expect(started.map(({ crashes }) => crashes)).toEqual(rows.map(() => 1));
    });
  }

  test('cancel says when the job ended, and where', async ({ driver, reader, put, row }) => {
    const job = await put({ available: { inMs: 3_600_000 } });
    const from = (await reader.now()).getTime();
    await moveOne(driver, 'cancel', job.publicId);
    const to = (await reader.now()).getTime();
    const after = await row(job);
    expect(after).toEqual({
      ...job,
      status: 'cancelled',
      finishedAt: expect.any(Date),
      finishedBy: expect.any(String),
    });
    expect(after.finishedAt?.getTime()).toBeGreaterThanOrEqual(from - 1);
    expect(after.finishedAt?.getTime()).toBeLessThanOrEqual(to + 1);
  });

  const at = new Date('2024-01-02T03:04:05.678Z');
  const NONSENSE: readonly (readonly [what: string, state: State, change: JobChange])[] = [
    ['an unknown state', 'new', { status: 'paused' }],
    ['a state in capitals', 'new', { status: 'NEW' }],
    ['an empty state', 'new', { status: '' }],
    ['no state', 'new', { status: null }],
    ['complete without an end', 'new', { status: 'complete' }],
    ['error without an end', 'new', { status: 'error', error: ERROR }],
    ['error without an error', 'new', { status: 'error', finishedAt: at }],
    ['cancelled without an end', 'new', { status: 'cancelled' }],
    ['new with an end', 'new', { finishedAt: at }],
    ['new again, and still with an end', 'complete', { status: 'new' }],
    ['settled, and its end taken away', 'complete', { finishedAt: null }],
    ['in progress by nobody', 'new', { status: 'in-progress' }],
    ['fewer than no attempts', 'new', { attempt: -1 }],
    ['fewer than no crashes', 'new', { crashes: -1 }],
    ['no attempt allowed', 'new', { maxAttempts: 0 }],
    ['a priority beyond the range', 'new', { priority: 32_768 }],
    ['no queue', 'new', { queue: null }],
    ['an empty queue', 'new', { queue: '' }],
    ['no kind', 'new', { kind: null }],
    ['an empty kind', 'new', { kind: '' }],
    ['an empty key', 'new', { key: '' }],
    ['a key that is too long', 'new', { key: 'k'.repeat(513) }],
    ['no time', 'new', { availableAt: null }],
    ['metadata that is not an object', 'new', { metadata: [1] }],
  ];
  for (const [what, state, change] of NONSENSE) {
    test(`the table refuses ${what}`, async (stage) => {
      const { row } = await bringTo(stage, state);
      await expect(stage.reader.write(row.publicId, change)).rejects.toThrow();
      expect(await stage.row(row)).toEqual(row);
    });
  }

  test('the table refuses a public id that is taken', async ({ reader, putMany, row }) => {
    const [one, other] = await putMany([{}, {}]);
    await expect(reader.write(one?.publicId ?? '', { publicId: other?.publicId ?? '' })).rejects.toThrow();
    expect(await row(other ?? { publicId: '' })).toEqual(other);
  });
});

function legality(event: keyof typeof TRANSITIONS, state: State): string {
  return isLegal(event, state) ? 'legal' : 'illegal and changes nothing';
}
