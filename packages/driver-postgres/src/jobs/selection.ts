import type { State } from '@rowlock/core';
import { type JobFilter, type JobId, listed, OUTSTANDING, type Page, SETTLED } from '@rowlock/core/driver';
import type { Context } from '../context.js';
import { answers, type Queryable } from '../query.js';
import { conditionsOf, ofQueueAndKind, ofStatus, Values } from './conditions.js';
import {
  type Direction,
  OUTSTANDING_PARTS,
  type Way as Rows,
  type Selection,
  WAYS,
} from './statements/selection.js';
import { withValue } from './with-value.js';

/** So many outstanding jobs are read by their partial indexes, and their ids sorted. Beside more, the newest rows of all jobs are looked at. */
const FEW = 100_000;

/** A look at so few rows costs less than to find out how many are outstanding. If many are, it mostly fills a page. */
const QUICK_LOOK = 1_000;

export interface Selected {
  readonly selection: Selection;
  readonly values: Values;
  /** The last row that is looked at, where the look ends before the rows do. */
  readonly lookedTo: JobId | null;
}

/**
 * What a page of a filter is selected by. A list has one row more than its page, where there is one. A promise where a
 * statement has to find it out.
 *
 * @throws DriverError
 */
export function select(
  on: Queryable,
  context: Context,
  filter: JobFilter,
  page: Page,
  use: 'list' | 'count',
): Selected | Promise<Selected> {
  return withValue(wayTo(on, context, filter, page, use), (way) =>
    withValue(lookEnd(on, context, filter, page, way), (lookedTo) =>
      selected(context, filter, page, { way, lookedTo, use }),
    ),
  );
}

interface Found extends Pick<Selected, 'lookedTo'> {
  readonly way: Way;
  readonly use: 'list' | 'count';
}

function selected(context: Context, filter: JobFilter, page: Page, { way, lookedTo, use }: Found): Selected {
  const values = new Values(String(context.lockClass.unsigned));
  const direction = directionOf(page);
  const ways = way.spell(values);
  const status = way.status === undefined ? undefined : ofStatus(way.status, values);
  const also = [
    ...inPage(page, values),
    ...(lookedTo === null
      ? []
      : [`job.id ${direction === 'DESC' ? '>=' : '<='} ${values.add(lookedTo, 'bigint')}`]),
    ...conditionsOf(filter, values),
    ...(status === undefined ? [] : [status.text]),
  ];
  const needsRunning = way.isRunning || status?.needsRunning === true;
  const selection = {
    ...{ ways, direction },
    also: ['true', ...also].join(' AND '),
    running: needsRunning ? ['true', ...ofQueueAndKind(filter, values)].join(' AND ') : null,
    limit: values.add(use === 'list' ? page.limit + 1 : page.limit, 'bigint'),
  };
  return { selection, values, lookedTo };
}

/** How the rows of a filter are found. */
interface Way {
  spell(values: Values): readonly Rows[];
  /** The states to select by, where the way itself does not. */
  readonly status: readonly State[] | undefined;
  /** Whether it leads to few rows. Otherwise the rows may have to be bounded. */
  readonly isShort: boolean;
  readonly isRunning: boolean;
}

const RUNNING = { status: undefined, isShort: true, isRunning: true } as const;

function wayTo(
  on: Queryable,
  context: Context,
  filter: JobFilter,
  page: Page,
  use: 'list' | 'count',
): Way | Promise<Way> {
  const { publicIds, key } = filter;
  const states = listed(filter.status);
  const way = { status: states, isShort: false, isRunning: false };
  if (publicIds !== undefined)
    return {
      ...way,
      isShort: true,
      spell: (values) => [inOrder(`job.public_id = ANY(${values.add(publicIds, 'uuid[]')})`)],
    };
  if (key !== undefined) return { ...way, spell: (values) => ofKey(filter, key, values) };
  if (states === undefined || hasAny(states, SETTLED)) return newestOf(states);
  if (!states.includes('new')) return { ...RUNNING, spell: () => [inOrder(context.sql.selection.running)] };
  return withValue(isShort(on, context, filter, page, use), (short) => {
    if (!short) return newestOf(states);
    return { ...way, isShort: true, spell: (values) => outstandingOf(filter, values) };
  });
}

