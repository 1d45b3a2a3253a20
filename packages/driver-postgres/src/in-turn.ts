import { DriverError } from '@rowlock/core';
import type { PoolClient, QueryResult, QueryResultRow } from 'pg';
import { isSkipped } from './flight.js';
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
  #begin: (() => Promise<unknown> | null) | null;
  #last: Promise<unknown> = Promise.resolve();
  #isEnding = false;
  #submitted: Promise<unknown> = this.#last;
  #waiting = 0;
  #forgotten = 0;

  /**
   * @param wire How the connection is asked what is not a handler's
   * @param check Is asked when a statement's turn has come; what it throws, the statement is refused with.
   * @param begin Opens the transaction; null where it need not be waited for, as its failure is that of the statement behind it.
   */
  constructor(client: PoolClient, wire: Wire, check: () => void, begin: () => Promise<unknown> | null) {
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
    this.#submitted = this.#last;
    return this.#take(() => {
      this.#isEnding = true;
      return this.#wire.queryAndCommit<Row>(statement);
    });
  }

  /** Resolves when the end of the transaction has been sent, or will not be. */
  get submitted(): Promise<unknown> {
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

  /** Whom nobody is ahead of is sent at once, so that what comes behind it goes along. */
  #take<Result>(statement: () => Promise<Result>): Promise<Result> {
    const asked = this.#forgotten;
    const begin = (): Promise<Result> => {
      this.#check();
      if (asked < this.#forgotten) throw runOver();
      return this.#begun(statement);
    };
    const end = (): void => {
      this.#waiting -= 1;
    };
    const isFirst = !this.busy;
    this.#waiting += 1;
    const turn = isFirst ? atOnce(begin) : this.#last.then(begin);
    this.#last = turn.then(end, end);
    return turn;
  }

  #begun<Result>(statement: () => Promise<Result>): Promise<Result> {
    const begin = this.#begin;
    if (begin === null) return statement();
    this.#begin = null;
    const open = (): Promise<Result> =>
      this.#wire.together(() => {
        const opened = begin();
        const answered = statement();
        return opened === null ? answered : behind(opened, answered);
      });
    return open().catch((error: unknown) => {
      if (!isSkipped(error)) throw error;
      // The transaction before it on this connection has failed, and is still open.
      return this.#wire.plain('ROLLBACK').then(open);
    });
  }
}

function atOnce<Result>(begin: () => Promise<Result>): Promise<Result> {
  try {
    return begin();
  } catch (error) {
    return Promise.reject(error);
  }
}

/** Why the transaction could not be opened says more than what became of its statement without it. */
async function behind<Result>(opened: Promise<unknown>, answered: Promise<Result>): Promise<Result> {
  answered.catch(() => {});
  await opened;
  return answered;
}
