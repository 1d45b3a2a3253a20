import { DriverError } from '@rowlock/core';
import type { PoolClient, QueryResult, QueryResultRow } from 'pg';
import { COMMIT, isSkipped } from './flight.js';
import { inOneFlight } from './in-one-flight.js';
import type { PostgresTransaction, QueryConfig, Rows } from './query.js';
import type { Wire } from './wire.js';

/** What a handler is told that goes on after its run. */
export function runOver(): DriverError {
  return new DriverError('TransactionOver', "The run has ended, and with it the handler's transaction.");
}

/** The transaction before one on its connection. */
export interface Before {
  /** Whether its end has been sent: what is sent now comes behind it, or is skipped. */
  readonly isEnding: boolean;
  /** Resolves when it is given up, or over. */
  readonly over: Promise<void>;
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
  readonly #before: Before | null;
  #last: Promise<unknown>;
  #isEnding = false;
  #submitted: Promise<unknown> = Promise.resolve();
  #waiting = 0;
  #forgotten = 0;

  /**
   * @param wire How the connection is asked what is not a handler's
   * @param check Is asked when a statement's turn has come; what it throws, the statement is refused with.
   * @param begin Opens the transaction; null where it need not be waited for, as its failure is that of the statement behind it.
   * @param before The transaction before it on this connection
   */
  constructor(
    client: PoolClient,
    wire: Wire,
    check: () => void,
    begin: () => Promise<unknown> | null,
    before: Before | null,
  ) {
    this.#client = client;
    this.#wire = wire;
    this.#check = check;
    this.#begin = begin;
    this.#before = before;
    this.#last = Promise.resolve(before?.over);
  }

  /** Whether there may be something to roll back: of this transaction, or left to it by the one before. */
  get mayBeOpen(): boolean {
    return this.#begin === null || this.#before !== null;
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

  /** The same, with another text right ahead of it in the same turn. @param told Is given what comes of that. */
  queryBehind<Row extends QueryResultRow = QueryResultRow>(
    ahead: string,
    told: (answer: Promise<unknown>) => void,
    text: string | QueryConfig,
    values?: unknown[],
  ): Promise<QueryResult<Row>> {
    return this.#take(() =>
      inOneFlight(this.#client, () => {
        told(this.#client.query(ahead));
        return this.#client.query<Row>(text, values);
      }),
    );
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

  /**
   * Several of them and a COMMIT, each only if the one before it was done: where one fails, the transaction is still there.
   *
   * @param over Is called where the COMMIT itself fails: then it is not.
   */
  askAllAndCommit(statements: readonly QueryConfig[], over: () => void): Promise<void> {
    this.#submitted = this.#last;
    return this.#take(async () => {
      const { flies } = this.#wire;
      this.#isEnding = flies;
      const commit = (): Promise<void> => this.#wire.inOrder([COMMIT]);
      const asked = this.#wire.inOrder(statements);
      const committed = flies ? commit() : asked.then(commit);
      committed.catch(() => {});
      await asked.catch((error: unknown) => {
        this.#isEnding = false;
        throw error;
      });
      await committed.catch((error: unknown) => {
        over();
        throw error;
      });
    });
  }

  /** Resolves when the end of the transaction has been sent, or will not be. */
  get submitted(): Promise<unknown> {
    return this.#submitted;
  }

  /** Whether the end of the transaction has been sent, and not been refused since. */
  get isEnding(): boolean {
    return this.#isEnding;
  }

  /** Refuses what has asked for its turn and not had it. */
  forget(): void {
    this.#forgotten += 1;
  }

  /** Resolves when everything that has asked for its turn has had it; before anything has, when the connection is free. */
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
    const anew = async (): Promise<Result> => {
      await this.#before?.over;
      if (this.inTransaction) await this.#wire.plain('ROLLBACK');
      return open();
    };
    // One whose end was refused is open still: it is undone, and ended otherwise or given up.
    if (this.#before?.isEnding === false) return anew();
    return open().catch((error: unknown) => {
      if (isSkipped(error)) return anew();
      throw error;
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
