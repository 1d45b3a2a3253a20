import type { State } from '@rowlock/core';
import { type JobFilter, type JobId, listed, OUTSTANDING, type Page, SETTLED } from '@rowlock/core/driver';
import type { Context } from '../context.js';
import { answers, type Queryable } from '../query.js';
import { OUTSTANDING_PARTS, type Way as Rows, type Selection, WAYS } from '../statements/selection.js';
import { conditionsOf, ofQueueAndKind, ofStatus, Values } from './conditions.js';

/** So many outstanding jobs are read by their partial indexes, and their ids sorted. Beside more, the newest rows of all jobs are looked at. */
const FEW = 100_000;

/** The same where the newest run of each is read. */
const FEW_RUNS = 10_000;

/** A look at so few rows costs less than to find out how many are outstanding. If many are, it mostly fills a page. */
const QUICK_LOOK = 1_000;

export interface Selected {
  readonly selection: Selection;
  readonly values: Values;
  /** The last row that is looked at, where the look ends before the rows do. */
  readonly lookedTo: JobId | null;
}

/** What a page of a filter is selected by. A list has one row more than its page, where there is one. @throws DriverError */
export async function select(
  on: Queryable,
  context: Context,
  filter: JobFilter,
  page: Page,
  use: 'list' | 'count',
): Promise<Selected> {
  const way = await wayTo(on, context, filter, page, use);
  const lookedTo = await lookEnd(on, context, filter, page, way);
  const values = new Values(String(context.lockClass.unsigned));
  const ways = way.spell(values);
  const status = way.status === undefined ? undefined : ofStatus(way.status, values);
  const also = [
    ...inPage(page, values),
    ...(lookedTo === null ? [] : [`job.id >= ${values.add(lookedTo, 'bigint')}`]),
    ...conditionsOf(filter, values),
    ...(status === undefined ? [] : [status.text]),
  ];
  const running = way.isRunning ? ['true', ...ofQueueAndKind(filter, values)].join(' AND ') : null;
  const selection = {
    ways,
    also: ['true', ...also].join(' AND '),
    readsRuns: status?.readsRuns ?? false,
    running,
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

async function wayTo(
  on: Queryable,
  context: Context,
  filter: JobFilter,
  page: Page,
  use: 'list' | 'count',
): Promise<Way> {
  const { publicIds, key } = filter;
  const states = listed(filter.status);
  const has = (some: readonly State[]): boolean =>
    states === undefined || states.some((each) => some.includes(each));
  const way = { status: states, isShort: false, isRunning: false };
  if (publicIds !== undefined)
    return {
      ...way,
      isShort: true,
      spell: (values) => [inOrder(`job.public_id = ANY(${values.add(publicIds, 'uuid[]')})`)],
    };
  if (key !== undefined)
    return {
      ...way,
      spell: (values) => {
        const part = (by: string) => inOrder(`${by} AND job.key = ${values.add(key, 'text')}`);
        const kept = has(SETTLED) ? [part(WAYS.kept)] : [];
        // The index has the queue before the id.
        const isInOrder = filter.queue !== undefined;
        return has(OUTSTANDING) ? [...kept, { ...part(WAYS.outstanding), isInOrder }] : kept;
      },
    };
  if (states !== undefined && !has(SETTLED)) {
    if (await isShort(on, context, filter, page, use))
      return {
        ...way,
        isShort: true,
        spell: (values) =>
          OUTSTANDING_PARTS.map((part) => ({
            by: [part, ...ofQueueAndKind(ofQueue(filter), values)].join(' AND '),
            isInOrder: false,
          })),
      };
    if (!has(['new']))
      return { ...way, isShort: true, isRunning: true, spell: () => [inOrder(context.sql.running)] };
  }
  const failed = states?.filter((each) => each === 'error' || each === 'cancelled');
  if (failed !== undefined && failed.length === states?.length)
    return {
      ...way,
      status: undefined,
      spell: () => [...new Set(failed)].map((each) => inOrder(WAYS[each])),
    };
  return { ...way, spell: () => [inOrder(WAYS.all)] };
}

function inOrder(by: string): Rows {
  return { by, isInOrder: true };
}

/** Whether the outstanding jobs can be read by their indexes: they are few, or the statement ends at its limit. */
async function isShort(
  on: Queryable,
  { sql }: Context,
  filter: JobFilter,
  page: Page,
  use: 'list' | 'count',
): Promise<boolean> {
  const { queue, key, status, ...others } = filter;
  const states = new Set(listed(status));
  if (states.has('new')) {
    if (use === 'count' && Object.keys(others).length === 0) return true;
    if ((page.look ?? Number.POSITIVE_INFINITY) <= QUICK_LOOK) return false;
  }
  const few = states.size === OUTSTANDING.length ? FEW : FEW_RUNS;
  const values = new Values(String(few + 1));
  const also = ['true', ...ofQueueAndKind(ofQueue(filter), values)].join(' AND ');
  const [jobs = 0] = await answers<number>(on, sql.countOutstanding(also), values.all);
  return jobs <= few;
}

function ofQueue({ queue }: JobFilter): JobFilter {
  return queue === undefined ? {} : { queue };
}

/** The last row to look at. Null where the conditions need no bound, or all rows may be looked at. */
async function lookEnd(
  on: Queryable,
  { sql }: Context,
  filter: JobFilter,
  page: Page,
  { spell, status, isShort }: Way,
): Promise<JobId | null> {
  const { look } = page;
  const isSelective = status !== undefined || conditionsOf(filter, new Values()).length > 0;
  if (look === undefined || isShort || !isSelective) return null;
  const values = new Values();
  const ways = spell(values);
  const also = ['true', ...inPage(page, values)].join(' AND ');
  const text = sql.lookEnd(ways, also, values.add(look, 'bigint'));
  const [[rows, last] = [0, null]] = await answers<readonly [number, string | null]>(on, text, values.all);
  return rows < look || last === null ? null : BigInt(last);
}

function inPage({ before, after = null }: Page, values: Values): readonly string[] {
  return [
    ...(before === null ? [] : [`job.id < ${values.add(before, 'bigint')}`]),
    ...(after === null ? [] : [`job.id > ${values.add(after, 'bigint')}`]),
  ];
}
