import type { Size } from '@rowlock/core/driver';
import type { Context } from '../context.js';
import { SLOTS } from '../jobs/given-rows.js';
import { call, change, type MysqlTransaction } from '../query.js';
import type { Statements } from '../statements.js';
import { gateOf } from '../workers/lock-name.js';

/** What came of a limit. `short`: it has room for more slots. `busy`: another taker did not end in time. */
export interface Entrance {
  readonly outcome: 'entered' | 'full' | 'short' | 'busy';
  /** How many slots the limit has, free or not. Null unless they were counted. */
  readonly slots: number | null;
}

interface EntranceRow extends Entrance {
  /** The number of the slot. */
  readonly slot: number | null;
}

/** The slots that a transaction has locked. */
export class HeldSlots {
  #slots: { readonly limit: Size; readonly n: number }[] = [];

  /** Locks a slot of a limit, if there is one. @throws DriverError */
  async take(on: MysqlTransaction, { sql, lockPrefix }: Context, limit: Size): Promise<Entrance> {
    const { name, max } = limit;
    const [row] = await call<EntranceRow>(on, sql.limits.enterLimit, [name, max, gateOf(lockPrefix, name)]);
    if (row === undefined) return { outcome: 'busy', slots: null };
    if (row.slot !== null) this.#slots.push({ limit, n: row.slot });
    return row;
  }

  /** Takes slots of the same limits after the server has undone the transaction. @returns whether all had one @throws DriverError */
  async takeAgain(on: MysqlTransaction, context: Context): Promise<boolean> {
    const before = this.#slots;
    this.#slots = [];
    for (const { limit } of before)
      if ((await this.take(on, context, limit)).outcome !== 'entered') return false;
    return true;
  }

  /** Marks the slots as a leased run's. @throws DriverError */
  async mark(on: MysqlTransaction, sql: Statements, runId: string, forMs: number): Promise<void> {
    if (this.#slots.length === 0) return;
    const { text, values } = SLOTS.rows(this.#slots.map(({ limit: { name }, n }) => ({ name, n })));
    await change(on, sql.limits.markSlots(text), [...values, runId, forMs]);
  }
}
