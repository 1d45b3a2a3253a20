import type { State } from '@rowlock/core';
import { type JobFilter, type JobId, listed, OUTSTANDING, type Page, SETTLED } from '@rowlock/core/driver';
import type { Context } from '../context.js';
import { type MysqlTransaction, query } from '../query.js';
import { type Fragment, sql as fragment, joined } from '../values/fragment.js';
import { list } from '../values/list.js';
import { all, conditionsOf, inPage, ofQueueAndKind } from './conditions.js';
import type { Direction } from './statements/selection.js';

/** So many outstanding jobs are read by their indexes, and their ids sorted. Beside more, the newest rows of all jobs are looked at. */
const FEW = 100_000;

/** A look at so few rows costs less than to find out how many are outstanding. If many are, it mostly fills a page. */
const QUICK_LOOK = 1_000;

/** Before the first run. */
const LONG_AGO = '1000-01-01';

interface AliveRow {
  readonly id: string;
  readonly runs_since: string | null;
  readonly [column: string]: unknown;
}

export interface Selected {
  readonly rows: readonly Fragment[];
  readonly conditions: readonly Fragment[];
  /** The last row that is looked at, where the look ends before the rows do. */
  readonly lookedTo: JobId | null;
}

/** What a page of a filter is selected by. @throws DriverError */
export async function select(
  on: MysqlTransaction,
  context: Context,
  filter: JobFilter,
  page: Page,
  use: 'list' | 'count',
): Promise<Selected> {
  const way = await wayTo(on, context, filter, page, use);
  const { queue: _, ...withoutQueue } = filter;
  const others = [
    ...conditionsOf(filter.key === undefined ? filter : withoutQueue),
    ...(way.status === undefined ? [] : await ofStatus(on, context, filter, way.status)),
  ];
  const lookedTo = await lookEnd(on, context, page, way, others.length > 0);
  const looked = lookedTo === null ? [] : [untilIn(page, lookedTo)];
  return { rows: way.rows, conditions: [...inPage(page), ...looked, ...others], lookedTo };
}

/** How the rows of a filter are found. */
interface Way {
  /** Tables with conditions. */
  readonly rows: readonly Fragment[];
  /** The states to select by, where the way itself does not. */
  readonly status: readonly State[] | undefined;
  /** Whether it leads to few rows. Otherwise the rows may have to be bounded. */
  readonly isShort: boolean;
}

async function wayTo(
  on: MysqlTransaction,
  context: Context,
  filter: JobFilter,
  page: Page,
  use: 'list' | 'count',
): Promise<Way> {
  const { publicIds, key } = filter;
  const { sql } = context;
  const states = listed(filter.status);
  const has = (some: readonly State[]): boolean =>
    states === undefined || states.some((each) => some.includes(each));
  if (publicIds !== undefined) {
    const { places, values } = list(publicIds);
    return { status: states, isShort: true, rows: [{ text: sql.selection.jobsByPublicId(places), values }] };
  }
  if (key !== undefined) {
    const parts = [
      ...(has(SETTLED) ? [sql.selection.keptJobs] : []),
      ...(has(OUTSTANDING) ? [sql.selection.outstandingJobs] : []),
    ];
    // With the queue the index is in the order of the ids.
    const inQueue = all(ofQueueAndKind(queueOf(filter)));
    const rows = parts.map((text) => fragment`${{ text, values: [key] }} AND ${inQueue}`);
    return { status: states, isShort: false, rows };
  }
  if (states?.every((each) => each === 'in-progress')) {
    const where = all(ofQueueAndKind(filter));
    const { latest, workers, values } = await heldBy(on, context, where);
    const rows = {
      text: sql.selection.runningJobs(where.text, latest, workers),
      values: [...values, ...where.values],
    };
    return { status: undefined, isShort: true, rows: [rows] };
  }
  if (states !== undefined && !has(SETTLED)) {
    const short = await outstandingWay(on, context, filter, page, use);
    if (short !== undefined) return short;
  }
  if (states?.every((each) => each === 'error' || each === 'cancelled')) {
    const rows = [...new Set(states)].map((each) => ({ text: sql.selection.failedJobs, values: [each] }));
    return { status: undefined, isShort: false, rows };
  }
  return { status: states, isShort: false, rows: [{ text: sql.selection.allJobs, values: [] }] };
}

/** By the indexes of the claim, which say the status: no row is read for it. Undefined where too many are outstanding. */
async function outstandingWay(
  on: MysqlTransaction,
  context: Context,
  filter: JobFilter,
  page: Page,
  use: 'list' | 'count',
): Promise<Way | undefined> {
  const isOfBoth = OUTSTANDING.every((state) => listed(filter.status)?.includes(state));
  const [due, later, leased] = outstandingParts(context, filter);
  const parts = isOfBoth ? [due, later, leased] : [due, later];
  if (!(await isShort(on, context, filter, page, { parts, use }))) return undefined;
  const way = { status: undefined, isShort: true };
  if (isOfBoth) return { ...way, rows: parts };
  const held = await isHeld(on, context, filter);
  return { ...way, rows: parts.map((part) => fragment`${part} AND NOT ${held}`) };
}

/** The condition of the status that operators see. A held job is `new` in its row, and is shown as `in-progress`. */
async function ofStatus(
  on: MysqlTransaction,
  context: Context,
  filter: JobFilter,
  states: readonly State[],
): Promise<readonly Fragment[]> {
  const [only, ...more] = OUTSTANDING.filter((state) => states.includes(state));
  const inRows = [
    ...SETTLED.filter((state) => states.includes(state)),
    ...(only === undefined ? [] : OUTSTANDING),
  ];
  const rows = fragment`job.status IN (${joined(inRows.map((each) => fragment`${each}`))})`;
  if (only === undefined || more.length > 0) return [rows];
  const held = await isHeld(on, context, filter);
  const shown =
    only === 'new'
      ? fragment`(job.status <> 'in-progress' AND (job.status <> 'new' OR NOT ${held}))`
      : fragment`(job.status <> 'new' OR ${held})`;
  return [rows, shown];
}

