import { expect, test } from 'vitest';
import { emptyDatabase, NOTHING } from '../../test/empty-database.js';
import { DriverError } from '../driver/driver-error.js';
import type { JobFilter, Page } from '../driver/job-filter.js';
import type { JobId, JobView } from '../job/job.js';
import { createRowlock } from '../rowlock.js';
import type { ListOptions } from './listing.js';

const JOB: JobView = JSON.parse('{}');

/** A client on a table that has two pages. Each is full, or none has a job. */
function reader(
  isFull = true,
  next: (before: Page['before']) => JobId | null = (before) => (before === null ? 7n : null),
) {
  const { driver } = emptyDatabase({ claim: () => undefined, survey: () => NOTHING });
  const asked: Page['before'][] = [];
  const looks: number[] = [];
  const rowlock = createRowlock({
    driver: {
      ...driver,
      jobs: {
        ...driver.jobs,
        async list(_, { before, limit, look }) {
          asked.push(before);
          looks.push(look ?? 0);
          return { jobs: isFull ? Array.from({ length: limit }, () => JOB) : [], next: next(before) };
        },
      },
    },
  });
  return { rowlock, asked, looks };
}

test('pages are read one after the other, the first without a cursor or with null', async () => {
  const { rowlock, asked } = reader();
  let cursor: string | null = null;
  do {
    ({ cursor } = await rowlock.jobs.list({ cursor }));
  } while (cursor !== null);
  await rowlock.jobs.list();
  expect(asked).toEqual([null, 7n, null]);
});

test('a page that is not full is looked for further on, and not for ever', async () => {
  const { rowlock, asked, looks } = reader(false, (before) => (before ?? 100n) - 1n);
  expect(await rowlock.jobs.list({ kind: 'rare' })).toEqual({
    jobs: [],
    cursor: encoded('r98'),
    stopped: true,
  });
  expect(asked).toEqual([null, 99n]);
  expect(looks).toEqual([1_000, 39_000]);
  looks.length = 0;
  expect(await rowlock.jobs.list({ payload: { a: 1 } })).toMatchObject({ stopped: true });
  expect(looks).toEqual([1_000, 9_000]);
});

const encoded = (text: string) => Buffer.from(text).toString('base64url');

test('the cursor of the highest id is taken', async () => {
  const { rowlock, asked } = reader();
  await rowlock.jobs.list({ cursor: encoded('r9223372036854775807'), queue: 'q', kind: 'k', key: 'a' });
  expect(asked).toEqual([2n ** 63n - 1n]);
});

test.each(['', '7', 7, {}, encoded('r9223372036854775808'), encoded('r-1')])(
  'what is no cursor is refused: %j',
  async (cursor) => {
    const { rowlock, asked } = reader();
    const options: ListOptions = JSON.parse('{}', () => ({ cursor }));
    await expect(rowlock.jobs.list(options)).rejects.toMatchObject({ code: 'ROWLOCK_INVALID_INPUT' });
    expect(asked).toEqual([]);
  },
);

test.each([
  { queue: 'a\0' },
  { queue: '' },
  { kind: '\ud800' },
  { kind: 'k'.repeat(129) },
  { key: 'a\0' },
  { key: 'k'.repeat(513) },
  { kind: [] },
  { queue: [] },
  { queue: ['q', ''] },
  { status: [] },
  { kind: ['k', ''] },
  { created: {} },
  { settled: { from: new Date(Number.NaN) } },
  { due: { before: new Date(-1) } },
  { error: {} },
  { error: { text: '' } },
  { payload: { a: Array.from({ length: 1 }, () => 1) } },
])('a filter by what no job has is refused: %j', async (given) => {
  // As JavaScript may pass it.
  const filter: JobFilter = Object(given);
  const { rowlock, asked } = reader();
  await expect(rowlock.jobs.list(filter)).rejects.toMatchObject({ code: 'ROWLOCK_INVALID_INPUT' });
  await expect(rowlock.jobs.count(filter)).rejects.toMatchObject({ code: 'ROWLOCK_INVALID_INPUT' });
  expect(asked).toEqual([]);
});

/** A client on a table whose jobs can be redriven, but whose wake-ups cannot be sent. */
function withoutWakeUps() {
  const { driver } = emptyDatabase({
    claim: () => undefined,
    survey: () => NOTHING,
    move: async () => [{ outcome: 'moved' }],
  });
  const lost = new DriverError('ConnectionLost', 'The cable was pulled.');
  const notify = () => Promise.reject(lost);
  const warnings: object[] = [];
  const silent = { debug() {}, info() {}, error() {} };
  const rowlock = createRowlock({
    driver: {
      ...driver,
      workers: { ...driver.workers, notify },
      join: () => ({ ...driver, workers: { ...driver.workers, notify } }),
    },
    log: { ...silent, warn: (fields) => warnings.push(fields) },
  });
  return { rowlock, warnings, lost };
}

const SOME_JOB = '6f0c1e1a-3a53-4a94-9f3e-6a0c8c3f1b11';

test('a job that was redriven is, though its wake-up could not be sent', async () => {
  const { rowlock, warnings, lost } = withoutWakeUps();
  await rowlock.redrive(SOME_JOB);
  expect(warnings).toEqual([{ err: lost }]);
});

test("in a caller's transaction a wake-up that could not be sent fails the redrive: the transaction may be over", async () => {
  const { rowlock, warnings, lost } = withoutWakeUps();
  await expect(rowlock.redrive(SOME_JOB, { tx: {} })).rejects.toBe(lost);
  expect(warnings).toEqual([]);
});

test('a job that is locked for the moment is redriven when it is let go, and one that stays locked is told of as such', async () => {
  const { driver } = emptyDatabase({ claim: () => undefined, survey: () => NOTHING });
  let locked = 2;
  const rowlock = createRowlock({
    driver: {
      ...driver,
      workers: { ...driver.workers, notify: async () => {} },
      jobs: {
        ...driver.jobs,
        move: async () => [locked-- > 0 ? { outcome: 'illegal', status: 'cancelled' } : { outcome: 'moved' }],
      },
    },
  });
  const publicId = '0192f3c4-0000-7000-8000-000000000000';
  await rowlock.redrive(publicId);
  locked = 100;
  await expect(rowlock.redrive(publicId)).rejects.toMatchObject({
    code: 'LockTimeout',
    isRetryable: true,
    message: expect.stringContaining('Try again'),
  });
});

test('a closed Rowlock refuses a call before any other refusal of it', async () => {
  const { rowlock, asked } = reader();
  await rowlock.close();
  const call = JSON.parse('{ "tx": "none" }');
  const calls = [
    rowlock.find('no id', call),
    rowlock.jobs.list({ limit: 0 }, call),
    rowlock.jobs.count({ queue: '' }, call),
    rowlock.cancel('no id', call),
    rowlock.redrive('no id', call),
  ];
  for (const each of await Promise.allSettled(calls))
    expect(each).toMatchObject({ status: 'rejected', reason: { code: 'ROWLOCK_CLOSED' } });
  expect(asked).toEqual([]);
});
