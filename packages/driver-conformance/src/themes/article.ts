import { randomUUID } from 'node:crypto';
import { complete, defineHandler, isDriverError, STATES } from '@rowlock/core';
import {
  type ClaimSession,
  type Entities,
  isSettled,
  type Job,
  type JobId,
  type Line,
} from '@rowlock/core/driver';
import { expect } from 'vitest';
import type { JobRow } from '../driver-harness.js';
import { START, type Stage, settlement } from '../stage.js';
import { theme } from '../theme.js';
import { until, within } from '../until.js';
import { AnyJson, openWorker, startWorker } from '../worker-process.js';

/**
 * The example of "Implementing a Distributed Lock State Machine" (2018), "Detailed explanation example": the
 * table of its picture, and what its two processes meet there, step by step.
 */
export const article = theme('article', (test) => {
  test('B finds what A has locked, is refused twice, skips what is complete and groups the rest', async (stage) => {
    const { a, b, rows, at, statuses } = await picture(stage);

    // "Process A is awakened. It locates the first row where the request_status is new."
    await a.begin();
    expect((await a.find())?.id).toBe(at(1));

    // "Since Process A has already locked the first row, the first row is skipped and it finds the second row."
    await b.begin();
    expect((await b.find())?.id).toBe(at(2));

    // "Process B receives a row-lock exception. Thus, Process B performs a ROLLBACK and advances its line to 2."
    await b.isRefused();
    expect(b.line.id).toBe(at(2));
    expect(await stage.row(rows[1] ?? rows[0])).toEqual(rows[1]);

    // "Process B then iterates and finds the next row, identity 3. Again Process B must abort."
    await b.begin();
    expect((await b.find())?.id).toBe(at(3));
    await b.isRefused();
    expect(b.line.id).toBe(at(3));

    // "On the next iteration it skips identity 4 because it is already complete. It then discovers identity 5."
    await b.begin();
    expect((await b.find())?.id).toBe(at(5));

    // "Process B successfully validates the create request is complete and locks all the related updates."
    expect(await b.checkCreate()).toBeUndefined();
    expect((await b.group()).map(({ id }) => id)).toEqual([at(5), at(7)]);
    const processB = await b.settle();
    expect(await statuses()).toEqual(['new', 'new', 'new', 'complete', 'complete', 'new', 'complete', 'new']);

    // "Both those processes will iterate through the remainder of the table."
    await b.begin();
    expect((await b.find())?.id).toBe(at(6));
    expect((await b.group()).map(({ id, kind }) => [id, kind])).toEqual([
      [at(6), 'create'],
      [at(8), 'update'],
    ]);

    await a.group('create');
    const processA = await a.settle();
    await a.begin();
    expect((await a.find())?.id).toBe(at(2));
    expect(await a.checkCreate()).toBeUndefined();
    expect((await a.group()).map(({ id }) => id)).toEqual([at(2), at(3)]);
    const processA2 = await a.settle();

    await b.settleFirst();
    await b.begin();
    expect((await b.find())?.id).toBe(at(8));
    expect(await b.checkCreate()).toBeUndefined();
    expect((await b.group()).map(({ id }) => id)).toEqual([at(8)]);
    await b.settle();

    expect(await statuses()).toEqual(Array.from({ length: 8 }, () => 'complete'));
    const by = new Map((await stage.reader.jobs(stage.queue)).map(({ id, runId }) => [id, runId]));
    expect([by.get(at(5)), by.get(at(7))]).toEqual([processB, processB]);
    expect([by.get(at(1)), by.get(at(2)), by.get(at(3))]).toEqual([processA, processA2, processA2]);
  });

  test('while A creates, B comes to the end; after a reset of its line it serves what it skipped', async (stage) => {
    const { a, b, at, statuses } = await picture(stage);
    await a.begin();
    expect((await a.find())?.id).toBe(at(1));

    const skipped: JobId[] = [];
    const served: JobId[][] = [];
    for (;;) {
      await b.begin();
      const found = await b.find();
      if (found === undefined) break;
      const group = await b.tryGroup();
      if (group === undefined) {
        skipped.push(found.id);
        await b.giveBack();
        continue;
      }
      served.push(group.map(({ id }) => id));
      if (found.kind === 'create') await b.settleFirst();
      else await b.settle();
    }
    await b.giveBack();
    expect(skipped).toEqual([at(2), at(3)]);
    // Green's create goes first and alone; the same sweep meets its update later, beyond the line.
    expect(served).toEqual([[at(5), at(7)], [at(6), at(8)], [at(8)]]);
    expect(await statuses()).toEqual([
      'new',
      'new',
      'new',
      'complete',
      'complete',
      'complete',
      'complete',
      'complete',
    ]);

    // "The line-in-the-sand will reset to its initial value": A is not done yet, and B is refused once more.
    b.resetLine();
    await b.begin();
    expect((await b.find())?.id).toBe(at(2));
    await b.isRefused();

    await a.group('create');
    await a.settle();
    b.resetLine();
    await b.begin();
    expect((await b.find())?.id).toBe(at(2));
    expect(await b.checkCreate()).toBeUndefined();
    expect((await b.group()).map(({ id }) => id)).toEqual([at(2), at(3)]);
    await b.settle();
    expect(await statuses()).toEqual(Array.from({ length: 8 }, () => 'complete'));

    // "Only when it finds zero rows in new status will it enter an idle state."
    b.resetLine();
    await b.begin();
    expect(await b.find()).toBeUndefined();
    await b.giveBack();
  });

  test('A dies while it creates: the row reverts to new, and B serves the whole spreadsheet', async (stage) => {
    const { a, b, at, rows } = await picture(stage);
    await a.begin();
    await a.find();
    await b.begin();
    await b.find();
    await b.isRefused();
    await a.dies();
    b.resetLine();
    await b.begin();
    const found = await until('the first row is claimable again', async () => {
      const job = await b.find();
      if (job?.id === at(1)) return job;
      b.resetLine();
      await b.giveBack();
      await b.begin();
      return undefined;
    });
    expect(await stage.row(found)).toEqual(rows[0]);
    expect((await b.group()).map(({ id }) => id)).toEqual([at(1), at(2), at(3)]);
  });

  test('two workers serve the whole picture: each create first, then its updates in one run', async (stage) => {
    const { queue } = stage;
    const history: { readonly kind: string; readonly jobs: readonly string[] }[] = [];
    const run = (kind: string) =>
      defineHandler({
        kind,
        queue,
        payload: AnyJson,
        group: kind === 'update',
        after: kind === 'update' ? ['create'] : [],
        run: ({ jobs }) => {
          history.push({ kind, jobs: jobs.map(({ publicId }) => publicId) });
          return complete();
        },
      });
    const handlers = [run('create'), run('update')];
    const { rows } = await picture(stage);
    const { worker } = await openWorker(stage, handlers);
    await startWorker(stage, handlers);
    await worker.start();
    await until('everything is served', async () =>
      (await stage.reader.jobs(queue)).every(({ status }) =>
        STATES.some((s) => s === status && isSettled(s)),
      ),
    );
    const ids = rows.map(({ publicId }) => publicId);
    const served = new Set(
      history.map(({ kind, jobs }) => `${kind} ${jobs.map((id) => ids.indexOf(id) + 1)}`),
    );
    expect(served).toEqual(new Set(['create 1', 'update 2,3', 'update 5,7', 'create 6', 'update 8']));
    const order = history.flatMap(({ jobs }) => jobs.map((id) => ids.indexOf(id) + 1));
    expect(order.indexOf(1)).toBeLessThan(order.indexOf(2));
    expect(order.indexOf(6)).toBeLessThan(order.indexOf(8));
  });
});

