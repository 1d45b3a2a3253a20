import { DriverError } from '@rowlock/core';
import type { Connection } from 'mysql2/promise';
import { connectionOf } from '../connection/session.js';
import type { Context } from '../context.js';
import { type MysqlTransaction, query } from '../query.js';
import { isInterruption } from './interruption.js';

/** The user lock that proves a worker alive. The server releases the lock at the end of its session. */
export class WorkerLock {
  readonly #context: Context;
  readonly #workerId: number;
  readonly #name: string;
  /** The number of the session that held the lock last. */
  #connection: number | null = null;

  constructor(context: Context, workerId: number) {
    this.#context = context;
    this.#workerId = workerId;
    this.#name = `${context.lockPrefix}${workerId}`;
  }

  /** @throws DriverError `LockTimeout` while an earlier session of the worker holds it */
  async take(client: Connection): Promise<void> {
    const text = this.#context.sql.anchor.holdAnchor;
    const [lock] = await query<{ held: number; only_reads: number }>(client, text, [this.#name]);
    if (Number(lock?.only_reads) === 1) await this.checkWrites(client);
    if (Number(lock?.held) === 1) {
      this.#connection = connectionOf(client);
      return;
    }
    // The server has not noticed the end of the earlier session. Only a session that holds the lock is that one.
    const holder = await this.holder(client);
    if (holder !== null && holder === this.#connection) {
      await client.query(`KILL ${this.#connection}`).catch(() => {});
    }
    throw new DriverError('LockTimeout', "The worker's lock is still held.");
  }

  /** Whether a session still holds the lock. @throws DriverError */
  async isHeldBy(client: Connection): Promise<boolean> {
    await this.checkWrites(client).catch(isInterruption);
    const lock = query<{ held: number }>(client, this.#context.sql.anchor.holdsAnchor, [this.#name]);
    // An interruption proves that the server answers.
    const held = await lock.then(([row]) => Number(row?.held) === 1, isInterruption);
    // An undetected proxy has answered from another session. Other clients may share the session that holds the lock.
    if (!held) this.#connection = null;
    return held;
  }

  /** Waits until the server has released the lock of a session that was ended. @throws DriverError */
  async untilReleased(on: MysqlTransaction): Promise<void> {
    await query(on, this.#context.sql.anchor.waitForLock, [this.#name, this.#name]);
  }

  /** The number of the session that holds the lock. @throws DriverError */
  async holder(on: MysqlTransaction): Promise<number | null> {
    const text = this.#context.sql.anchor.anchorHolder;
    const [row] = await query<{ connection: number | string | null }>(on, text, [this.#name]);
    return row?.connection == null ? null : Number(row.connection);
  }

  /**
   * Checks that the server is writable. After a fail-over the old server may live on and be read-only: a lock there proves nothing on
   * the new one.
   *
   * @throws DriverError `ConnectionLost`
   */
  async checkWrites(client: Connection): Promise<void> {
    await query(client, this.#context.sql.bell.writes, [this.#workerId]);
  }
}
