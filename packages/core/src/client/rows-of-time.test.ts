import { expect, test } from 'vitest';
import type { JobFilter, Page } from '../driver/job-filter.js';
import type { JobPage } from '../driver/jobs.js';
import { count, list } from './listing.js';
import { rowsOfTime } from './rows-of-time.js';

const MINUTE_MS = 60_000;
const ROWS = 5_000;

interface Row {
  readonly id: bigint;
  readonly createdAt: Date;
}

/** A job each minute, with gaps between the ids, and times that are not quite in their order. */
const rows: readonly Row[] = Array.from({ length: ROWS }, (_, n) => ({
  id: BigInt(3 * n + 1),
  createdAt: new Date(n * MINUTE_MS + ((n * 7_919) % 50_000)),
}));

/** A table of these rows. It looks at all rows in the order of their ids. */
function table() {
  let reads = 0;
  const select = ({ created }: JobFilter, { limit, before, after = null, order, look = ROWS }: Page) => {
    const below = rows.filter(({ id }) => (before === null || id < before) && (after === null || id > after));
    if (order !== 'oldest') below.reverse();
    const looked = below.slice(0, look);
    reads += Math.min(limit, looked.length);
    const found = looked.filter(
      ({ createdAt }) =>
        (created?.from === undefined || createdAt >= created.from) &&
        (created?.before === undefined || createdAt < created.before),
    );
    const last =
      found.length > limit ? found[limit - 1] : looked.length < below.length ? looked.at(-1) : undefined;
    return { jobs: found.slice(0, limit), next: last?.id ?? null };
  };
  return {
    reads: () => reads,
    list: async (filter: JobFilter, page: Page): Promise<JobPage> => Object(select(filter, page)),
    listIds: async (filter: JobFilter, page: Page) => Object(select(filter, page)),
    count: async (filter: JobFilter, page: Page) => {
      const { jobs, next } = select(filter, page);
      return { count: jobs.length, next: jobs.length < page.limit ? next : null };
    },
  };
}

const minute = (n: number): Date => new Date(n * MINUTE_MS);

test.each([
  [10, 20],
  [0, 1],
  [2_000, 2_040],
  [3_990, 4_010],
  [4_999, 6_000],
  [6_000, 7_000],
])('the jobs of a time are found wherever they are: %i to %i', async (from, before) => {
  const created = { from: minute(from), before: minute(before) };
  const wanted = rows
    .filter(({ createdAt }) => createdAt >= created.from && createdAt < created.before)
    .reverse();
  for (const order of ['newest', 'oldest'] as const) {
    const { jobs, cursor } = await list(table(), { created, limit: 100, order });
    expect(jobs).toEqual(order === 'newest' ? wanted : wanted.toReversed());
    expect(cursor).toBeNull();
  }
  expect(await count(table(), { created })).toEqual({ count: wanted.length, more: false });
});

test('few rows are read on the way, and none without an end', async () => {
  const store = table();
  expect(await rowsOfTime(store, { created: { before: minute(100) } }, 14_000n, 'newest')).toBeLessThan(400n);
  expect(store.reads()).toBeLessThan(30);
  expect(await rowsOfTime(store, { settled: { before: minute(100) } }, 14_000n, 'newest')).toBeLessThan(400n);
  expect(await rowsOfTime(store, { created: { from: minute(4_900) } }, 1_400n, 'newest')).toBeNull();
  expect(await rowsOfTime(store, { settled: { from: minute(4_900) } }, 1_400n, 'newest')).toBe(1_400n);
  expect(await rowsOfTime(store, { kind: 'k' }, 1_400n, 'newest')).toBe(1_400n);
});

test('the oldest come first from the begin of a time on, and none behind its end', async () => {
  const store = table();
  const begin = await rowsOfTime(store, { created: { from: minute(4_900) } }, 1_400n, 'oldest');
  expect(begin).toBeGreaterThan(14_000n);
  expect(store.reads()).toBeLessThan(30);
  expect(await rowsOfTime(store, { created: { before: minute(100) } }, 1_400n, 'oldest')).toBeNull();
  expect(await rowsOfTime(store, { settled: { before: minute(100) } }, 1_400n, 'oldest')).toBeNull();
  expect(await rowsOfTime(store, { created: { before: minute(4_900) } }, 1_400n, 'oldest')).toBe(1_400n);
});
