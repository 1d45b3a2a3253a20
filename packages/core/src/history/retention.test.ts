import { expect, test } from 'vitest';
import { DriverError } from '../driver/driver-error.js';
import type { JobEntry } from '../driver/job-filter.js';
import type { State } from '../job/lifecycle.js';
import { type Pruned, prune } from './prune.js';
import { type Retention, RetentionLimits } from './retention.js';

test('what has no rule is kept for ever', () => {
  const limits = new RetentionLimits({ complete: '1s' });
  expect(limits.isOld(entry({ status: 'complete', settledMs: 1_000 }))).toBe(true);
  expect(limits.isOld(entry({ status: 'complete', settledMs: 999 }))).toBe(false);
  expect(limits.isOld(entry({ status: 'error', settledMs: 1e12 }))).toBe(false);
  expect(limits.isOld(entry({ status: 'new', settledMs: null }))).toBe(false);
  expect(limits.keep('q')).toBe(Number.POSITIVE_INFINITY);
  expect(new RetentionLimits({}).any).toBe(false);
  expect(new RetentionLimits({ queues: { q: { keep: 0 } } }).any).toBe(true);
});

test('a queue may differ from the others, rule by rule', () => {
  const limits = new RetentionLimits({
    complete: '1s',
    keep: 5,
    queues: { audit: { complete: null, error: '2s', keep: 7 } },
  });
  expect(limits.isOld(entry({ queue: 'audit', settledMs: 1e12 }))).toBe(false);
  expect(limits.isOld(entry({ queue: 'audit', status: 'error', settledMs: 2_000 }))).toBe(true);
  expect(limits.isOld(entry({ settledMs: 1_000 }))).toBe(true);
  expect([limits.keep('audit'), limits.keep('q')]).toEqual([7, 5]);
});

test('a queue has every general rule that it does not name, so to keep for ever takes `keep: null` too', () => {
  const general = { complete: '7d', error: '30d', cancelled: '7d', keep: 1_000_000 } as const;
  const limits = new RetentionLimits({
    ...general,
    queues: { ages: { complete: null }, audit: { complete: null, keep: null } },
  });
  const complete = { status: 'complete', settledMs: 1e12 } as const;
  expect(limits.isOld(entry({ queue: 'ages', ...complete }))).toBe(false);
  expect(limits.keep('ages')).toBe(1_000_000);
  expect(limits.isOld(entry({ queue: 'audit', ...complete }))).toBe(false);
  expect(limits.keep('audit')).toBe(Number.POSITIVE_INFINITY);
  expect(limits.isOld(entry({ queue: 'audit', status: 'error', settledMs: 1e12 }))).toBe(true);
});

for (const [what, rules] of [
  ['an age that is none', { complete: '7 days' }],
  ['a count that is none', { keep: -1 }],
  ['a name that is misspelt', { completed: '7d' }],
  ['a rule of a queue that is none', { queues: { q: { keep: 1.5 } } }],
] as const) {
  test(`${what} is refused`, () => {
    // As JavaScript would pass it.
    const given: Retention = JSON.parse(JSON.stringify(rules));
    expect(() => new RetentionLimits(given)).toThrow(
      expect.objectContaining({ code: 'ROWLOCK_INVALID_INPUT' }),
    );
  });
}

test('a pass by age takes old jobs in steps, and ends where jobs are too young', async () => {
  const jobs = Array.from({ length: 2_500 }, (_, n) => entry({ id: BigInt(n + 1), age: n < 2_200 ? 10 : 1 }));
  const table = tableOf(jobs);
  const steps = [];
  for await (const step of prune(table.driver, new RetentionLimits({ complete: 10 }))) steps.push(step);
  expect(steps).toEqual([
    { pruned: 1_000, refused: [], line: 1_000n },
    { pruned: 1_000, refused: [], line: 2_000n },
    { pruned: 200, refused: [], line: 2_200n },
  ]);
  expect(table.left()).toHaveLength(300);
});