function hasAny(states: readonly State[] | undefined, some: readonly State[]): boolean {
  return states === undefined || states.some((each) => some.includes(each));
}

function ofKey({ queue, status }: JobFilter, key: string, values: Values): readonly Rows[] {
  const part = (by: string) => inOrder(`${by} AND job.key = ${values.add(key, 'text')}`);
  const kept = hasAny(listed(status), SETTLED) ? [part(WAYS.kept)] : [];
  if (!hasAny(listed(status), OUTSTANDING)) return kept;
  // The index has the queue before the id.
  return [...kept, { ...part(WAYS.outstanding), isInOrder: typeof queue === 'string' }];
}

function outstandingOf(filter: JobFilter, values: Values): readonly Rows[] {
  return OUTSTANDING_PARTS.map((part) => ({
    by: [part, ...ofQueueAndKind(ofQueue(filter), values)].join(' AND '),
    isInOrder: false,
  }));
}

/** The newest rows of all, or of what failed or was cancelled. */
function newestOf(states: readonly State[] | undefined): Way {
  const failed = states?.filter((each) => each === 'error' || each === 'cancelled') ?? [];
  const way = { isShort: false, isRunning: false };
  if (failed.length === 0 || failed.length !== states?.length)
    return { ...way, status: states, spell: () => [inOrder(WAYS.all)] };
  const ways = [...new Set(failed)].map((each) => inOrder(WAYS[each]));
  return { ...way, status: undefined, spell: () => ways };
}

function inOrder(by: string): Rows {
  return { by, isInOrder: true };
}

/** Whether the outstanding jobs can be read by their indexes: they are few, or the statement ends at its limit. */
function isShort(
  on: Queryable,
  { sql }: Context,
  filter: JobFilter,
  page: Page,
  use: 'list' | 'count',
): boolean | Promise<boolean> {
  const { queue, key, status, ...others } = filter;
  if (use === 'count' && Object.keys(others).length === 0) return true;
  if ((page.look ?? Number.POSITIVE_INFINITY) <= QUICK_LOOK) return false;
  const values = new Values(String(FEW + 1));
  const also = ['true', ...ofQueueAndKind(ofQueue(filter), values)].join(' AND ');
  return answers<number>(on, sql.selection.countOutstanding(also), values.all).then(
    ([jobs = 0]) => jobs <= FEW,
  );
}

function ofQueue({ queue }: JobFilter): JobFilter {
  return queue === undefined ? {} : { queue };
}

/** The last row to look at. Null where the conditions need no bound, or all rows may be looked at. */
function lookEnd(
  on: Queryable,
  { sql }: Context,
  filter: JobFilter,
  page: Page,
  { spell, status, isShort }: Way,
): JobId | null | Promise<JobId | null> {
  const { look } = page;
  const isSelective = status !== undefined || conditionsOf(filter, new Values()).length > 0;
  if (look === undefined || isShort || !isSelective) return null;
  const values = new Values();
  const ways = spell(values);
  const also = ['true', ...inPage(page, values)].join(' AND ');
  const direction = directionOf(page);
  const text = sql.selection.lookEnd({ ways, direction, also, limit: values.add(look, 'bigint') });
  return answers<readonly [number, string | null]>(on, text, values.all).then(([[rows, last] = [0, null]]) =>
    rows < look || last === null ? null : BigInt(last),
  );
}

function directionOf({ order }: Page): Direction {
  return order === 'oldest' ? 'ASC' : 'DESC';
}

function inPage({ before, after = null }: Page, values: Values): readonly string[] {
  return [
    ...(before === null ? [] : [`job.id < ${values.add(before, 'bigint')}`]),
    ...(after === null ? [] : [`job.id > ${values.add(after, 'bigint')}`]),
  ];
}
