import { answerWithin } from '@rowlock/core/driver';
import type { SharedPool } from '@rowlock/sql-drivers';
import type { Pool, PoolConnection } from 'mysql2/promise';
import type { Context } from '../context.js';
import { toUnsent } from '../errors.js';
import { takeConnection } from './connection.js';
import { UNMUTE, wasMuted } from './muted-sessions.js';
import { sharedPoolOf } from './pool.js';
import { cut, hasEnded, ref, unref } from './session.js';

/** The most connections that are kept between two claims. Others go back to the pool. */
const KEPT = 10;

/** A flag of the server's status, which the server sends with each answer. */
const AUTOCOMMIT = 2;

/**
 * Pooled connections with autocommit off: a claim's first statement begins the transaction. Each claim saves the round trip of a
 * START TRANSACTION. After a deadlock no statement is committed by itself.
 */
export class ClaimConnections {
  readonly #pool: Pool;
  readonly #shared: SharedPool<PoolConnection>;
  readonly #context: Context;
  readonly #idle: PoolConnection[] = [];
  /** The current limit of each connection, in seconds. A claim sets only a changed limit. */
  readonly #idleLimits = new WeakMap<object, number>();
  /** How many callers found no free connection, here or in the pool, and may be waiting. */
  #wanted = 0;

  constructor(pool: Pool, context: Context) {
    this.#pool = pool;
    this.#shared = sharedPoolOf(pool);
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
   * Takes a connection. The server ends the connection, with its open transaction, when it is idle for longer than the limit.
   * The least limit is a second.
   *
   * @param isSettlement Whether it is to settle a lease.
   * @throws DriverError
   */
  async take(idleLimitMs: number, isSettlement: boolean): Promise<PoolConnection> {
    const seconds = Math.max(1, idleLimitMs / 1000);
    const client = await this.#hold(seconds, isSettlement);
    try {
      if (wasMuted(client)) await this.#answered(client, client.query(UNMUTE));
      await this.#limitIdle(client, seconds);
      return client;
    } catch (error) {
      this.give(client, null);
      throw toUnsent(error);
    }
  }

  /**
   * Keeps a connection for the next claim, or gives the connection back to the pool.
   *
   * @param status The server's status after the end of the transaction, or null when the connection is unusable.
   */
  give(client: PoolConnection, status: number | null): void {
    // A handler has switched autocommit on, which would end every later claim at once.
    if (status === null || (status & AUTOCOMMIT) !== 0) client.destroy();
    else this.#keep(client);
    this.#shared.letGo();
  }

  async #hold(seconds: number, isSettlement: boolean): Promise<PoolConnection> {
    const source = {
      take: async () => this.#fromIdle() ?? (await this.#open(seconds)),
      giveBack: (client: PoolConnection) => this.#keep(client),
    };
    try {
      return await this.#shared.hold(source, this.#context.answerMs, isSettlement);
    } catch (error) {
      throw toUnsent(error);
    }
  }

  #keep(client: PoolConnection): void {
    // Its event came while it was taken.
    if (hasEnded(client)) return void client.destroy();
    if (this.#idle.length >= KEPT || this.#wanted > 0) return void this.#release(client);
    // A program that has nothing else to do may end.
    unref(client);
    this.#idle.push(client);
  }

  #fromIdle(): PoolConnection | undefined {
    const client = this.#idle.pop();
    if (client !== undefined) ref(client);
    return client;
  }

  async #open(seconds: number): Promise<PoolConnection> {
    const client = await takeConnection(this.#pool, this.#context.answerMs);
    try {
      await this.#limitIdle(client, seconds, 'autocommit = 0, ');
      return client;
    } catch (error) {
      client.destroy();
      throw toUnsent(error);
    }
  }

  /** @param also Other settings, each with a comma behind it. */
  async #limitIdle(client: PoolConnection, seconds: number, also = ''): Promise<void> {
    const { connection } = client;
    if (also === '' && this.#idleLimits.get(connection) === seconds) return;
    await this.#answered(client, client.query(this.#context.sql.claims.idleLimit(seconds, also)));
    this.#idleLimits.set(connection, seconds);
  }

  #answered(client: PoolConnection, answer: Promise<unknown>): Promise<unknown> {
    return answerWithin(this.#context.answerMs, answer, () => cut(client));
  }

  /** @param made The raw connection of the pool's event, which `PoolConnection` wraps. */
  #forget(made: object): void {
    const place = this.#idle.findIndex(({ connection }) => connection === made);
    if (place >= 0) this.#idle.splice(place, 1);
  }

  async #release(client: PoolConnection): Promise<void> {
    this.#wanted = Math.max(0, this.#wanted - 1);
    ref(client);
    try {
      if (wasMuted(client)) await this.#answered(client, client.query(UNMUTE));
      await this.#answered(client, client.query('SET autocommit = 1'));
      client.release();
    } catch {
      client.destroy();
    }
  }
}
