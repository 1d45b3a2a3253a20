import { isSettled } from '@rowlock/core/driver';
import type { Context } from '../context.js';
import { type MysqlTransaction, query } from '../query.js';
import { sql as fragment } from '../values/fragment.js';
import { inParts, list } from '../values/list.js';
import { LEASED, type Place } from './front-places.js';
import { heldBy } from './selection.js';
import type { HeldRow } from './situation.js';

export interface FrontRow extends HeldRow {
  readonly key: string | null;
  readonly priority: number;
  readonly limits: string;
  readonly due: number;
  readonly available_at: string;
}

/**
 * The rows of a page, with the runs of held and leased jobs. To join the newest run of every job takes as long as all the
 * rest.
 *
 * @throws DriverError
 */
export async function pageRows(
  on: MysqlTransaction,
  context: Context,
  queue: string,
  page: readonly Place[],
): Promise<readonly FrontRow[]> {
  const { sql } = context;
  const { latest, workers, values } = await heldBy(on, context, fragment`job.queue = ${queue}`);
  const held = await query<{ id: string }>(on, sql.frontHeld(latest, workers), values);
  const ids = new Set(held.map(({ id }) => id));
  const hasRun = ({ id, leg }: Place): boolean => leg === LEASED || ids.has(id);
  const places = page.filter((place) => !hasRun(place));
  const rows = await rowsOf(on, sql.frontWaiting, [], places);
  const waiting = rows.filter(({ status }) => status === 'new');
  // One may have been leased since.
  const leased = rows.filter(({ status }) => status !== 'new');
  return [...waiting, ...(await rowsWithRuns(on, context, [...page.filter(hasRun), ...leased]))];
}

/** The rows of these jobs, each with its newest run. @throws DriverError */
export function rowsWithRuns(
  on: MysqlTransaction,
  { sql, lockPrefix }: Context,
  jobs: readonly Pick<Place, 'id'>[],
): Promise<readonly FrontRow[]> {
  return rowsOf(on, sql.frontRunning, [lockPrefix], jobs);
}

async function rowsOf(
  on: MysqlTransaction,
  textOf: (ids: string) => string,
  before: readonly string[],
  jobs: readonly Pick<Place, 'id'>[],
): Promise<readonly FrontRow[]> {
  const found: FrontRow[] = [];
  for (const some of inParts(jobs)) {
    const { places, values } = list(some.map(({ id }) => id));
    found.push(...(await query<FrontRow>(on, textOf(places), [...before, ...values])));
  }
  // One may have been settled since its id was read.
  return found.filter(({ status }) => !isSettled(status));
}
