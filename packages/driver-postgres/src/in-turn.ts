import type { PoolClient, QueryResult, QueryResultRow } from 'pg';
import type { PostgresTransaction, QueryConfig } from './query.js';

/**
 * One statement at a time. The client would keep a second one until the first is answered, and send it then even if the
 * transaction has ended meanwhile: it would be committed by itself.
 */
export class InTurn implements PostgresTransaction {
  readonly #client: PoolClient;
  readonly #check: () => void;
  #last: Promise<unknown> = Promise.resolve();

  /** @param check Is asked when a statement's turn has come; what it throws, the statement is refused with. */
  constructor(client: PoolClient, check: () => void) {
    this.#client = client;
    this.#check = check;
  }

  /** Whether a transaction is open, as the server tells with each answer. */
  get inTransaction(): boolean {
    // An application's own pool may be of an older client, which does not pass this on.
    return this.#client.getTransactionStatus?.() !== 'I';
  }

  query<Row extends QueryResultRow = QueryResultRow>(
    text: string | QueryConfig,
    values?: unknown[],
  ): Promise<QueryResult<Row>> {
    return this.#take(() => this.#client.query<Row>(text, values));
  }

  /** Resolves when everything that has asked for its turn has had it. */
  async rest(): Promise<void> {
    await this.#last;
  }

  #take<Result>(statement: () => Promise<Result>): Promise<Result> {
    const turn = this.#last.then(() => {
      this.#check();
      return statement();
    });
    this.#last = turn.catch(() => {});
    return turn;
  }
}
