import { type NamedJobs, NO_LIMITS, type QueueFront, type QueuePart } from '@rowlock/core/driver';
import { allParts, partValues } from '../admission/jobs.js';
import type { Context } from '../context.js';
import { type MysqlTransaction, query } from '../query.js';
import { inParts, list } from '../values/list.js';

/** The most parts of a queue that are looked at, and the most of one statement. */
const MOST_PARTS = 1_000;
const PARTS_TOGETHER = 64;

/** The jobs that are looked at, by their ids. */
interface Page {
  readonly ids: readonly string[];
  readonly queues: readonly string[];
  /** Some that come behind them. */
  readonly others: readonly string[];
  /** Whether there are more of one set of limits. */
  readonly isCut: boolean;
}

/** The order of the front. */
const [LEASED, DUE, DELAYED] = [0, 1, 2] as const;

/** A job, and its place in the front. */
interface Place {
  readonly id: string;
  readonly leg: typeof LEASED | typeof DUE | typeof DELAYED;
  readonly at: number;
  readonly priority: number;
}

/** The front of a queue. @throws DriverError */
export async function frontPage(
  on: MysqlTransaction,
  context: Context,
  { queue, limit }: QueueFront,
): Promise<Page> {
  const { insight: sql } = context.sql;
  const leased = await query<{ id: string }>(on, sql.leased, [queue, limit + 1]);
  const plain = await dueOf(on, context, [{ queue, limits: NO_LIMITS }], limit + 1);
  const parts = await allParts(on, context, [queue], MOST_PARTS);
  const share = Math.max(1, Math.floor(limit / Math.max(1, parts.length)));
  const limited = await dueOf(on, context, parts, share + 1);
  const shared = limited.flatMap((part) => part.slice(0, share));
  const left = Math.max(0, limit - leased.length - plain.flat().length - shared.length);
  const delayed = await query<{ id: string; at: string }>(on, sql.delayed, [queue, left + 1]);
  const found = [
    ...leased.map(({ id }): Place => ({ id, leg: LEASED, at: 0, priority: 0 })),
    ...[...plain.flat(), ...shared].map(({ id, priority }): Place => ({ id, leg: DUE, at: 0, priority })),
    ...delayed.map(({ id, at }): Place => ({ id, leg: DELAYED, at: Number(at), priority: 0 })),
  ];
  const ids = found.toSorted(inOrder).map(({ id }) => id);
  const isCut = limited.some((part) => part.length > share);
  return { ids: ids.slice(0, limit), queues: [queue], others: ids.slice(limit), isCut };
}

/** These jobs. @throws DriverError */
export async function namedPage(
  on: MysqlTransaction,
  { sql }: Context,
  { publicIds }: NamedJobs,
): Promise<Page> {
  const { places, values } = list(publicIds);
  const rows = await query<{ id: string; queue: string }>(on, sql.insight.named(places), values);
  const queues = [...new Set(rows.map(({ queue }) => queue))];
  return { ids: rows.map(({ id }) => id), queues, others: [], isCut: false };
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
    const rows = await query<DueRow>(on, sql.insight.due(given), valuesOf(most));
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
