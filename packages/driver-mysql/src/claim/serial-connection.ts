import { DriverError } from '@rowlock/core';
import type { PoolConnection } from 'mysql2/promise';
import type { MysqlTransaction } from '../statements/query.js';

/** What a handler is told that goes on after its run. */
export function runOver(): DriverError {
  return new DriverError('TransactionOver', "The run has ended, and with it the handler's transaction.");
}

/**
 * One statement at a time. The client would send a second one as soon as the server has answered the first, whatever the
 * answer; but after a deadlock, which ends the transaction, a statement would be committed by itself.
 */
export class InTurn implements MysqlTransaction {
  readonly #client: PoolConnection;
  readonly #check: () => void;
  readonly #onError: (error: unknown) => Promise<never>;
  #last: Promise<unknown> = Promise.resolve();
  #waiting = 0;
  #forgotten = 0;

  /**
   * @param check Is asked when a statement's turn has come; what it throws, the statement is refused with.
   * @param onError Is told of a statement that failed, ahead of whoever asked it and of the next one.
   */
  constructor(client: PoolConnection, check: () => void, onError: (error: unknown) => Promise<never>) {
    this.#client = client;
    this.#check = check;
    this.#onError = onError;
  }

  /** Whether a statement is on its way, or waits for its turn. */
  get busy(): boolean {
    return this.#waiting > 0;
  }

  // biome-ignore lint/suspicious/noExplicitAny: as mysql2 declares it.
  execute(sql: string, values?: any): Promise<[any, any]> {
    return this.#take(() => this.#client.execute<never>(sql, values));
  }

  // biome-ignore lint/suspicious/noExplicitAny: as mysql2 declares it.
  query(sql: string, values?: any): Promise<[any, any]> {
    return this.#take(() => this.#client.query<never>(sql, values));
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
      return statement().catch(this.#onError);
    });
    this.#waiting += 1;
    this.#last = turn.catch(() => {}).finally(() => (this.#waiting -= 1));
    return turn;
  }
}
