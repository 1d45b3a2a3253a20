import { setImmediate as turn } from 'node:timers/promises';
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
import type { Connection } from 'mysql2/promise';
import type { Connect } from '../connection/connect.js';
import { cut, sessionOf } from '../connection/session.js';
import type { Context } from '../context.js';
import { toDriverError } from '../errors.js';
import { change, type MysqlTransaction } from '../query.js';
import { Bell } from './bell.js';
import { poll } from './poll.js';
import { canBeInterrupted } from './self-test.js';
import { Sleep } from './sleep.js';
import { WorkerLock } from './worker-lock.js';
import type { WorkerRow } from './worker-row.js';

/** Pauses between attempts to reconnect, in milliseconds. The last repeats, and still reconnects a worker before it counts as dead. */
const RECONNECT_MS = [20, 50, 100, 200, 400];

/** The timeout of an answer, in milliseconds. */
const ANSWER_MS = 5_000;

/**
 * The server ends the session of a silently lost worker after so many seconds without a statement. A worker's process must not be
 * blocked for so long. The worker sends a statement every second, or, while it polls, every five.
 */
const IDLE_SECONDS = 30;

/** The parts that a worker's session uses. */
export interface AnchorParts {
  readonly context: Context;
  readonly pool: MysqlTransaction;
  readonly connect: Connect;
  readonly row: WorkerRow;
  /** Whether producers may interrupt the session. */
  readonly push: boolean;
  readonly session: SessionListener | undefined;
}

/**
 * A worker's session: a connection that holds the worker's user lock, and sleeps on the server until a producer interrupts it.
 * Without the right to interrupt, or behind a proxy that hides the connection, the session polls the bell.
 */
export class MysqlAnchor implements Anchor {
  readonly proof = 'session';
  readonly #parts: AnchorParts;
  readonly #bell: Bell;
  readonly #lock: WorkerLock;
  readonly #sleep: Sleep;
  readonly #wait = new EndableWait();
  #client: Connection | null = null;
  #stopChecking: () => void = () => {};
  #pushed = false;
  #released = false;

