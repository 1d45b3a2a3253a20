import { answerWithin } from '@rowlock/core/driver';
import type { Pool, PoolConnection } from 'mysql2/promise';
import type { Context } from '../context.js';
import { toDriverError } from '../errors.js';
import { takeConnection } from './connection.js';
import { cut } from './session.js';

/** How many connections are kept between two claims. More than that go back to the pool. */
const KEPT = 10;

/** A flag of the server's status, which the server sends with each answer. */
const AUTOCOMMIT = 2;

/**
 * Connections of the pool on which a claim's first statement begins the transaction by itself. That saves each claim the
 * round trip of a START TRANSACTION. After a deadlock no statement is committed by itself.
 */
export class ClaimConnections {
  readonly #pool: Pool;
  readonly #context: Context;
  readonly #idle: PoolConnection[] = [];
  /** The limit that each connection has now, in seconds, so that it is not set for every claim. */
  readonly #idleLimits = new WeakMap<object, number>();
  /** How many have found no connection to spare, here and in the pool, and may be waiting. */
  #wanted = 0;

  constructor(pool: Pool, context: Context) {
    this.#pool = pool;
    this.#context = context;
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

  /**
   * A connection that the server ends, with what is open on it, when it idles for longer. A second is the least.
   *
   * @throws DriverError
   */
  async take(idleLimitMs: number): Promise<PoolConnection> {
    const client = this.#idle.pop() ?? (await this.#open());
    try {
      await this.#limitIdle(client, Math.max(1, idleLimitMs / 1000));
      return client;
    } catch (error) {
      client.destroy();
      throw toDriverError(error);
    }
  }

  /**
   * Keeps a connection for the next claim, or gives it back to the pool.
   *
   * @param status The server's status after the end of the transaction.
   */
  give(client: PoolConnection, status: number): void {
    // A handler has switched autocommit on: every later claim would be over at once.
    if ((status & AUTOCOMMIT) !== 0) client.destroy();
    else if (this.#idle.length < KEPT && this.#wanted === 0) this.#idle.push(client);
    else void this.#release(client);
  }

  async #open(): Promise<PoolConnection> {
    const client = await takeConnection(this.#pool, this.#context.answerMs);
    try {
      await this.#answered(client, client.query('SET autocommit = 0'));
      return client;
    } catch (error) {
      client.destroy();
      throw toDriverError(error);
    }
  }

  async #limitIdle(client: PoolConnection, seconds: number): Promise<void> {
    const { connection } = client;
    if (this.#idleLimits.get(connection) === seconds) return;
    await this.#answered(client, client.query(this.#context.sql.idleLimit(seconds)));
    this.#idleLimits.set(connection, seconds);
  }

  #answered(client: PoolConnection, answer: Promise<unknown>): Promise<unknown> {
    return answerWithin(this.#context.answerMs, answer, () => cut(client));
  }

  /** The pool's event has the connection itself, which `PoolConnection` wraps. */
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
