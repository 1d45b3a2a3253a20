import { answerWithin } from '@rowlock/core/driver';
import type { Pool, PoolConnection } from 'mysql2/promise';
import { toDriverError } from '../errors.js';
import { cut, takeConnection } from './session.js';

/** How many connections are kept between two claims. What is more goes back to the pool. */
const KEPT = 10;

/** A flag of the server's status, which it sends with each answer. */
const AUTOCOMMIT = 2;

/**
 * Connections of the pool on which a claim's first statement begins the transaction by itself. That saves each claim the
 * round trip of a START TRANSACTION, and after a deadlock no statement is committed by itself.
 */
export class ClaimConnections {
  readonly #pool: Pool;
  readonly #answerMs: number;
  readonly #idle: PoolConnection[] = [];
  /** How many have found neither the pool nor this with a connection to spare, and may be waiting. */
  #wanted = 0;

  constructor(pool: Pool, answerMs: number) {
    this.#pool = pool;
    this.#answerMs = answerMs;
    pool.on('enqueue', () => {
      const client = this.#idle.shift();
      if (client === undefined) this.#wanted += 1;
      else void this.#release(client);
    });
    pool.on('connection', (made) => {
      const forget = (): void => this.#forget(made);
      made.on('error', forget).on('end', forget);
    });
  }

  /** @throws DriverError */
  async take(): Promise<PoolConnection> {
    return this.#idle.pop() ?? this.#open();
  }

  /**
   * Keeps a connection for the next claim, or lets the pool have it.
   *
   * @param status What the server said of the connection when it ended the transaction.
   */
  give(client: PoolConnection, status: number): void {
    // A handler has switched it on, and with it each later claim would be over at once.
    if ((status & AUTOCOMMIT) !== 0) client.destroy();
    else if (this.#idle.length < KEPT && this.#wanted === 0) this.#idle.push(client);
    else void this.#release(client);
  }

  async #open(): Promise<PoolConnection> {
    const client = await takeConnection(this.#pool, this.#answerMs);
    try {
      await this.#answered(client, client.query('SET autocommit = 0'));
      return client;
    } catch (error) {
      client.destroy();
      throw toDriverError(error);
    }
  }

  #answered(client: PoolConnection, answer: Promise<unknown>): Promise<unknown> {
    return answerWithin(this.#answerMs, answer, () => cut(client));
  }

  /** The pool tells of the connection itself, of which `PoolConnection` is a wrapping. */
  #forget(made: object): void {
    const place = this.#idle.findIndex(({ connection }) => connection === made);
    if (place >= 0) this.#idle.splice(place, 1);
  }

  async #release(client: PoolConnection): Promise<void> {
    this.#wanted = Math.max(0, this.#wanted - 1);
    try {
      await this.#answered(client, client.query('SET autocommit = 1'));
      client.release();
    } catch {
      client.destroy();
    }
  }
}
