import { DriverError, isDriverError } from '@rowlock/core';
import type { Size } from '@rowlock/core/driver';
import { change, type MysqlTransaction } from '../query.js';
import type { Statements } from '../statements.js';
import { inParts, list } from '../values/list.js';
import type { ClaimTransaction } from './claim-transaction.js';
import type { Widen } from './new-slots.js';

/** How often room is made in a limit. Others may take the slots that were made for this transaction. */
const MOST_TRIES = 20;

/** Locks a slot of each limit. @throws DriverError `LimitReached` */
export async function takeSlots(tx: ClaimTransaction, limits: readonly Size[], widen: Widen): Promise<void> {
  try {
    for (const limit of limits) await takeSlot(tx, limit, widen);
  } catch (error) {
    // A killed call may leave the gate closed until its session ends.
    if (!isDriverError(error, 'LimitReached')) tx.spoilSession();
    throw error;
  }
}

async function takeSlot(tx: ClaimTransaction, limit: Size, widen: Widen): Promise<void> {
  const name = JSON.stringify(limit.name);
  for (let tries = 0; tries < MOST_TRIES; tries++) {
    const { outcome, slots } = await tx.slots.take(tx.on, tx.context, limit);
    if (outcome === 'entered') return;
    if (outcome === 'full')
      throw new DriverError('LimitReached', `All slots of the limit ${name} are taken.`);
    if (outcome === 'busy') break;
    await widen({ ...limit, slots: slots ?? 0 });
  }
  throw new DriverError('LockTimeout', `Too many take slots of the limit ${name} at once. Try again.`);
}

/** Frees the slots that leased runs have. @throws DriverError */
export async function leaveLimits(
  on: MysqlTransaction,
  sql: Statements,
  runIds: readonly string[],
): Promise<void> {
  for (const part of inParts(runIds)) {
    const { places, values } = list(part);
    await change(on, sql.limits.leaveLimits(places), values);
  }
}