test('jobs that are refused hold up no other ones, and are named', async () => {
  const jobs = Array.from({ length: 1_200 }, (_, n) => entry({ id: BigInt(n + 1), age: 10 }));
  const table = tableOf(jobs);
  const bad = [7n, 500n, 1_100n];
  const { jobs: all, history } = table.driver;
  const driver: Pruned = {
    jobs: all,
    history: {
      async prune(ids, settledMs) {
        if (bad.some((id) => ids.includes(id)))
          throw new DriverError('Unknown', 'A foreign key leads to it.');
        return history.prune(ids, settledMs);
      },
    },
  };
  const refused: bigint[] = [];
  for await (const step of prune(driver, new RetentionLimits({ complete: 10 })))
    refused.push(...(step.refused ?? []).map(({ member }) => member.id));
  expect({ refused, left: table.left() }).toEqual({ refused: bad, left: bad });
});

test('a pass by age begins where it is told to', async () => {
  const table = tableOf(Array.from({ length: 10 }, (_, n) => entry({ id: BigInt(n + 1), age: 10 })));
  for await (const _ of prune(table.driver, new RetentionLimits({ complete: 10 }), 6n));
  expect(table.left()).toEqual([1n, 2n, 3n, 4n, 5n, 6n]);
});

test('a pass by count keeps the newest settled ones of each queue, over all its steps', async () => {
  const jobs = Array.from({ length: 3_000 }, (_, n) =>
    entry({ id: BigInt(n + 1), queue: n % 2 === 0 ? 'even' : 'odd', status: n % 10 === 0 ? 'new' : 'error' }),
  );
  const table = tableOf(jobs);
  const limits = new RetentionLimits({ keep: 700, queues: { odd: { keep: 3 } } });
  for await (const _ of prune(table.driver, limits));
  const left = new Set(table.left());
  const kept = jobs.filter(({ id }) => left.has(id));
  const settled = (queue: string) => kept.filter((job) => job.queue === queue && job.status === 'error');
  expect(kept.filter(({ status }) => status === 'new')).toHaveLength(300);
  expect(settled('even')).toHaveLength(700);
  expect(settled('odd').map(({ id }) => id)).toEqual([2_996n, 2_998n, 3_000n]);
  expect(settled('even')).toEqual(
    jobs.filter(({ queue, status }) => queue === 'even' && status === 'error').slice(-700),
  );
});

test('what is removed must have been settled at least as long as the youngest of its step', async () => {
  const table = tableOf([entry({ id: 1n, age: 30 }), entry({ id: 2n, age: 20 })]);
  for await (const _ of prune(table.driver, new RetentionLimits({ complete: 10 })));
  expect(table.asked()).toEqual([{ jobs: [1n, 2n], settledMs: 20 }]);
});

interface Given {
  readonly id?: bigint;
  readonly queue?: string;
  readonly status?: State;
  readonly settledMs?: number | null;
  readonly age?: number;
}

function entry({ id = 1n, queue = 'q', status = 'complete', age = 0, settledMs = age }: Given): JobEntry {
  const isOutstanding = status === 'new' || status === 'in-progress';
  return {
    id,
    publicId: String(id),
    queue,
    status,
    createdMs: age,
    settledMs: isOutstanding ? null : settledMs,
  };
}

/** A table of jobs. The test reads only the history. */
function tableOf(given: readonly JobEntry[]) {
  let jobs = [...given];
  const asked: { readonly jobs: readonly bigint[]; readonly settledMs: number }[] = [];
  const driver: Pruned = {
    jobs: {
      async entries(_filter, { order, limit, before, after = null }) {
        const ordered = order === 'oldest' ? jobs : jobs.toReversed();
        const isIn = (id: bigint): boolean =>
          (before === null || id < before) && (after === null || id > after);
        return { jobs: ordered.filter(({ id }) => isIn(id)).slice(0, limit), next: null };
      },
    },
    history: {
      async prune(ids, settledMs) {
        asked.push({ jobs: ids, settledMs });
        const before = jobs.length;
        jobs = jobs.filter(({ id }) => !ids.includes(id));
        return before - jobs.length;
      },
    },
  };
  return { driver, asked: () => asked, left: () => jobs.map(({ id }) => id) };
}
