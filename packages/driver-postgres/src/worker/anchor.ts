import { DriverError } from '@rowlock/core';
import {
  type Anchor,
  answerWithin,
  concerns,
  keepAsking,
  type SessionListener,
  type WakeUp,
  type WakeUpOptions,
  type WorkerLines,
} from '@rowlock/core/driver';
import type { Client } from 'pg';
import { cut } from '../connection/connection.js';
import type { Context } from '../context.js';
import { toDriverError } from '../errors.js';
import { identifier } from '../identifier.js';
import { type PostgresTransaction, query } from '../query.js';
import { parseText } from './wake-up.js';
import type { WorkerRow } from './worker-row.js';

/** What a timer takes at most, some 24 days: more would be 1 ms. */
const LONGEST_TIMER_MS = 2_147_483_647;

/** Pauses between attempts to reconnect, in milliseconds. The last repeats; with it the worker is back before it counts as dead. */
const RECONNECT_MS = [20, 50, 100, 200, 400];

/** How long the server may take to answer while the session is opened, in milliseconds. */
const ANSWER_MS = 10_000;

/**
 * A worker's session: a connection of its own that holds the worker's advisory lock and listens. It is not taken
 * from the pool: a listener that shares its connection with long transactions holds up the server's notifications.
 */
export class PostgresAnchor implements Anchor {
  readonly proof = 'session';
  readonly pushed = true;
  readonly #context: Context;
  readonly #pool: PostgresTransaction;
  readonly #connect: () => Client;
  readonly #row: WorkerRow;
  readonly #session: SessionListener | undefined;
  readonly #heard: WakeUp[] = [];
  #client: Client | null = null;
  /** The one that is being opened. */
  #opening: Client | null = null;
  /** The number of the session that held the worker's lock last. */
  #backend: number | null = null;
  #stopAsking: () => void = () => {};
  #signal: () => void = () => {};
  #released = false;
  #reconnecting: Promise<void> | null = null;
  #stopWaiting: () => void = () => {};

  private constructor(
    context: Context,
    pool: PostgresTransaction,
    connect: () => Client,
    row: WorkerRow,
    session: SessionListener | undefined,
  ) {
    this.#context = context;
    this.#pool = pool;
    this.#connect = connect;
    this.#row = row;
    this.#session = session;
  }

  /** Opens the worker's session. */
  static async open(
    context: Context,
    pool: PostgresTransaction,
    connect: () => Client,
    row: WorkerRow,
    session?: SessionListener,
  ): Promise<PostgresAnchor> {
    const anchor = new PostgresAnchor(context, pool, connect, row, session);
    await anchor.#subscribe();
    return anchor;
  }