  private constructor(parts: AnchorParts) {
    const { context, pool, row } = parts;
    this.#parts = parts;
    this.#bell = new Bell(context, pool);
    this.#lock = new WorkerLock(context, row.id);
    this.#sleep = new Sleep({
      workerId: this.workerId,
      sql: context.sql,
      bell: this.#bell,
      lock: this.#lock,
      wait: this.#wait,
    });
  }

  /** Opens the worker's session. @param client The connection for it, which is open. @throws DriverError */
  static async open(parts: AnchorParts, client: Connection): Promise<MysqlAnchor> {
    const anchor = new MysqlAnchor(parts);
    await anchor.#subscribe(client);
    return anchor;
  }

  get workerId(): string {
    return String(this.#parts.row.id);
  }

  get pushed(): boolean {
    return this.#pushed;
  }

  async *wakeUps(options: WakeUpOptions): AsyncGenerator<WakeUp> {
    const { looksOften = true, signal } = options;
    const source = {
      ...{ workerId: this.workerId, wait: this.#wait, isReleased: () => this.#released },
      receive: (leftMs: number) => this.#listen(leftMs, looksOften, signal),
    };
    for await (const wakeUp of wakeUpsOf(source, options)) {
      yield wakeUp;
      // The claim after a wake-up goes to the server before this session's next sleep.
      await turn();
    }
  }

  async report(lines: WorkerLines): Promise<void> {
    const { context, pool, row } = this.#parts;
    await change(pool, context.sql.workers.reportLines, [JSON.stringify(lines), row.id]);
  }

  async release(): Promise<void> {
    const { pool, row } = this.#parts;
    this.#released = true;
    this.#stopChecking();
    this.#wait.end();
    const client = this.#client;
    this.#client = null;
    await answerWithin(ANSWER_MS, row.end(pool)).catch(() => {});
    if (client === null) return;
    // The server may be late to notice a sleeping connection that is only closed.
    const killed = pool.query(`KILL ${sessionOf(client)}`).then(() => this.#lock.untilReleased(pool));
    await answerWithin(ANSWER_MS, killed).catch(() => {});
    cut(client);
  }

  /** Returns wake-ups as soon as there are some, or none after `leftMs` milliseconds. */
  async #listen(leftMs: number, looksOften: boolean, signal: AbortSignal): Promise<readonly WakeUp[]> {
    const client = this.#client;
    let received: readonly WakeUp[] = [];
    if (client !== null) {
      const isOver = (): boolean => signal.aborted || this.#released;
      // Polls do not detect a lost session, which has to be opened again at once.
      const isOverOrLost = (): boolean => isOver() || this.#client !== client;
      try {
        received = this.#pushed
          ? await this.#sleep.receive(client, { leftMs, looksOften, isOver })
          : await poll(this.#bell, this.#wait, leftMs, isOverOrLost);
        if (this.#client === client) return received;
      } catch {
        this.#drop();
      }
    }
    await this.#reconnect(leftMs, signal);
    // A caller that could not ring may have enqueued a job meanwhile.
    return [...received, {}];
  }

  /** @param opened The connection, if it is open already. */
  async #subscribe(opened?: Connection): Promise<void> {
    const { context, pool, row, push, session, connect } = this.#parts;
    const client = opened ?? (await connect());
    try {
      client.on('error', () => this.#lose(client));
      client.on('end', () => this.#lose(client));
      // All rings from here on are heard. The worker's first look finds the jobs of earlier ones.
      const begun = this.#bell.begin();
      begun.catch(() => {});
      await answerWithin(ANSWER_MS, this.#takeLock(client));
      // The row of a worker that was away for long may be deleted. It comes after the lock, which makes the worker count as alive. The pool
      // writes the row, as producers that have found the lock may interrupt this session's statements.
      if (opened === undefined) await answerWithin(ANSWER_MS, row.keep(pool));
      await begun;
      const test = { sql: context.sql, pool, lock: this.#lock, wait: this.#wait };
      this.#pushed = push && (await answerWithin(2 * ANSWER_MS, canBeInterrupted(client, test)));
      if (this.#released) throw new DriverError('ConnectionLost', 'The session was released meanwhile.');
      this.#client = client;
      // The session is back only now. When a part of the server does not answer, the worker must count as lost from its first failure on.
      session?.back();
      this.#stopChecking = keepChecking(
        async () => {
          row.showServer(pool).catch(() => {});
          return this.#sleep.isAsleep || this.#lock.isHeldBy(client);
        },
        () => this.#lose(client),
      );
    } catch (error) {
      cut(client);
      session?.lost();
      throw toDriverError(error);
    }
  }

  async #takeLock(client: Connection): Promise<void> {
    await client.query(this.#parts.context.sql.claims.idleLimit(IDLE_SECONDS));
    await this.#lock.take(client);
  }

  /** Waits for a new session, or for `everyMs` milliseconds: the regular polls go on meanwhile. */
  async #reconnect(everyMs: number, signal: AbortSignal): Promise<void> {
    const until = performance.now() + everyMs;
    const over = new AbortController();
    // A worker that stops does not wait for a silent server.
    const stopped = new Promise<void>((resolve) => {
      signal.addEventListener('abort', () => resolve(), { once: true, signal: over.signal });
    });
    for (let attempt = 0; !this.#released && !signal.aborted && performance.now() < until; attempt++) {
      await this.#wait.pause(RECONNECT_MS[Math.min(attempt, RECONNECT_MS.length - 1)] ?? 0);
      if (this.#released || signal.aborted) break;
      try {
        await Promise.race([this.#subscribe(), stopped]);
        break;
      } catch {
        // The server is still away.
      }
    }
    over.abort();
  }

  #lose(client: Connection): void {
    if (this.#client === client) this.#drop();
  }

  #drop(): void {
    if (this.#client !== null && !this.#released) this.#parts.session?.lost();
    this.#stopChecking();
    if (this.#client !== null) cut(this.#client);
    this.#client = null;
    this.#wait.end();
  }
}
