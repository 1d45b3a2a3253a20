import { setImmediate as turn } from 'node:timers/promises';
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
import type { Connection } from 'mysql2/promise';
import type { Connect } from '../connection/connect.js';
import { cut, sessionOf } from '../connection/session.js';
import type { Context } from '../context.js';
import { toDriverError } from '../errors.js';
import { change, type MysqlTransaction } from '../query.js';
import { Bell } from './bell.js';
import { EndableWait } from './endable-wait.js';
import { poll } from './poll.js';
import { canBeInterrupted } from './self-test.js';
import { Sleep } from './sleep.js';
import { WorkerLock } from './worker-lock.js';
import type { WorkerRow } from './worker-row.js';

/** Pauses between attempts to reconnect, in milliseconds. The last repeats; with it the worker is back before it counts as dead. */
const RECONNECT_MS = [20, 50, 100, 200, 400];

/** How long the server may take to answer, in milliseconds. */
const ANSWER_MS = 5_000;

/**
 * How long the server keeps a session whose worker sends nothing, in seconds: one that is silently gone. A worker's process must not
 * be blocked for so long. It sends a statement every second, or, while it polls, every five.
 */
const IDLE_SECONDS = 30;

/** What a worker's session stands on. */
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
 * A worker's session: a connection that holds the worker's user lock, and sleeps on the server until a producer interrupts it. It
 * polls the bell where the right for that is missing, or a proxy hides the connection.
 */
export class MysqlAnchor implements Anchor {
  readonly proof = 'session';
  readonly #parts: AnchorParts;
  readonly #bell: Bell;
  readonly #lock: WorkerLock;
  readonly #sleep: Sleep;
  readonly #wait = new EndableWait();
  #client: Connection | null = null;
  #stopAsking: () => void = () => {};
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

  /** Opens the worker's session. @throws DriverError */
  static async open(parts: AnchorParts): Promise<MysqlAnchor> {
    const anchor = new MysqlAnchor(parts);
    await anchor.#subscribe();
    return anchor;
  }

  get workerId(): string {
    return String(this.#parts.row.id);
  }

  get pushed(): boolean {
    return this.#pushed;
  }

  async *wakeUps({ queues, everyMs, signal }: WakeUpOptions): AsyncGenerator<WakeUp> {
    const stop = (): void => this.#wait.end();
    signal.addEventListener('abort', stop);
    try {
      // The session is subscribed by now: the look that this causes finds all that was enqueued before.
      yield {};
      let due = performance.now() + everyMs;
      while (!signal.aborted && !this.#released) {
        const heard = await this.#listen(due - performance.now(), signal);
        if (signal.aborted || this.#released) return;
        const wanted = heard.filter((each) => concerns(each, queues, this.workerId));
        // Wake-ups for other queues do not put off the look that is due.
        const isDue = performance.now() >= due;
        if (wanted.length === 0 && !isDue) continue;
        yield* isDue ? coalesce([...wanted, {}]) : coalesce(wanted);
        // The claim that a wake-up causes goes to the server before this session's next sleep.
        await turn();
        due = performance.now() + everyMs;
      }
    } finally {
      signal.removeEventListener('abort', stop);
    }
  }

  async report(lines: WorkerLines): Promise<void> {
    const { context, pool, row } = this.#parts;
    await change(pool, context.sql.reportLines, [JSON.stringify(lines), row.id]);
  }

  async release(): Promise<void> {
    const { context, pool, row } = this.#parts;
    this.#released = true;
    this.#stopAsking();
    this.#wait.end();
    const client = this.#client;
    this.#client = null;
    await answerWithin(ANSWER_MS, change(pool, context.sql.stopWorker, [row.id])).catch(() => {});
    if (client === null) return;
    // The KILL frees the lock at once. The server may be late to notice a connection that is merely closed while it sleeps.
    await answerWithin(ANSWER_MS, pool.query(`KILL ${sessionOf(client)}`)).catch(() => {});
    cut(client);
  }

  /** The wake-ups, at once, or none after `leftMs` milliseconds. */
  async #listen(leftMs: number, signal: AbortSignal): Promise<readonly WakeUp[]> {
    const client = this.#client;
    let heard: readonly WakeUp[] = [];
    if (client !== null) {
      const isOver = (): boolean => signal.aborted || this.#released;
      // Polls do not notice by themselves that the session is lost, and is to be opened again at once.
      const isOverOrLost = (): boolean => isOver() || this.#client !== client;
      try {
        heard = this.#pushed
          ? await this.#sleep.hear(client, leftMs, isOver)
          : await poll(this.#bell, this.#wait, leftMs, isOverOrLost);
        if (this.#client === client) return heard;
      } catch {
        this.#drop();
      }
    }
    await this.#reconnect(leftMs, signal);
    // A caller that could not ring may have enqueued a job meanwhile.
    return [...heard, {}];
  }

  async #subscribe(): Promise<void> {
    const { context, pool, connect, push, session } = this.#parts;
    const client = await connect().catch((error: unknown) => {
      throw toDriverError(error);
    });
    try {
      client.on('error', () => this.#lose(client));
      client.on('end', () => this.#lose(client));
      await answerWithin(ANSWER_MS, this.#takeLock(client));
      await this.#bell.begin();
      const test = { sql: context.sql, pool, lock: this.#lock, wait: this.#wait };
      this.#pushed = push && (await answerWithin(2 * ANSWER_MS, canBeInterrupted(client, test)));
      if (this.#released) throw new DriverError('ConnectionLost', 'The session was released meanwhile.');
      this.#client = client;
      // Only now: where a part of the server does not answer, the worker is to count as lost from its first failure on.
      session?.back();
      this.#stopAsking = keepAsking(
        async () => this.#sleep.isAsleep || this.#lock.isHeldBy(client),
        () => this.#lose(client),
      );
    } catch (error) {
      cut(client);
      session?.lost();
      throw toDriverError(error);
    }
  }

  async #takeLock(client: Connection): Promise<void> {
    const { context, pool, row } = this.#parts;
    await client.query(context.sql.idleLimit(IDLE_SECONDS));
    await this.#lock.take(client);
    // After the lock, from which on the worker counts as alive. On the pool, as producers that have found the lock may interrupt this
    // session's statements.
    await row.keep(pool);
  }

  /** Until there is a session again, or `everyMs` milliseconds are over: the regular looks go on meanwhile. */
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
    this.#stopAsking();
    if (this.#client !== null) cut(this.#client);
    this.#client = null;
    this.#wait.end();
  }
}

/** Many hints to look are one hint. Each cancellation is kept. */
function coalesce(heard: readonly WakeUp[]): readonly WakeUp[] {
  const cancels = heard.filter(({ cancel }) => cancel !== undefined);
  const look = heard.find(({ cancel }) => cancel === undefined);
  return look === undefined ? cancels : [...cancels, look];
}