  get workerId(): string {
    return String(this.#row.id);
  }

  async *wakeUps({ queues, everyMs, signal }: WakeUpOptions): AsyncGenerator<WakeUp> {
    const stop = (): void => this.#signal();
    signal.addEventListener('abort', stop);
    try {
      // The session is subscribed by now: whatever was enqueued before is found by the look that this causes.
      yield {};
      let due = performance.now() + everyMs;
      while (!signal.aborted && !this.#released) {
        await this.#wait(due - performance.now());
        if (signal.aborted || this.#released) return;
        const heard = this.#heard.splice(0);
        const wanted = heard.filter((each) => concerns(each, queues, this.workerId));
        // Calls for other queues do not put off the look that is due.
        const isDue = performance.now() >= due;
        if (wanted.length === 0 && !isDue) continue;
        yield* isDue ? coalesce([...wanted, {}]) : coalesce(wanted);
        due = performance.now() + everyMs;
      }
    } finally {
      signal.removeEventListener('abort', stop);
    }
  }

  async report(lines: WorkerLines): Promise<void> {
    await query(this.#pool, this.#context.sql.reportLines, [this.#row.id, JSON.stringify(lines)]);
  }

  async release(): Promise<void> {
    this.#released = true;
    this.#stopWaiting();
    this.#signal();
    // Nobody needs it any more, and the server may be silent.
    if (this.#opening !== null) cut(this.#opening);
    await this.#reconnecting;
    this.#stopAsking();
    const client = this.#client;
    this.#client = null;
    const { sql, lockClass } = this.#context;
    await answerWithin(ANSWER_MS, query(this.#pool, sql.stopWorker, [this.#row.id])).catch(() => {});
    if (client === null) return;
    // The server would free it too, but only some time after the connection's end.
    const freed = query(client, sql.letAnchorGo, [lockClass.signed, this.#row.id]);
    await answerWithin(ANSWER_MS, freed).catch(() => {});
    await answerWithin(ANSWER_MS, client.end(), () => cut(client)).catch(() => {});
  }

  /** Until something was heard, the signal was given, or `ms` are over. */
  #wait(ms: number): Promise<void> {
    if (this.#heard.length > 0 || this.#released) return Promise.resolve();
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, Math.min(Math.max(0, ms), LONGEST_TIMER_MS));
      this.#signal = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  #hear(wakeUp: WakeUp): void {
    this.#heard.push(wakeUp);
    this.#signal();
  }

  async #subscribe(): Promise<void> {
    const client = this.#connect();
    this.#opening = client;
    client.on('notification', ({ payload }) => this.#hear(parseText(payload)));
    client.on('error', () => this.#lose(client));
    client.on('end', () => this.#lose(client));
    try {
      await client.connect();
      await answerWithin(ANSWER_MS, this.#hold(client));
      const { channel } = this.#context;
      await answerWithin(ANSWER_MS, query(client, `LISTEN ${identifier(channel)}`));
      this.#client = client;
      // Not before: a server that only reads grants the lock as well, and refuses to LISTEN.
      this.#session?.back();
      this.#stopAsking = keepAsking(
        () => this.#holds(client),
        () => this.#lose(client),
      );
    } catch (error) {
      client.end().catch(() => {});
      this.#session?.lost();
      throw toDriverError(error);
    } finally {
      this.#opening = null;
    }
  }

  /** Takes the worker's lock. */
  async #hold(client: Client): Promise<void> {
    const { sql, lockClass } = this.#context;
    const [backend] = await query<{ pid: number }>(client, sql.backend);
    const [lock] = await query<{ held: boolean }>(client, sql.holdAnchor, [lockClass.signed, this.#row.id]);
    if (lock?.held === true) {
      this.#backend = backend?.pid ?? null;
      await query(client, sql.keepAlive).catch(() => {});
      // With the lock, so that nobody takes the worker for gone any more.
      await this.#row.keep(client);
      return;
    }
    // The server has not noticed the end of the session before this one: it is told.
    await query(client, sql.endAnchor, [lockClass.unsigned, this.#row.id, this.#backend]);
    throw new DriverError('LockTimeout', "The worker's lock is still held.");
  }

  async #holds(client: Client): Promise<boolean> {
    const { sql, lockClass } = this.#context;
    const values = [lockClass.unsigned, this.#row.id];
    const [lock] = await query<{ held: boolean }>(client, sql.holdsAnchor, values);
    // A pooler that was not recognised has answered from another session, and the one with the lock is everybody's.
    if (lock?.held !== true) this.#backend = null;
    return lock?.held === true;
  }

  #lose(client: Client): void {
    if (this.#client !== client) return;
    this.#client = null;
    this.#stopAsking();
    // With a question on its way, this does not wait for the server.
    client.end().catch(() => {});
    if (this.#released) return;
    this.#session?.lost();
    this.#reconnecting ??= this.#reconnect().finally(() => (this.#reconnecting = null));
  }

  async #reconnect(): Promise<void> {
    for (let attempt = 0; !this.#released; attempt++) {
      await this.#pause(RECONNECT_MS[Math.min(attempt, RECONNECT_MS.length - 1)] ?? 0);
      if (this.#released) return;
      try {
        await this.#subscribe();
        // What was sent in between is lost: look for it.
        return this.#hear({});
      } catch {
        // The server is still away; the backstop goes on meanwhile, and so does this.
      }
    }
  }

  #pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ms);
      this.#stopWaiting = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}

/** Many hints to look are one hint; each cancellation is its own. */
function coalesce(heard: readonly WakeUp[]): readonly WakeUp[] {
  const cancels = heard.filter(({ cancel }) => cancel !== undefined);
  const look = heard.find(({ cancel }) => cancel === undefined);
  return look === undefined ? cancels : [...cancels, look];
}