/** One of the two processes of the picture, moved by hand. */
interface ByHand {
  readonly line: Line;
  begin(): Promise<void>;
  /** The searched UPDATE: the first new row beyond the line that nobody has locked. Moves the line to it. */
  find(): Promise<Job | undefined>;
  /** Locks the found row's siblings, expects the row-lock exception, and rolls back. */
  isRefused(): Promise<void>;
  /** Whether the create of the found row's spreadsheet is still outstanding. */
  checkCreate(): Promise<JobId | undefined>;
  /** All outstanding requests of the found row's spreadsheet. */
  group(onlyKind?: string): Promise<readonly Job[]>;
  tryGroup(): Promise<readonly Job[] | undefined>;
  /** Completes the group as one process id, and commits. */
  settle(): Promise<string>;
  /** Completes only the found row, and commits. */
  settleFirst(): Promise<void>;
  giveBack(): Promise<void>;
  resetLine(): void;
  dies(): Promise<void>;
}

/** The rows, by the colours of their spreadsheets: three red, four blue and green, and A and B. */
async function picture<Tx>(stage: Stage<Tx>) {
  const { putMany, key, reader, queue } = stage;
  const [red, blue, green] = ['red', 'blue', 'green'].map((colour) => `${key}-${colour}`);
  // The fourth row is complete before the others come.
  const request = (kind: string, of: string | undefined) => ({ kind, key: of ?? null });
  const rows = await putMany([
    request('create', red),
    request('update', red),
    request('update', red),
    request('create', blue),
    request('update', blue),
    request('create', green),
    request('update', blue),
    request('update', green),
  ]);
  const [first, second, third, fourth, ...others] = rows;
  if (first === undefined || second === undefined || third === undefined || fourth === undefined) {
    throw new Error('The picture has eight rows.');
  }
  const beyondThird = { line: { priority: 0, id: third.id }, kinds: ['create'] };
  await stage.serve({}, beyondThird);
  expect((await stage.row(fourth)).status).toBe('complete');
  const all: readonly [JobRow, ...JobRow[]] = [first, second, third, fourth, ...others];
  return {
    rows: all,
    /** The id of a row by its number in the picture. */
    at: (number: number): JobId => rows[number - 1]?.id ?? -1n,
    statuses: async () => (await reader.jobs(queue)).map(({ status }) => status),
    a: await byHand(stage),
    b: await byHand(stage),
  };
}

