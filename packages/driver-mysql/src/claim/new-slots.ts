import { answerWithin } from '@rowlock/core/driver';
import type { Pool } from 'mysql2/promise';
import { type GiveUp, withConnection } from '../connection/connection.js';
import type { Context } from '../context.js';
import { change } from '../query.js';
import { gateOf } from '../worker/lock-name.js';

/** A limit without a free slot that has room for more. */
export interface ShortLimit {
  readonly name: string;
  /** What the taker says. It counts unless another size was set. */
  readonly max: number;
  /** How many slots the taker has counted. */
  readonly slots: number;
}

/** Makes room in a limit. @throws DriverError */
export type Widen = (limit: ShortLimit) => Promise<void>;

/** On a connection of the pool, so that the slots are visible to all takers at once. @throws DriverError */
export function widenLimit(
  { pool, context, giveUp }: { readonly pool: Pool; readonly context: Context; readonly giveUp: GiveUp },
  { name, max, slots }: ShortLimit,
): Promise<void> {
  const { answerMs, sql, lockPrefix } = context;
  return withConnection(pool, answerMs, async (client) => {
    try {
      const widened = change(client, sql.widenLimit, [name, max, gateOf(lockPrefix, name), slots]);
      await answerWithin(answerMs, widened, () => giveUp(client));
    } catch (error) {
      // A killed call may leave the gate closed until its session ends.
      client.destroy();
      throw error;
    }
  });
}
