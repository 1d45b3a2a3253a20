import { NO_LIMITS, type QueuePart } from '@rowlock/core/driver';
import type { Context } from '../context.js';
import { type MysqlTransaction, query } from '../query.js';
import { inParts } from '../values/list.js';
import { allParts, partValues } from './limited-jobs.js';

/** The most parts of a queue that are looked at, and the most of one statement. */
const MOST_PARTS = 1_000;
const PARTS_TOGETHER = 64;

/** The order of the front. */
export const [LEASED, DUE, DELAYED] = [0, 1, 2] as const;

/** A job, and its place in the front. */
export interface Place {
  readonly id: string;
  readonly leg: typeof LEASED | typeof DUE | typeof DELAYED;
  readonly at: number;
  readonly priority: number;
}

/**
 * The places of so many jobs and of some more, in their order. `isCut`: there are more of one set of limits.
 *
 * @throws DriverError
 */
export async function frontPlaces(
  on: MysqlTransaction,
  context: Context,
  queue: string,
  limit: number,
): Promise<{ readonly found: readonly Place[]; readonly isCut: boolean }> {
  const { sql } = context;
  const leased = await query<{ id: string }>(on, sql.frontLeased, [queue, limit + 1]);
  const plain = await dueOf(on, context, [{ queue, limits: NO_LIMITS }], limit + 1);
  const parts = await allParts(on, context, [queue], MOST_PARTS);
  const share = Math.max(1, Math.floor(limit / Math.max(1, parts.length)));
  const limited = await dueOf(on, context, parts, share + 1);
  const shared = limited.flatMap((part) => part.slice(0, share));
  const left = Math.max(0, limit - leased.length - plain.flat().length - shared.length);
  const delayed = await query<{ id: string; at: string }>(on, sql.frontDelayed, [queue, left + 1]);
  const found = [
    ...leased.map(({ id }): Place => ({ id, leg: LEASED, at: 0, priority: 0 })),
    ...[...plain.flat(), ...shared].map(({ id, priority }): Place => ({ id, leg: DUE, at: 0, priority })),
    ...delayed.map(({ id, at }): Place => ({ id, leg: DELAYED, at: Number(at), priority: 0 })),
  ];
  return { found: found.toSorted(inOrder), isCut: limited.some((part) => part.length > share) };
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

function inOrder(one: Place, other: Place): number {
  return (
    one.leg - other.leg ||
    one.at - other.at ||
    one.priority - other.priority ||
    Number(BigInt(one.id) - BigInt(other.id))
  );
}
