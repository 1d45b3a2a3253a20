import type { PoolConnection } from 'mysql2/promise';
import type { MysqlTransaction } from './query.js';

/**
 * One statement at a time. The client would send a second one as soon as the server has answered the first, whatever the
 * answer; but after a deadlock, which ends the transaction, a statement would be committed by itself.
 */
export class InTurn implements MysqlTransaction {
  readonly #client: PoolConnection;
  readonly #check: () => void;
  readonly #onError: (error: unknown) => never;
  #last: Promise<unknown> = Promise.resolve();

  /** @param check Is asked when a statement's turn has come; what it throws, the statement is refused with. */
  constructor(client: PoolConnection, check: () => void, onError: (error: unknown) => never) {
    this.#client = client;
    this.#check = check;
    this.#onError = onError;
  }

  // biome-ignore lint/suspicious/noExplicitAny: as mysql2 declares it.
  execute(sql: string, values?: any): Promise<[any, any]> {
    return this.#take(() => this.#client.execute<never>(sql, values));
  }

  // biome-ignore lint/suspicious/noExplicitAny: as mysql2 declares it.
  query(sql: string, values?: any): Promise<[any, any]> {
    return this.#take(() => this.#client.query<never>(sql, values));
  }

  /** Resolves when everything that has asked for its turn has had it. */
  async rest(): Promise<void> {
    await this.#last;
  }

  #take<Result>(statement: () => Promise<Result>): Promise<Result> {
    const turn = this.#last.then(() => {
      this.#check();
      return statement().catch(this.#onError);
    });
    this.#last = turn.catch(() => {});
    return turn;
  }
}
