import { DriverError } from '@rowlock/core';
import type { QueryResult, QueryResultRow } from 'pg';
import type { InTurn } from './in-turn.js';
import type { PostgresTransaction, QueryConfig } from './query.js';

const SAVEPOINT = 'SAVEPOINT rowlock_handler';

/** Undoes what the handler wrote, and keeps the locks that are older. */
export const ROLLBACK_TO_SAVEPOINT = 'ROLLBACK TO SAVEPOINT rowlock_handler';

/** What the handler writes through. Its first use sets the savepoint; after the run it is dead. */
export class HandlerTransaction implements PostgresTransaction {
  readonly #inTurn: InTurn;
  readonly #onEnded: () => void;
  #used = false;
  #open = true;

  /** @param onEnded Is called when a statement of the handler has ended the transaction, and with it the claim. */
  constructor(inTurn: InTurn, onEnded: () => void) {
    this.#inTurn = inTurn;
    this.#onEnded = onEnded;
  }

  get used(): boolean {
    return this.#used;
  }

  async query<Row extends QueryResultRow = QueryResultRow>(
    text: string | QueryConfig,
    values?: unknown[],
  ): Promise<QueryResult<Row>> {
    this.#prepare();
    try {
      return await this.#inTurn.query<Row>(text, values);
    } finally {
      if (!this.#inTurn.inTransaction) this.#onEnded();
    }
  }

  close(): void {
    this.#open = false;
  }

  #prepare(): void {
    if (!this.#open) {
      throw new DriverError('TransactionOver', "The run has ended, and with it the handler's transaction.");
    }
    // Should it fail, so does the ROLLBACK TO it, and with that the run.
    if (!this.#used) this.#inTurn.query(SAVEPOINT).catch(() => {});
    this.#used = true;
  }
}
