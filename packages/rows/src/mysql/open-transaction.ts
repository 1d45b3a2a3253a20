import type { DriverError } from '@rowlock/core';
import { answerWithin } from '@rowlock/core/driver';
import type { MysqlTransaction } from '@rowlock/driver-mysql';
import {
  cut,
  Endings,
  endsTransaction,
  type Pool,
  type PoolConnection,
  SerialConnection,
  textOf,
  toDriverError,
  undoesTransaction,
} from '@rowlock/driver-mysql/internal';
import { checkCall, ownHandle } from '@rowlock/sql-drivers';
import { type BegunTransaction, type Isolation, levelOf, ROLLBACK_MS } from '../repeat-transaction.js';
import { commitError, endedByWork, transactionOver } from '../transaction-errors.js';

/** A transaction on a connection of the application's pool. Refuses statements after its end. */
export class OpenTransaction implements BegunTransaction<MysqlTransaction>, MysqlTransaction {
  readonly #client: PoolConnection;
  /** After a deadlock the server would commit the next statement by itself, so they go one by one. */
  readonly #serial: SerialConnection;
  readonly #endings = new Endings();
  #refusal: DriverError | null = null;

  private constructor(client: PoolConnection) {
    this.#client = client;
    this.#serial = new SerialConnection(
      {
        take: async () => client,
        give: (_, status) => (status === null ? client.destroy() : client.release()),
      },
      {
        check: () => {
          if (this.#refusal !== null) throw this.#refusal;
        },
        failed: async (error) => {
          const driverError = toDriverError(error);
          if (undoesTransaction(driverError)) this.#refusal ??= driverError;
        },
        // The pending statement fails by itself.
        lost: () => {},
      },
    );
    ownHandle(this);
  }

  /** @throws DriverError, InvalidInputError */
  static async begin(pool: Pool, isolation: Isolation | undefined): Promise<OpenTransaction> {
    const level = levelOf(isolation);
    const client = await pool.getConnection().catch((error: unknown) => {
      throw toDriverError(error, 'ConnectionLost');
    });
    const begun = new OpenTransaction(client);
    try {
      await begun.#serial.client();
      if (level !== null) await client.query(`SET TRANSACTION ISOLATION LEVEL ${level}`);
      await client.query('START TRANSACTION');
      return begun;
    } catch (error) {
      begun.#serial.end(null);
      throw toDriverError(error, 'ConnectionLost');
    }
  }

  get tx(): MysqlTransaction {
    return this;
  }

  // biome-ignore lint/suspicious/noExplicitAny: as mysql2 declares it.
  execute(...call: Parameters<MysqlTransaction['execute']>): Promise<[any, any]> {
    checkCall(call);
    return this.#looked(call[0], () => this.#serial.execute(...call));
  }

  // biome-ignore lint/suspicious/noExplicitAny: as mysql2 declares it.
  query(...call: Parameters<MysqlTransaction['query']>): Promise<[any, any]> {
    checkCall(call);
    return this.#looked(call[0], () => this.#serial.query(...call));
  }

  async commit(): Promise<void> {
    await this.#serial.rest();
    const refusal = this.#refusal;
    this.#refusal ??= transactionOver();
    if (refusal !== null) throw refusal;
    await this.#client.query('COMMIT').catch((error: unknown) => {
      throw commitError(error, toDriverError);
    });
    this.#serial.end(0);
  }

  async rollback(): Promise<void> {
    this.#refusal ??= transactionOver();
    try {
      await answerWithin(ROLLBACK_MS, this.#serial.rollback(), () => this.cut());
      this.#serial.end(0);
    } catch {
      this.#serial.end(null);
    }
  }

  cut(): void {
    cut(this.#client);
  }

  async #looked<Answer extends [unknown, unknown]>(
    sql: string,
    send: () => Promise<Answer>,
  ): Promise<Answer> {
    const ending = this.#endings.in(textOf(sql));
    if (ending !== null) throw ending;
    const answer = await send();
    if (endsTransaction(answer)) this.#refusal ??= endedByWork();
    return answer;
  }
}
