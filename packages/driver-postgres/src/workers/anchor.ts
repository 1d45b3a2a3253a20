import { DriverError } from '@rowlock/core';
import {
  type Anchor,
  answerWithin,
  EndableWait,
  type SessionListener,
  type WakeUp,
  type WakeUpOptions,
  type WorkerLines,
  wakeUpsOf,
} from '@rowlock/core/driver';
import { keepChecking } from '@rowlock/sql-drivers';
import type { Client } from 'pg';
import { cut } from '../connection/connection.js';
import type { OutsidePool } from '../connection/outside-pool.js';
import type { Context } from '../context.js';
import { toUnsent } from '../errors.js';
import { identifier } from '../identifier.js';
import { type PostgresTransaction, query } from '../query.js';
import { parseText } from './wake-up.js';
import type { WorkerRow } from './worker-row.js';

/** Pauses between attempts to reconnect, in milliseconds. The last repeats, and still reconnects a worker before it counts as dead. */
const RECONNECT_MS = [20, 50, 100, 200, 400];

/** The timeout of an answer while the session is opened, in milliseconds. */
const ANSWER_MS = 10_000;

/**
 * A worker's session: a connection of its own that holds the worker's advisory lock and listens. The connection is not pooled:
 * a listener that shares its connection with long transactions holds up the server's notifications.
 */
export class PostgresAnchor implements Anchor {
  readonly proof = 'session';
  readonly pushed = true;
  readonly #context: Context;
  readonly #pool: PostgresTransaction;
  readonly #outside: OutsidePool;
  readonly #row: WorkerRow;
  readonly #session: SessionListener | undefined;
  readonly #received: WakeUp[] = [];
  readonly #wait = new EndableWait();
  readonly #reconnectWait = new EndableWait();
  #client: Client | null = null;
  /** The connection that is being opened. */
  #opening: Client | null = null;
  /** The pid of the session that held the worker's lock last. */
  #backend: number | null = null;
  #stopChecking: () => void = () => {};
  #released = false;
  #reconnecting: Promise<void> | null = null;

  private constructor(
    context: Context,
    pool: PostgresTransaction,
    outside: OutsidePool,
    row: WorkerRow,
    session: SessionListener | undefined,
  ) {
    this.#context = context;
    this.#pool = pool;
    this.#outside = outside;
    this.#row = row;
    this.#session = session;
  }

  /** Opens the worker's session. @param client The connection for it, which is open. */
  static async open(
    context: Context,
    pool: PostgresTransaction,
    outside: OutsidePool,
    row: WorkerRow,
    { session, client }: { readonly session: SessionListener | undefined; readonly client: Client },
  ): Promise<PostgresAnchor> {
    const anchor = new PostgresAnchor(context, pool, outside, row, session);
    await anchor.#subscribe(client);
    return anchor;
  }

  get workerId(): string {
    return String(this.#row.id);
  }

  wakeUps(options: WakeUpOptions): AsyncGenerator<WakeUp> {
    const receive = async (leftMs: number): Promise<readonly WakeUp[]> => {
      if (this.#received.length === 0) await this.#wait.pause(leftMs);
      return this.#received.splice(0);
    };
    const { workerId } = this;
    return wakeUpsOf({ workerId, wait: this.#wait, isReleased: () => this.#released, receive }, options);
  }

  async report(lines: WorkerLines): Promise<void> {
    await query(this.#pool, this.#context.sql.workers.reportLines, [this.#row.id, JSON.stringify(lines)]);
  }

  async release(): Promise<void> {
    this.#released = true;
    this.#reconnectWait.end();
    this.#wait.end();
    // The connection is no longer needed, and the server may be silent.
    if (this.#opening !== null) cut(this.#opening);
    await this.#reconnecting;
    this.#stopChecking();
    const client = this.#client;
    this.#client = null;
    const { sql, lockClass } = this.#context;
    await answerWithin(ANSWER_MS, this.#row.end(this.#pool)).catch(() => {});
    if (client === null) return;
    // Without this, the server would release the lock only some time after the connection's end.
    const freed = query(client, sql.anchor.letAnchorGo, [lockClass.signed, this.#row.id]);
    await answerWithin(ANSWER_MS, freed).catch(() => {});
    await answerWithin(ANSWER_MS, client.end(), () => cut(client)).catch(() => {});
  }

  #receive(wakeUp: WakeUp): void {
    this.#received.push(wakeUp);
    this.#wait.end();
  }

  /** @param opened The connection, if it is open already. */
  async #subscribe(opened?: Client): Promise<void> {
    const client = opened ?? this.#outside.client();
    this.#opening = client;
    client.on('notification', ({ payload }) => this.#receive(parseText(payload)));
    client.on('error', () => this.#lose(client));
    client.on('end', () => this.#lose(client));
    try {
      if (opened === undefined) await this.#outside.open(client);
      await answerWithin(ANSWER_MS, this.#hold(client));
      // The row of a worker that was away for long may be deleted. It is written while the lock is held, as no other worker counts this one
      // as gone then.
      if (opened === undefined) await answerWithin(ANSWER_MS, this.#row.keep(client));
      const { channel } = this.#context;
      await answerWithin(ANSWER_MS, query(client, `LISTEN ${identifier(channel)}`));
      this.#client = client;
      // The session is back only after LISTEN. A read-only server grants the lock too, but refuses LISTEN.
      this.#session?.back();
      this.#stopChecking = keepChecking(
        () => this.#holds(client),
        () => this.#lose(client),
      );
    } catch (error) {
      client.end().catch(() => {});
      this.#session?.lost();
      throw toUnsent(error);
    } finally {
      this.#opening = null;
    }
  }

  /** Takes the worker's lock. */
  async #hold(client: Client): Promise<void> {
    const { sql, lockClass } = this.#context;
    const values = [lockClass.signed, this.#row.id];
    const [lock] = await query<{ held: boolean; pid: number }>(client, sql.anchor.holdAnchor, values);
    if (lock?.held === true) {
      this.#backend = lock.pid;
      return;
    }
    // The server has not noticed the end of the earlier session, so this statement ends it.
    await query(client, sql.anchor.endAnchor, [lockClass.unsigned, this.#row.id, this.#backend]);
    throw new DriverError('LockTimeout', "The worker's lock is still held.");
  }

  async #holds(client: Client): Promise<boolean> {
    const { sql, lockClass } = this.#context;
    const values = [lockClass.unsigned, this.#row.id];
    const [lock] = await query<{ held: boolean }>(client, sql.anchor.holdsAnchor, values);
    // An undetected pooler has answered from another session. Other clients share the session that holds the lock.
    if (lock?.held !== true) this.#backend = null;
    return lock?.held === true;
  }

  #lose(client: Client): void {
    if (this.#client !== client) return;
    this.#client = null;
    this.#stopChecking();
    // With a query pending, end() does not wait for the server.
    client.end().catch(() => {});
    if (this.#released) return;
    this.#session?.lost();
    this.#reconnecting ??= this.#reconnect().finally(() => (this.#reconnecting = null));
  }

  async #reconnect(): Promise<void> {
    for (let attempt = 0; !this.#released; attempt++) {
      await this.#reconnectWait.pause(RECONNECT_MS[Math.min(attempt, RECONNECT_MS.length - 1)] ?? 0);
      if (this.#released) return;
      try {
        await this.#subscribe();
        // Notifications sent in between are lost, so the worker has to look.
        return this.#receive({});
      } catch {
        // The server is still away. The attempts go on, and so does polling.
      }
    }
  }
}
