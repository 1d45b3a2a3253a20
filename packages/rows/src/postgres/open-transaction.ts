import type { DriverError } from '@rowlock/core';
import { answerWithin, endRefused } from '@rowlock/core/driver';
import type { PostgresTransaction, QueryConfig } from '@rowlock/driver-postgres';
import {
  cut,
  Endings,
  type Pool,
  type PoolClient,
  type QueryResult,
  type QueryResultRow,
  textOf,
  toDriverError,
  watch,
} from '@rowlock/driver-postgres/internal';
import { checkCall, ownHandle } from '@rowlock/sql-drivers';
import { type BegunTransaction, type Isolation, levelOf, ROLLBACK_MS } from '../repeat-transaction.js';
import { commitError, endedByWork, transactionOver } from '../transaction-errors.js';

/** A statement in a transaction that an earlier one has failed. It tells nothing of the cause. */
const IN_FAILED_TRANSACTION = '25P02';

/** An error event without a listener would end the process. Pending statements fail with the error anyway. */
const ignore = (): void => {};

/** A transaction on a connection of the application's pool. Refuses statements after its end. */
export class OpenTransaction implements BegunTransaction<PostgresTransaction>, PostgresTransaction {
  readonly #client: PoolClient;
  readonly #endings = new Endings();
  #refusal: DriverError | null = null;
  /** The last error of a statement. */
  #failure: unknown;

  private constructor(client: PoolClient) {
    this.#client = client;
    ownHandle(this);
  }

  /** @throws DriverError, InvalidInputError */
  static async begin(pool: Pool, isolation: Isolation | undefined): Promise<OpenTransaction> {
    const level = levelOf(isolation);
    watch(pool);
    const client = await pool.connect().catch((error: unknown) => {
      throw toDriverError(error, 'ConnectionLost');
    });
    client.on('error', ignore);
    const begun = new OpenTransaction(client);
    try {
      await client.query(level === null ? 'BEGIN' : `BEGIN ISOLATION LEVEL ${level}`);
      return begun;
    } catch (error) {
      begun.#giveBack(true);
      throw toDriverError(error, 'ConnectionLost');
    }
  }

  get tx(): PostgresTransaction {
    return this;
  }

  query<Row extends QueryResultRow = QueryResultRow>(
    ...call: Parameters<PostgresTransaction['query']>
  ): Promise<QueryResult<Row>> {
    checkCall(call);
    return this.#send<Row>(...call);
  }

  async #send<Row extends QueryResultRow>(
    text: string | QueryConfig,
    values?: unknown[],
  ): Promise<QueryResult<Row>> {
    if (this.#refusal !== null) throw this.#refusal;
    const ending = this.#endings.in(textOf(text));
    if (ending !== undefined) throw endRefused(ending);
    try {
      return await this.#client.query<Row>(text, values);
    } catch (error) {
      if (Object(error).code !== IN_FAILED_TRANSACTION) this.#failure = error;
      throw error;
    } finally {
      // An older client does not expose the status.
      if (this.#client.getTransactionStatus?.() === 'I') this.#refusal ??= endedByWork();
    }
  }

  async commit(): Promise<void> {
    const refusal = this.#refusal;
    this.#refusal ??= transactionOver();
    if (refusal !== null) throw refusal;
    const { command } = await this.#client.query('COMMIT').catch((error: unknown) => {
      throw commitError(error, toDriverError);
    });
    // So the server answers where a statement has failed, and the work has gone on all the same.
    if (command === 'ROLLBACK') throw toDriverError(this.#failure ?? new Error('A statement has failed.'));
    this.#giveBack(false);
  }

  async rollback(): Promise<void> {
    this.#refusal ??= transactionOver();
    try {
      await answerWithin(ROLLBACK_MS, this.#client.query('ROLLBACK'), () => this.cut());
      this.#giveBack(false);
    } catch {
      this.#giveBack(true);
    }
  }

  cut(): void {
    cut(this.#client);
  }

  #giveBack(isBroken: boolean): void {
    this.#client.off('error', ignore);
    this.#client.release(isBroken);
  }
}
