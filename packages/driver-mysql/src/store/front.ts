import {
  type Front,
  type FrontJob,
  type FrontQuestion,
  isSettled,
  NEVER,
  NO_LIMITS,
  type QueuePart,
} from '@rowlock/core/driver';
import type { Context } from '../context.js';
import { type MysqlTransaction, query } from '../query.js';
import { sql as fragment } from '../values/fragment.js';
import { inParts, list } from '../values/list.js';
import { idRows, KEYS } from './given-rows.js';
import { allParts, partValues } from './limited-jobs.js';
import { heldBy } from './selection.js';
import { type HeldRow, named, runOf } from './situation.js';

/** The most parts of a queue that are looked at, and the most of one statement. */
const MOST_PARTS = 1_000;
const PARTS_TOGETHER = 64;

/** The order of the front. */
const [LEASED, DUE, DELAYED] = [0, 1, 2] as const;

interface Identified {
  readonly id: string;
}

/** A job, and its place in the front. */
interface Found extends Identified {
  readonly leg: typeof LEASED | typeof DUE | typeof DELAYED;
  readonly at: number;
  readonly priority: number;
}

interface FrontRow extends HeldRow {
  readonly key: string | null;
  readonly priority: number;
  readonly limits: string;
  readonly due: number;
  readonly available_at: string;
}

/** The jobs at the front of a queue. @throws DriverError */
export async function front(
  on: MysqlTransaction,
  context: Context,
  { queue, limit, after }: FrontQuestion,
): Promise<Front> {
  const { found, isCut } = await frontIds(on, context, queue, limit);
  const page = found.toSorted(inOrder).slice(0, limit);
  const first = await pageRows(on, context, queue, page);
  const shown = [...first, ...(await headsOf(on, context, queue, first))];
  const dependencies = await dependenciesOf(on, context, shown, after);
  const followed = await followedBy(on, context, shown);
  const [clock] = await query<{ now: string }>(on, context.sql.now);
  const ids = new Set(shown.map(({ id }) => id));
  return {
    now: new Date(Number(clock?.now ?? 0)),
    jobs: shown.map((row) => toFrontJob(row, followed, dependencies)),
    more: isCut || found.some(({ id }) => !ids.has(id)),
  };
}

/** The ids of so many jobs and of one more: leased, due and delayed ones. `isCut`: there are more of one set of limits. */
async function frontIds(
  on: MysqlTransaction,
  context: Context,
  queue: string,
  limit: number,
): Promise<{ readonly found: readonly Found[]; readonly isCut: boolean }> {
  const { sql } = context;
  const leased = await query<{ id: string }>(on, sql.frontLeased, [queue, limit + 1]);
  const plain = await dueOf(on, context, [{ queue, limits: NO_LIMITS }], limit + 1);
  const parts = await allParts(on, context, [queue], MOST_PARTS);
  const share = Math.max(1, Math.floor(limit / Math.max(1, parts.length)));
  const limited = await dueOf(on, context, parts, share + 1);
  const shared = limited.flatMap((part) => part.slice(0, share));
  const left = Math.max(0, limit - leased.length - plain.flat().length - shared.length);
  const delayed = await query<{ id: string; at: string }>(on, sql.frontDelayed, [queue, left + 1]);
  return {
    found: [
      ...leased.map(({ id }): Found => ({ id, leg: LEASED, at: 0, priority: 0 })),
      ...[...plain.flat(), ...shared].map(({ id, priority }): Found => ({ id, leg: DUE, at: 0, priority })),
      ...delayed.map(({ id, at }): Found => ({ id, leg: DELAYED, at: Number(at), priority: 0 })),
    ],
    isCut: limited.some((part) => part.length > share),
  };
}

interface DueRow {
  readonly part: number | string;
  readonly id: string;
  readonly priority: number;
}

/** The first jobs of each part. */
async function dueOf(
  on: MysqlTransaction,
  { sql }: Context,
  parts: readonly QueuePart[],
  most: number,
): Promise<readonly (readonly DueRow[])[]> {
  const found: (readonly DueRow[])[] = [];
  for (const some of inParts(parts, PARTS_TOGETHER)) {
    const { given, valuesOf } = partValues(some);
    const rows = await query<DueRow>(on, sql.frontDue(given), valuesOf(most));
    found.push(...some.map((_, place) => rows.filter(({ part }) => Number(part) === place)));
  }
  return found;
}

