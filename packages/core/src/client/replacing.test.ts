import { expect, test } from 'vitest';
import type { JobFilter } from '../driver/job-filter.js';
import type { JobPage, Updated } from '../driver/jobs.js';
import type { NewJob } from '../job/job.js';
import { enqueueReplacing, type ReplacingParts } from './replacing.js';

const PAYLOAD = { text: 'changed' };

interface Row {
  readonly job: NewJob;
  isRunning: boolean;
  replaced: number;
}

/** The outstanding jobs of a table, in the order of their enqueue. Their places are their public ids. */
class Table {
  readonly rows: Row[] = [];

  /** @param beforeEnqueue What happens between the look and the enqueue of the next call. */
  parts(beforeEnqueue: () => void = () => {}): ReplacingParts {
    return {
      isOwn: () => false,
      store: {
        isJoined: false,
        async wake() {},
        uniqueJobs: async (_kind, keys) => keys.map((key) => this.#idOf(key)),
        update: async (id): Promise<Updated> => {
          const row = this.#row(id);
          if (row.isRunning) return { outcome: 'locked' };
          row.replaced += 1;
          return { outcome: 'updated' };
        },
        list: async ({ publicIds = [] }: JobFilter): Promise<JobPage> =>
          Object({
            jobs: publicIds.map((id) => ({ queue: 'q', key: null, status: this.#statusOf(id) })),
            next: null,
          }),
      },
      enqueue: async (job) => {
        beforeEnqueue();
        if (job.unique !== null && this.#idOf(job.unique.key) !== null)
          return { outcome: 'duplicate', publicId: 'another' };
        this.rows.push({ job, isRunning: false, replaced: 0 });
        return { outcome: 'enqueued', publicId: String(this.rows.length - 1) };
      },
    };
  }

  #idOf(key: string): string | null {
    const place = this.rows.findIndex(({ job }) => job.unique?.key === key);
    return place < 0 ? null : String(place);
  }

  #row(id: string): Row {
    const row = this.rows[Number(id)];
    if (row === undefined) throw new Error(`There is no row ${id}.`);
    return row;
  }

  #statusOf(id: string): string {
    return this.#row(id).isRunning ? 'in-progress' : 'new';
  }
}

function save(change: Partial<NewJob> = {}): NewJob {
  return {
    queue: 'q',
    kind: 'draft.save',
    key: null,
    payload: PAYLOAD,
    priority: 0,
    available: { inMs: 0 },
    maxAttempts: 5,
    unique: { key: 'draft 7', scope: 'outstanding' },
    metadata: {},
    limits: '',
    createdBy: 'test',
    ...change,
  };
}

test('a job without a key gets one of its kind and its unique key, so that the runs of a unique key exclude each other', async () => {
  const table = new Table();
  await enqueueReplacing(table.parts(), save(), {});
  await enqueueReplacing(
    table.parts(),
    save({ key: 'mine', unique: { key: 'other', scope: 'outstanding' } }),
    {},
  );
  const long = { key: 'k'.repeat(512), scope: 'outstanding' } as const;
  await enqueueReplacing(table.parts(), save({ unique: long }), {});
  expect(table.rows.map(({ job }) => job.key)).toEqual([
    'draft.save: draft 7',
    'mine',
    expect.stringMatching(/^[0-9a-f]{64}$/),
  ]);
});

test('of two jobs that wait, because the run ended between two calls, one runs, and one more job follows both', async () => {
  const table = new Table();
  const call = (beforeEnqueue?: () => void) => enqueueReplacing(table.parts(beforeEnqueue), save(), {});
  await call();
  const [run] = table.rows;
  if (run === undefined) throw new Error('Nothing was enqueued.');
  run.isRunning = true;
  // The run ends, and another call enqueues, after this one has seen the run.
  const other = save({ key: 'draft.save: draft 7' });
  const raced = await call(() => void table.rows.splice(0, 1, { job: other, isRunning: false, replaced: 0 }));
  expect(raced.outcome).toBe('follow-up');
  expect(table.rows).toHaveLength(2);
  expect(new Set(table.rows.map(({ job }) => job.key)).size).toBe(1);

  await call();
  expect(table.rows.map(({ replaced }) => replaced)).toEqual([1, 1]);

  // A run of one holds the other, which has its key.
  for (const row of table.rows) row.isRunning = true;
  expect(await call()).toEqual({ outcome: 'follow-up', publicId: '2' });
  expect(table.rows[2]?.job.after).toEqual(['0', '1']);
  expect(await call()).toEqual({ outcome: 'replaced', publicId: '2' });
  expect(table.rows).toHaveLength(3);
});
