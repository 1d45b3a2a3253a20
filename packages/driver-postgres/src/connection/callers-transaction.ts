import { DriverError } from '@rowlock/core';
import { isOwnHandle, noTransaction, onlyReads } from '@rowlock/core/driver';
import type { QueryResultRow } from 'pg';
import { toDriverError } from '../errors.js';
import {
  type PostgresTransaction,
  type Queryable,
  type QueryConfig,
  type Rows,
  statementOf,
} from '../query.js';
import { MARK, NOT_WITHIN, within } from '../values/within.js';

/** On the driver's own connections this means a server that only reads. */
const READ_ONLY_TRANSACTION = '25006';

/**
 * A caller's transaction. No statement takes effect outside of it.
 *
 * A `pg` client knows from the server's last answer whether a transaction is open. When nothing is under way on it, a
 * statement is sent at once, ahead of what the caller sends later. Otherwise, and on objects of other makes, the
 * transaction is marked first, and the statement fails where the mark is not.
 */
export class CallersTransaction implements Queryable {
  readonly #tx: PostgresTransaction;

  constructor(tx: PostgresTransaction) {
    this.#tx = tx;
  }

  /** @throws DriverError */
  query<Row extends QueryResultRow>({ text, values = [] }: QueryConfig): Promise<Rows<Row>> {
    return this.#within((sent) => this.#send<Row>(sent, values), text);
  }

  /** The rows of a statement, read as the caller's connection reads them. @throws DriverError */
  async rows<Row extends QueryResultRow>(text: string, values: unknown[]): Promise<Row[]> {
    const { rows } = await this.#within(
      async (sent) => resultOf<Row>(await this.#tx.query<Row>(sent, values)),
      text,
    );
    return rows;
  }

  async #within<Answer>(send: (text: string) => Promise<Answer>, text: string): Promise<Answer> {
    try {
      if (this.#isNext()) return await send(text);
      await this.#mark();
      return await send(within(text));
    } catch (error) {
      if (String(Object(error).message).includes(NOT_WITHIN)) throw noTransaction();
      throw Object(error).code === READ_ONLY_TRANSACTION ? onlyReads(error) : toDriverError(error);
    }
  }

  /**
   * Whether the next statement that is sent is certain to be in a transaction. A failed transaction counts: the server
   * refuses the statement.
   *
   * @throws DriverError `TransactionOver`
   */
  #isNext(): boolean {
    if (isOwnHandle(this.#tx)) return true;
    const { readyForQuery } = Object(this.#tx);
    const status = statusOf(this.#tx);
    if (readyForQuery !== true || typeof status !== 'string') return false;
    if (status === 'I') throw noTransaction();
    return true;
  }

  async #mark(): Promise<void> {
    const { rows } = await this.#send<{ answer: string }>(MARK);
    if (rows[0]?.answer !== 'on') throw otherShape();
  }

  async #send<Row extends QueryResultRow>(text: string, values: unknown[] = []): Promise<Rows<Row>> {
    const isPg = isOwnHandle(this.#tx) || statusOf(this.#tx) !== undefined;
    return resultOf(
      isPg ? await this.#tx.query<Row>(statementOf(text, values)) : await this.#tx.query<Row>(text, values),
    );
  }
}

/** @throws DriverError `InvalidInput` */
function resultOf<Row extends QueryResultRow>(answer: unknown): Rows<Row> {
  const rows: unknown = Array.isArray(answer) ? answer : Object(answer).rows;
  if (!isRows<Row>(rows)) throw otherShape();
  return { rows, rowCount: rows.length };
}

/** The transaction's status by the server's last answer. Undefined for other objects than clients of `pg`, and for its older versions. */
function statusOf(tx: object): unknown {
  const { getTransactionStatus } = Object(tx);
  return typeof getTransactionStatus === 'function' ? getTransactionStatus.call(tx) : undefined;
}

function isRows<Row>(rows: unknown): rows is Row[] {
  return Array.isArray(rows);
}

function otherShape(): DriverError {
  return new DriverError(
    'InvalidInput',
    "'tx' answers in a form that is not known here: query(text, values) must resolve with an array of rows, or with { rows }, where each row is an object.",
  );
}
