import { runOver } from '@rowlock/core/driver';
import type { PoolClient, QueryResult, QueryResultRow } from 'pg';
import { inOnePacket } from '../connection/pipeline/one-packet.js';
import { COMMIT } from '../connection/pipeline/transaction-words.js';
import type { PostgresTransaction, QueryConfig, Rows } from '../query.js';
import type { ClaimConnection } from './claim-connection.js';

const nothing = (): void => {};

/**
 * A transaction's connection, one statement at a time. The client would queue a second statement until the first is answered.
 * A queued statement is sent even after the transaction's end, and would then be committed by itself.
 */
export class SerialConnection implements PostgresTransaction {
  readonly #connection: ClaimConnection;
  readonly #check: () => void;
  #begin: (() => Promise<unknown> | null) | null;
  #last: Promise<unknown> = Promise.resolve();
  #waiting = 0;
  #forgotten = 0;

  /**
   * @param check Throws the error that refuses a statement when its turn comes.
   * @param begin Opens the transaction ahead of its first statement. Null when the transaction is open.
   * Returns null when the next statement shows a failure of the BEGIN.
   */
  constructor(connection: ClaimConnection, check: () => void, begin: (() => Promise<unknown> | null) | null) {
    this.#connection = connection;
    this.#check = check;
    this.#begin = begin;
  }

  get #client(): PoolClient {
    return this.#connection.client;
  }

  /** Whether the transaction has been opened. */
  get isBegun(): boolean {
    return this.#begin === null;
  }

  /** Whether a transaction is open, by the status in the server's last answer. */
  get inTransaction(): boolean {
    // The older client of an application's own pool does not expose the status.
    return this.#client.getTransactionStatus?.() !== 'I';
  }

  /** Whether a statement is on its way, or waits for its turn. */
  get busy(): boolean {
    return this.#waiting > 0;
  }

  /** A handler's statement. */
  query<Row extends QueryResultRow = QueryResultRow>(
    text: string | QueryConfig,
    values?: unknown[],
  ): Promise<QueryResult<Row>> {
    return this.#take(() => this.#client.query<Row>(text, values));
  }

  /** A handler's statement, with another text right before it in the same turn. @param onAhead Receives the answer to that text */
  queryBehind<Row extends QueryResultRow = QueryResultRow>(
    ahead: string,
    onAhead: (answer: Promise<unknown>) => void,
    text: string | QueryConfig,
    values?: unknown[],
  ): Promise<QueryResult<Row>> {
    return this.#take(() =>
      inOnePacket(this.#client, () => {
        onAhead(this.#client.query(ahead));
        return this.#client.query<Row>(text, values);
      }),
    );
  }

  /** One of the driver's own statements. */
  send<Row extends QueryResultRow>(statement: QueryConfig): Promise<Rows<Row>> {
    return this.#take(() => this.#connection.pipeline.query<Row>(statement));
  }

  /** Two of the driver's own statements, without a wait in between where statements share messages. */
  sendBoth<One extends QueryResultRow, Other extends QueryResultRow>(
    one: QueryConfig,
    other: QueryConfig,
  ): Promise<[Rows<One>, Rows<Other>]> {
    const { pipeline } = this.#connection;
    return this.#take(() => Promise.all([pipeline.query<One>(one), pipeline.query<Other>(other)]));
  }

  /** One text without values, or several. */
  plain(text: string): Promise<unknown> {
    return this.#take(() => this.#connection.pipeline.plain(text));
  }

  /** A statement, and a COMMIT right behind it. When the statement fails, the COMMIT fails too. @param behind Sends what goes along */
  sendAndCommit<Row extends QueryResultRow>(statement: QueryConfig, behind = nothing): Promise<Rows<Row>> {
    return this.#take(() => {
      const answered = this.#connection.pipeline.queryAndCommit<Row>(statement);
      behind();
      return answered;
    });
  }

  /**
   * Several statements and a COMMIT. Each runs only after the success of the one before it.
   * When a statement fails, the transaction is still open.
   *
   * @param onOver Is called when the COMMIT itself fails. The transaction has then ended.
   * @param behind Sends what goes along, where statements share messages
   */
  sendAllAndCommit(statements: readonly QueryConfig[], onOver: () => void, behind = nothing): Promise<void> {
    return this.#take(async () => {
      const { pipeline } = this.#connection;
      const done = pipeline.inOrder(statements);
      const commit = (): Promise<void> => pipeline.inOrder([COMMIT]);
      const committed = pipeline.sharesMessages ? commit() : done.then(commit);
      behind();
      committed.catch(nothing);
      await done;
      await committed.catch((error: unknown) => {
        onOver();
        throw error;
      });
    });
  }

  /** Refuses the statements that wait for their turn. */
  forget(): void {
    this.#forgotten += 1;
  }

  /** Resolves when every statement has had its turn. */
  async rest(): Promise<void> {
    await this.#last;
  }

  /** Sends a statement at once when no other is before it, so that later ones share its message. */
  #take<Result>(statement: () => Promise<Result>): Promise<Result> {
    const forgotten = this.#forgotten;
    const begin = (): Promise<Result> => {
      this.#check();
      if (forgotten < this.#forgotten) throw runOver();
      return this.#begun(statement);
    };
    const end = (): void => {
      this.#waiting -= 1;
    };
    const isFirst = !this.busy;
    this.#waiting += 1;
    const turn = isFirst ? atOnce(begin) : this.#last.then(begin);
    this.#last = turn.then(end, () => this.#connection.readyBehindFailure().then(end));
    return turn;
  }

  #begun<Result>(statement: () => Promise<Result>): Promise<Result> {
    const begin = this.#begin;
    if (begin === null) return statement();
    this.#begin = null;
    return this.#connection.pipeline.together(() => {
      const opened = begin();
      const answered = statement();
      return opened === null ? answered : behindOpening(opened, answered);
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

/** Prefers the error of the BEGIN to the error of its statement: the first is the cause. */
async function behindOpening<Result>(opened: Promise<unknown>, answered: Promise<Result>): Promise<Result> {
  answered.catch(nothing);
  await opened;
  return answered;
}