async function byHand<Tx>(stage: Stage<Tx>): Promise<ByHand> {
  const { driver, kill } = await stage.process();
  let line = START;
  let open: ClaimSession<Tx> | undefined;
  let found: Job | undefined;
  let grouped: readonly Job[] = [];

  const current = (): { held: ClaimSession<Tx>; job: Job; key: string; entities: Entities } => {
    if (open === undefined || found === undefined) throw new Error('Nothing was found yet.');
    const { queue, key } = found;
    return { held: open, job: found, key: key ?? '', entities: { queue, keys: [key ?? ''] } };
  };
  const settleAll = async (jobs: readonly Job[]): Promise<string> => {
    const { held } = current();
    const runId = randomUUID();
    const settlements = jobs.map((job) => settlement(job, { runId }));
    expect(await held.settle(settlements)).toHaveLength(jobs.length);
    await held.commit();
    return runId;
  };

  return {
    get line() {
      return line;
    },
    async begin() {
      open = stage.claimSession(driver);
      found = undefined;
    },
    async find() {
      if (open === undefined) throw new Error('No transaction is open.');
      found = await within('a claim', stage.claim(open, { kinds: ['create', 'update'], line }));
      if (found !== undefined) line = { priority: found.priority, id: found.id };
      return found;
    },
    async isRefused() {
      const { held, entities } = current();
      const refused = within('the row-lock exception', held.lockSiblings(entities, 100));
      await expect(refused).rejects.toMatchObject({ code: 'LockNotAvailable' });
      await held.rollback();
    },
    checkCreate() {
      const { held, job, key } = current();
      return held.firstOutstanding({ key, kinds: ['create'], before: job.id, except: [] });
    },
    async group(onlyKind) {
      const { held, entities } = current();
      const group = await held.lockSiblings(entities, 100);
      grouped = group.filter(({ kind }) => onlyKind === undefined || kind === onlyKind);
      return grouped;
    },
    async tryGroup() {
      const { held, entities } = current();
      try {
        grouped = await held.lockSiblings(entities, 100);
        return grouped;
      } catch (error) {
        if (isDriverError(error, 'LockNotAvailable')) return undefined;
        throw error;
      }
    },
    settle: () => settleAll(grouped),
    async settleFirst() {
      await settleAll([current().job]);
    },
    async giveBack() {
      await open?.rollback();
    },
    resetLine() {
      line = START;
    },
    dies: kill,
  };
}