/** Runs are joined only to the jobs that have one: for each job of a long page, that takes as long as all the rest. */
async function pageRows(
  on: MysqlTransaction,
  context: Context,
  queue: string,
  page: readonly Found[],
): Promise<readonly FrontRow[]> {
  const { sql } = context;
  const { latest, workers, values } = await heldBy(on, context, fragment`job.queue = ${queue}`);
  const held = await query<{ id: string }>(on, sql.frontHeld(latest, workers), values);
  const ids = new Set(held.map(({ id }) => id));
  const hasRun = ({ id, leg }: Found): boolean => leg === LEASED || ids.has(id);
  const waiting = await rowsOf(
    on,
    sql.frontWaiting,
    [],
    page.filter((job) => !hasRun(job)),
  );
  // One may have been leased since.
  const leased = waiting.filter(({ status }) => status === 'in-progress');
  const running = await runningRows(on, context, [...page.filter(hasRun), ...leased]);
  return [...waiting.filter((row) => !leased.includes(row)), ...running];
}

function runningRows(
  on: MysqlTransaction,
  { sql, lockPrefix }: Context,
  jobs: readonly Identified[],
): Promise<readonly FrontRow[]> {
  return rowsOf(on, sql.frontRunning, [lockPrefix], jobs);
}

async function rowsOf(
  on: MysqlTransaction,
  textOf: (ids: string) => string,
  before: readonly string[],
  jobs: readonly Identified[],
): Promise<readonly FrontRow[]> {
  const found: FrontRow[] = [];
  for (const some of inParts(jobs)) {
    const { places, values } = list(some.map(({ id }) => id));
    found.push(...(await query<FrontRow>(on, textOf(places), [...before, ...values])));
  }
  // One may have been settled since its id was read.
  return found.filter(({ status }) => !isSettled(status));
}

/** The first jobs of the keys of these that are not among these. */
async function headsOf(
  on: MysqlTransaction,
  context: Context,
  queue: string,
  rows: readonly FrontRow[],
): Promise<readonly FrontRow[]> {
  const ids = new Set(rows.map(({ id }) => id));
  const keys = [...new Set(rows.flatMap(({ key }) => key ?? []))];
  const missing: Identified[] = [];
  for (const some of inParts(keys)) {
    const given = KEYS.rows(some.map((entity) => ({ entity })));
    const text = context.sql.firstOfKeys(given.text);
    const firsts = await query<{ id: string | null }>(on, text, [queue, ...given.values]);
    missing.push(...firsts.flatMap(({ id }) => (id === null || ids.has(id) ? [] : [{ id }])));
  }
  return runningRows(on, context, missing);
}

/** The public ids of the jobs that go first by `after`, by the ids of these. */
async function dependenciesOf(
  on: MysqlTransaction,
  { sql }: Context,
  rows: readonly FrontRow[],
  after: FrontQuestion['after'],
): Promise<ReadonlyMap<string, string>> {
  const found = new Map<string, string>();
  for (const [kind, first] of Object.entries(after)) {
    const kinds = list(first);
    const own = rows.filter((row) => row.kind === kind && row.key !== null);
    for (const some of inParts(own.map(({ id }) => id))) {
      const given = idRows(some);
      const text = sql.firstOfKinds(kinds.places, given.text);
      const values = [...kinds.values, ...given.values];
      for (const row of await query<{ id: string; dependency: string | null }>(on, text, values))
        if (row.dependency !== null) found.set(row.id, row.dependency);
    }
  }
  return found;
}

/** One of the jobs for which each of these waits by its own `after`, by their public ids. */
async function followedBy(
  on: MysqlTransaction,
  { sql }: Context,
  rows: readonly FrontRow[],
): Promise<ReadonlyMap<string, string>> {
  const found = new Map<string, string>();
  const waiting = rows.filter(({ available_at }) => Number(available_at) >= NEVER.getTime());
  for (const some of inParts(waiting.map(({ public_id }) => public_id))) {
    const { places, values } = list(some);
    const text = sql.firstFollowed(places);
    for (const row of await query<{ public_id: string; followed: string }>(on, text, values))
      found.set(row.public_id, row.followed);
  }
  return found;
}

function toFrontJob(
  row: FrontRow,
  followed: ReadonlyMap<string, string>,
  dependencies: ReadonlyMap<string, string>,
): FrontJob {
  const { key, priority, limits, status } = row;
  return {
    ...named(row),
    id: BigInt(row.id),
    key,
    priority,
    limits,
    status,
    due: Number(row.due) === 1,
    availableAt: new Date(Number(row.available_at)),
    run: runOf(row),
    followed: followed.get(row.public_id) ?? null,
    dependency: dependencies.get(row.id) ?? null,
  };
}

function inOrder(one: Found, other: Found): number {
  return (
    one.leg - other.leg ||
    one.at - other.at ||
    one.priority - other.priority ||
    Number(BigInt(one.id) - BigInt(other.id))
  );
}
