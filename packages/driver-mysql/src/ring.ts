import type { WakeUp } from '@rowlock/core';
import type { Context } from './context.js';
import { change, type MysqlTransaction, query } from './query.js';

/** How many rings are kept: far more than workers can have missed between two looks. */
export const KEPT = 1_000n;

/**
 * Rings the bell, and interrupts the sleep of every worker of this Rowlock that may be interrupted by this user.
 * In this order: a worker that is not asleep yet sees the ring before it sleeps.
 */
export async function ring(on: MysqlTransaction, context: Context, wakeUp: WakeUp): Promise<void> {
  await change(on, context.sql.ring, [JSON.stringify(wakeUp)]);
  await interrupt(on, context);
}

export async function interrupt(on: MysqlTransaction, { sql, lockPrefix }: Context): Promise<void> {
  const sleepers = await query<{ connection: string }>(on, sql.sleepers, [lockPrefix, lockPrefix]);
  for (const { connection } of sleepers) await call(on, connection);
}

/** Interrupts the statement of a session, if it has one and this user may. That a session has just ended is no error. */
export async function call(on: MysqlTransaction, connection: string): Promise<void> {
  // KILL takes no parameters; the number is the server's own.
  await on.query(`KILL QUERY ${BigInt(connection)}`).catch(() => {});
}