/** Whether a run holds a job of the filter's queue, kinds and key. */
async function isHeld(on: MysqlTransaction, context: Context, filter: JobFilter): Promise<Fragment> {
  const { key } = filter;
  const where = all([
    ...ofQueueAndKind(filter),
    ...(key === undefined ? [] : [fragment`job.\`key\` = ${key}`]),
  ]);
  const { latest, workers, values } = await heldBy(on, context, where);
  return { text: context.sql.selection.isHeld(where.text, latest, workers), values };
}

/** What `held` reads of live workers, and all of its values. @throws DriverError */
export async function heldBy(
  on: MysqlTransaction,
  { sql, lockPrefix }: Context,
  where: Fragment,
): Promise<{ readonly latest: string; readonly workers: string; readonly values: Fragment['values'] }> {
  const alive = await query<AliveRow>(on, sql.workers.aliveWorkers, [lockPrefix]);
  // Lists must not be empty. No worker has the id 0.
  const known: readonly AliveRow[] = [{ id: '0', runs_since: null }, ...alive];
  const workers = list(known.map(({ id }) => id));
  const latest = joined(
    list(known).values.flatMap((each) => (each === null ? [] : [latestOf(each)])),
    ' OR ',
  );
  return {
    latest: `(${latest.text})`,
    workers: workers.places,
    values: [
      ...latest.values,
      ...where.values,
      ...workers.values,
      ...workers.values,
      ...where.values,
      lockPrefix,
    ],
  };
}

function latestOf({ id, runs_since }: AliveRow): Fragment {
  return fragment`(run.worker_id = ${id} AND run.started_at >= ${runs_since ?? LONG_AGO})`;
}

function queueOf({ queue }: JobFilter): JobFilter {
  return queue === undefined ? {} : { queue };
}

/** The due, the delayed and the leased jobs of the filter's queue. */
function outstandingParts({ sql }: Context, filter: JobFilter): readonly [Fragment, Fragment, Fragment] {
  const { text, values } = all(ofQueueAndKind(queueOf(filter)));
  return [
    { text: sql.selection.dueJobs(text), values },
    { text: sql.selection.laterJobs(text), values },
    { text: sql.selection.leasedJobs(text), values },
  ];
}

/** Whether the outstanding jobs can be read by their indexes: they are few, or the statement ends at its limit. */
async function isShort(
  on: MysqlTransaction,
  context: Context,
  filter: JobFilter,
  page: Page,
  { parts, use }: { readonly parts: readonly Fragment[]; readonly use: 'list' | 'count' },
): Promise<boolean> {
  const { queue, key, status, ...others } = filter;
  if (use === 'count' && Object.keys(others).length === 0) return true;
  if ((page.look ?? Number.POSITIVE_INFINITY) <= QUICK_LOOK) return false;
  return (await countBy(on, context, parts, [], FEW + 1)) <= FEW;
}

/** Counts the rows of these ways that meet the conditions, up to a number. @throws DriverError */
export async function countBy(
  on: MysqlTransaction,
  { sql }: Context,
  rows: readonly Fragment[],
  conditions: readonly Fragment[],
  upTo: number,
): Promise<number> {
  const also = all(conditions);
  const text = rows.map((each) => `(${sql.selection.anyOf(each.text, also.text)})`).join(' UNION ALL ');
  const values = rows.flatMap((each) => [...each.values, ...also.values, String(upTo)]);
  const [found] = await query<{ jobs: string }>(on, sql.selection.countTo(text), [...values, String(upTo)]);
  return Number(found?.jobs ?? 0);
}

/** The last row to look at. Null where the conditions need no bound, or all rows may be looked at. */
async function lookEnd(
  on: MysqlTransaction,
  context: Context,
  page: Page,
  { rows, isShort }: Way,
  isSelective: boolean,
): Promise<JobId | null> {
  const { look } = page;
  if (look === undefined || isShort || !isSelective) return null;
  const direction = directionOf(page);
  const { text, values } = pageBy(context, rows, inPage(page), { limit: look, direction });
  const [found] = await query<{ jobs: string; last: string | null }>(
    on,
    context.sql.selection.lookEnd(text, direction),
    values,
  );
  return found === undefined || Number(found.jobs) < look || found.last === null ? null : BigInt(found.last);
}

/** The rows of a page up to the last one that is looked at. */
function untilIn({ order }: Page, last: JobId): Fragment {
  return order === 'oldest' ? fragment`job.id <= ${String(last)}` : fragment`job.id >= ${String(last)}`;
}

export function directionOf({ order }: Page): Direction {
  return order === 'oldest' ? 'ASC' : 'DESC';
}

/** A page of ids. */
export function pageBy(
  { sql }: Context,
  rows: readonly Fragment[],
  conditions: readonly Fragment[],
  { limit, direction }: { readonly limit: number; readonly direction: Direction },
): Fragment {
  const others = all(conditions);
  const pages = rows.map((each) => ({
    text: sql.selection.pageBy(each.text, others.text, direction),
    values: [...each.values, ...others.values, String(limit)],
  }));
  const [page, ...more] = pages;
  if (page !== undefined && more.length === 0) return page;
  return {
    text: sql.selection.pageOf(pages.map(({ text }) => `(${text})`).join(' UNION ALL '), direction),
    values: [...pages.flatMap(({ values }) => values), String(limit)],
  };
}
