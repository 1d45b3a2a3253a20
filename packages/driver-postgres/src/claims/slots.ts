import { DriverError } from '@rowlock/core';
import { type Size, sizesOf } from '@rowlock/core/driver';
import { type PostgresTransaction, query } from '../query.js';
import type { Statements } from '../statements.js';

/** A slot of a limit, by its number. */
export interface Slot {
  readonly limit: string;
  readonly number: number;
}

/** The slots that a statement is to take. */
export interface Entry {
  /** The limits, as the job's row has them. */
  readonly text: string;
  readonly limits: readonly Size[];
  /** The values of `enter_limits`. */
  readonly values: readonly unknown[];
}

export function entryOf(limits: string, schema: string): Entry {
  const listed = sizesOf(limits);
  const names = listed.map(({ name }) => name);
  const sizes = listed.map(({ max }) => max);
  return { text: limits, limits: listed, values: [names, sizes, schema] };
}

/**
 * The slots by what `enter_limits` has returned. Undefined if it has to be called again, as a limit has more slots now.
 *
 * @param pool Adds slots to a limit. They are committed at once.
 * @throws DriverError `LimitReached`
 */
export async function slotsOf(
  { limits }: Entry,
  returned: readonly number[],
  pool: PostgresTransaction,
  { growLimit }: Pick<Statements['limits'], 'growLimit'>,
): Promise<readonly Slot[] | undefined> {
  const slots = returned.map((number, place) => ({ limit: limits[place]?.name ?? '', number }));
  const last = slots.at(-1);
  if (last === undefined || last.number > 0) return slots;
  if (last.number === 0)
    throw new DriverError('LimitReached', `All slots of the limit ${JSON.stringify(last.limit)} are taken.`);
  await query(pool, growLimit, [last.limit, -last.number]);
  return undefined;
}
