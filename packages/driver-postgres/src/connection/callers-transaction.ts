import { DriverError } from '@rowlock/core';
import type { CallersTx } from '@rowlock/core/driver';
import { isOwnHandle, noTransaction, onlyReads } from '@rowlock/sql-drivers';
import type { QueryResultRow } from 'pg';
import { toDriverError } from '../errors.js';
import {
  type PostgresTransaction,
  type Queryable,
  type QueryConfig,
  type Rows,
  statementOf,
} from '../query.js';
import { JSON_TEXT, MARK, NOT_WITHIN, within } from '../values/within.js';

/** On the driver's own connections this means a server that only reads. */
const READ_ONLY_TRANSACTION = '25006';

/** Of each statement behind one that has failed. */
const FAILED_TRANSACTION = '25P02';

/**
 * A caller's transaction. No statement takes effect outside of it.
 *
 * A `pg` client knows from the server's last answer whether a transaction is open. When nothing is under way on it, a
 * statement is sent at once, ahead of what the caller sends later. Otherwise, and on objects of other makes, the
 * transaction is marked first, and the statement fails where the mark is not.
 */
export class CallersTransaction implements Queryable {
  readonly #tx: CallersTx<PostgresTransaction>;

  constructor(tx: CallersTx<PostgresTransaction>) {
    this.#tx = tx;
  }

  /** @throws DriverError */
  query<Row extends QueryResultRow>({ text, values = [] }: QueryConfig): Promise<Rows<Row>> {
    return this.#within((sent) => this.#send<Row>(sent, values), text);
  }

  /** The rows of a statement, read as the caller's connection reads them. @throws DriverError */
  async rows<Row extends QueryResultRow>(text: string, values: unknown[]): Promise<Row[]> {
    const { rows } = await this.#within(
      async (sent) => resultOf<Row>(await Object(this.#tx).query(sent, values)),
      text,
    );
    return rows;
  }

  async #within<Answer>(send: (text: string) => Promise<Answer>, text: string): Promise<Answer> {
    try {
      if (this.#isNext()) return await send(text);
      await this.#mark();
      return await send(within(text));
    } catch (thrown) {
      const error = serversError(thrown);
      if (String(Object(error).message).includes(NOT_WITHIN)) throw noTransaction();
      const { code } = Object(error);
      if (code === FAILED_TRANSACTION) throw hasFailed(error);
      throw code === READ_ONLY_TRANSACTION ? onlyReads(error) : toDriverError(error);
    }
  }

  /**
   * Whether the next statement that is sent is certain to be in a transaction. A failed transaction counts: the server
   * refuses the statement.
   *
   * @throws DriverError `TransactionOver`; `InvalidInput` for a client whose answers are no texts
   */
  #isNext(): boolean {
    if (isOwnHandle(this.#tx)) return true;
    const { readyForQuery, binary } = Object(this.#tx);
    if (binary === true) throw otherShape();
    const status = statusOf(this.#tx);
    if (readyForQuery !== true || typeof status !== 'string') return false;
    if (status === 'I') throw noTransaction();
    return true;
  }

  async #mark(): Promise<void> {
    const { rows } = await this.#send<{ answer: string; json: unknown }>(MARK);
    if (rows[0]?.answer !== 'on' || rows[0].json !== JSON_TEXT) throw otherShape();
  }

  async #send<Row extends QueryResultRow>(text: string, values: unknown[] = []): Promise<Rows<Row>> {
    const tx = this.#tx;
    if (isPg(tx)) return resultOf(await tx.query<Row>(statementOf(text, values)));
    // What is no adapter may pass all its arguments on to a client of pg, which takes the third for a callback.
    const database = tx.adapter === undefined ? [] : (['postgres'] as const);
    return resultOf(await tx.query(text, values.map(given), ...database));
  }
}

/** @throws DriverError `InvalidInput` */
function resultOf<Row extends QueryResultRow>(answer: unknown): Rows<Row> {
  const rows: unknown = Array.isArray(answer) ? answer : Object(answer).rows;
  if (!isRows<Row>(rows)) throw otherShape();
  return { rows, rowCount: rows.length };
}

/** What the server has said, where a library has wrapped that. The library's own message may have the statement in it. */
function serversError(thrown: unknown): unknown {
  for (let error = thrown; typeof error === 'object' && error !== null; error = Object(error).cause)
    if (/^[0-9A-Z]{5}$/.test(String(Object(error).code))) return error;
  return thrown;
}

/** Whether it is a client of `pg`, or a handler's `tx`. */
function isPg(tx: CallersTx<PostgresTransaction>): tx is PostgresTransaction {
  return isOwnHandle(tx) || statusOf(tx) !== undefined;
}

/** A value for a client of any make. */
function given(value: unknown): string | number | null {
  if (value === null || value === undefined) return null;
  return typeof value === 'number' ? value : String(value);
}

/** The transaction's status by the server's last answer. Undefined for other objects than clients of `pg`, and for its older versions. */
function statusOf(tx: object): unknown {
  const { getTransactionStatus } = Object(tx);
  return typeof getTransactionStatus === 'function' ? getTransactionStatus.call(tx) : undefined;
}

function isRows<Row>(rows: unknown): rows is Row[] {
  return Array.isArray(rows);
}

function hasFailed(cause: unknown): DriverError {
  return new DriverError(
    'TransactionOver',
    "An earlier statement of the transaction of 'tx' has failed, and Postgres takes no other one: roll it back, or to a savepoint before that statement. The call has written nothing.",
    { cause },
  );
}

function otherShape(): DriverError {
  return new DriverError(
    'InvalidInput',
    "'tx' answers in a form that is not known here: query(text, values) must resolve with an array of rows, or with { rows }, where each row is an object, and a text is what the server has sent. A client of pg is without 'binary'.",
  );
}
