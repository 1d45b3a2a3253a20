import { DriverError } from '@rowlock/core';
import type { PoolClient, QueryResult, QueryResultRow } from 'pg';
import { isSkipped } from './flight.js';
import { inOneFlight } from './in-one-flight.js';
import type { PostgresTransaction, QueryConfig, Rows } from './query.js';
import type { Wire } from './wire.js';

/** What a handler is told that goes on after its run. */
export function runOver(): DriverError {
  return new DriverError('TransactionOver', "The run has ended, and with it the handler's transaction.");
}

/**
 * One statement at a time. The client would keep a second one until the first is answered, and send it then even if the
 * transaction has ended meanwhile: it would be committed by itself.
 */
export class InTurn implements PostgresTransaction {
  readonly #client: PoolClient;
  readonly #wire: Wire;
  readonly #check: () => void;
  /** Opens the transaction, ahead of its first statement. */
  #begin: (() => Promise<unknown>) | null;
  #last: Promise<unknown> = Promise.resolve();
  #isEnding = false;
  #submitted = Promise.resolve();
  #waiting = 0;
  #forgotten = 0;

  /**
   * @param wire How the connection is asked what is not a handler's
   * @param check Is asked when a statement's turn has come; what it throws, the statement is refused with.
   */
  constructor(client: PoolClient, wire: Wire, check: () => void, begin: () => Promise<unknown>) {
    this.#client = client;
    this.#wire = wire;
    this.#check = check;
    this.#begin = begin;
  }

  /** Whether the transaction has been opened. */
  get begun(): boolean {
    return this.#begin === null;
  }

  /** Whether a transaction is open, as the server tells with each answer. */
  get inTransaction(): boolean {
    // An application's own pool may be of an older client, which does not pass this on.
    return this.#client.getTransactionStatus?.() !== 'I';
  }

  /** Whether a statement is on its way, or waits for its turn. */
  get busy(): boolean {
    return this.#waiting > 0;
  }

  query<Row extends QueryResultRow = QueryResultRow>(
    text: string | QueryConfig,
    values?: unknown[],
  ): Promise<QueryResult<Row>> {
    return this.#take(() => this.#client.query<Row>(text, values));
  }

  /** A statement of the driver's own. */
  ask<Row extends QueryResultRow>(statement: QueryConfig): Promise<Rows<Row>> {
    return this.#take(() => this.#wire.query<Row>(statement));
  }

  /** One without values, or several. */
  plain(text: string): Promise<unknown> {
    return this.#take(() => this.#wire.plain(text));
  }

  /** A statement and a COMMIT right behind it, in one flight. Should the first fail, so does what is behind it. */
  askAndCommit<Row extends QueryResultRow>(statement: QueryConfig): Promise<Rows<Row>> {
    let submitted = (): void => {};
    this.#submitted = new Promise((resolve) => {
      submitted = resolve;
    });
    const answer = this.#take(async () => {
      this.#isEnding = true;
      const both = inOneFlight(this.#client, () =>
        Promise.all([this.#wire.query<Row>(statement), this.#wire.commit()]),
      );
      submitted();
      const [rows] = await both;
      return rows;
    });
    answer.then(submitted, submitted);
    return answer;
  }

  /** Resolves when the end of the transaction has been sent, or will not be. */
  get submitted(): Promise<void> {
    return this.#submitted;
  }

  /** Whether the end of the transaction has been sent. */
  get isEnding(): boolean {
    return this.#isEnding;
  }

  /** Refuses what has asked for its turn and not had it. */
  forget(): void {
    this.#forgotten += 1;
  }

  /** Resolves when everything that has asked for its turn has had it. */
  async rest(): Promise<void> {
    await this.#last;
  }

  #take<Result>(statement: () => Promise<Result>): Promise<Result> {
    const asked = this.#forgotten;
    const turn = this.#last.then(() => {
      this.#check();
      if (asked < this.#forgotten) throw runOver();
      return this.#begun(statement);
    });
    this.#waiting += 1;
    this.#last = turn.catch(() => {}).finally(() => (this.#waiting -= 1));
    return turn;
  }

  async #begun<Result>(statement: () => Promise<Result>): Promise<Result> {
    const begin = this.#begin;
    if (begin === null) return statement();
    this.#begin = null;
    const open = (): Promise<Result> =>
      inOneFlight(this.#client, async () => {
        const [opened, answered] = [begin(), statement()];
        // Why the transaction could not be opened says more than what became of its statement without it.
        answered.catch(() => {});
        await opened;
        return answered;
      });
    try {
      return await open();
    } catch (error) {
      if (!isSkipped(error)) throw error;
      // The transaction before it on this connection has failed, and is still open.
      await this.#wire.plain('ROLLBACK');
      return open();
    }
  }
}
