import { runOver } from '@rowlock/core/driver';
import type { PoolConnection, ResultSetHeader } from 'mysql2/promise';
import { cut, sessionOf } from '../connection/session.js';
import type { MysqlTransaction } from '../query.js';

/** The source of a connection, and its destination. */
export interface Connections {
  take(): Promise<PoolConnection>;
  /** @param status The server's status after the end of the transaction, or null when the connection is unusable. */
  give(client: PoolConnection, status: number | null): void;
}

/** Receives the events of the statements. */
export interface Guard {
  /** Runs at a statement's turn. A thrown error refuses the statement. */
  check(): void;
  /** Runs when a statement has failed, before its caller gets the error and before the next statement. */
  failed(error: unknown): Promise<void>;
  /** The connection has ended. */
  lost(error?: Error): void;
}

/**
 * One statement at a time, on a connection that the first one takes. The client would send a second statement as soon as the server
 * has answered the first, even with an error. After a deadlock, which ends the transaction, the second would be committed by itself.
 */
export class SerialConnection implements MysqlTransaction {
  readonly #connections: Connections;
  readonly #guard: Guard;
  #taken: Promise<PoolConnection> | null = null;
  #client: PoolConnection | null = null;
  #last: Promise<unknown> = Promise.resolve();
  #waiting = 0;
  #dropped = 0;

  constructor(connections: Connections, guard: Guard) {
    this.#connections = connections;
    this.#guard = guard;
  }

  /** Whether a statement is on its way, or waits for its turn. */
  get busy(): boolean {
    return this.#waiting > 0;
  }

  /** The connection's session, in the form for KILL. Undefined before the first statement. */
  get session(): string | undefined {
    return this.#client === null ? undefined : sessionOf(this.#client);
  }

  // biome-ignore lint/suspicious/noExplicitAny: as mysql2 declares it.
  execute(sql: string, values?: any): Promise<[any, any]> {
    return this.#enqueue((client) => client.execute<never>(sql, values));
  }

  // biome-ignore lint/suspicious/noExplicitAny: as mysql2 declares it.
  query(sql: string, values?: any): Promise<[any, any]> {
    return this.#enqueue((client) => client.query<never>(sql, values));
  }

  /** The connection. The first call takes one. */
  client(): Promise<PoolConnection> {
    this.#taken ??= this.#take();
    return this.#taken;
  }

  /** Refuses the statements that wait for their turn. */
  drop(): void {
    this.#dropped += 1;
  }

  /** Resolves when every statement has had its turn. */
  async rest(): Promise<void> {
    await this.#last;
  }

  /** Rolls back after the statements that wait, without `check`. @returns the server's status; null without a connection */
  async rollback(): Promise<number | null> {
    await this.rest();
    const client = await this.#taken;
    if (client === null) return null;
    const [{ serverStatus }] = await client.query<ResultSetHeader>('ROLLBACK');
    return serverStatus;
  }

  cut(): void {
    if (this.#client !== null) cut(this.#client);
  }

  /** @param status The server's status after the end of the transaction, or null when the connection is unusable. */
  end(status: number | null): void {
    const client = this.#client;
    if (client === null) {
      void this.#taken?.then(
        (late) => this.#connections.give(late, null),
        () => {},
      );
      return;
    }
    client.off('error', this.#lost);
    client.off('end', this.#lost);
    this.#connections.give(client, status);
  }

  async #take(): Promise<PoolConnection> {
    this.#guard.check();
    const client = await this.#connections.take();
    this.#client = client;
    client.on('error', this.#lost);
    client.on('end', this.#lost);
    return client;
  }

  #enqueue<Result>(statement: (client: PoolConnection) => Promise<Result>): Promise<Result> {
    const dropped = this.#dropped;
    const turn = this.#last.then(async () => {
      const client = await this.client();
      this.#guard.check();
      if (dropped < this.#dropped) throw runOver();
      return statement(client).catch(async (error: unknown) => {
        await this.#guard.failed(error);
        throw error;
      });
    });
    this.#waiting += 1;
    this.#last = turn.catch(() => {}).finally(() => (this.#waiting -= 1));
    return turn;
  }

  readonly #lost = (error?: Error): void => this.#guard.lost(error);
}
