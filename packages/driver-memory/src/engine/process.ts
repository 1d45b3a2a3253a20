import { DriverError } from '@rowlock/core';
import type { Database } from './database.js';
import { autocommit, type Runner } from './runner.js';
import type { Transaction } from './transaction.js';

/** A worker's session, which its process can lose. */
interface Session {
  lose(): void;
}

/** The open transactions and sessions of one driver, like the connections of a process. */
export class Process implements Runner {
  readonly #database: Database;
  readonly #transactions = new Set<Transaction>();
  readonly #sessions = new Set<Session>();
  readonly #name: string;
  #end: DriverError | undefined;

  constructor(database: Database) {
    this.#database = database;
    this.#name = database.nameOfProcess();
  }

  get connections(): number {
    return this.#transactions.size + this.#sessions.size;
  }

  /** @throws DriverError `ConnectionLost` when the process has ended. */
  begin(idleLimitMs?: number): Transaction {
    this.check();
    const tx = this.#database.beginTransaction(idleLimitMs, () => this.#transactions.delete(tx), this.#name);
    this.#transactions.add(tx);
    return tx;
  }

  async run<Result>(statement: (tx: Transaction) => Result | Promise<Result>): Promise<Result> {
    return autocommit(this.begin(), statement);
  }

  /** @throws DriverError `ConnectionLost` when the process has ended. */
  check(): void {
    if (this.#end !== undefined) throw this.#end;
  }

  add(session: Session): void {
    this.#sessions.add(session);
  }

  remove(session: Session): void {
    this.#sessions.delete(session);
  }

  get hasEnded(): boolean {
    return this.#end !== undefined;
  }

  /** Acts as a server that ends every connection. New ones are accepted. */
  disconnect(cause = new Error('the server has ended the connection.')): void {
    for (const tx of [...this.#transactions]) tx.lose(cause);
    for (const session of [...this.#sessions]) session.lose();
  }

  /** Ends everything that is open. Nothing can be opened after that. */
  end(cause: Error): void {
    this.#end ??= new DriverError('ConnectionLost', `There is no database: ${cause.message}`, { cause });
    this.disconnect(cause);
  }
}
