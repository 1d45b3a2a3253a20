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
import { Bell } from './bell.js';
import type { Connect, Context } from '../context.js';
import { toDriverError } from '../errors.js';
import { change, type MysqlTransaction, query } from '../statements/query.js';
import { interrupt } from './ringer.js';
import { connectionOf, cut, sessionOf } from '../connection/session.js';
import type { WorkerRow } from './worker-row.js';

/** Pauses between attempts to reconnect, in milliseconds. The last repeats; with it the worker is back before it counts as dead. */
const RECONNECT_MS = [20, 50, 100, 200, 400];

/** Pauses between two looks at the bell where a sleep cannot be interrupted, in milliseconds. The last repeats. */
const POLL_MS = [5, 5, 10, 20, 50, 100, 250] as const;

/** How long one statement sleeps at most: so long may the server take to notice that its client is gone. */
const SLEEP_MS = 250;

/** How long the first sleep after a call is, in milliseconds: a call's ring follows some 50 ms behind it. See Ringer. */
const NAP_MS = 100;

/** How long the sleeps stay as short as the pauses are, once somebody rang who could not interrupt one. */
const UNCALLED_MS = 60_000;

/** How long the self-test waits for its own call, in milliseconds. */
const SELF_TEST_MS = 1_000;

/** How long the server may take to answer, beyond the time that it is asked to sleep, in milliseconds. */
const ANSWER_MS = 5_000;

/**
 * How long the server keeps a session whose worker says nothing, in seconds: one that is silently gone. A worker's process must
 * not be blocked for so long. It says something every second, or, while it polls, every five.
 */
const IDLE_SECONDS = 30;

/** MySQL's word for a statement that KILL QUERY has interrupted. */
const INTERRUPTED = 1317;

/**
 * A worker's session: a connection of its own that holds the worker's user lock and sleeps on the server until a
 * producer interrupts it. Where the right for that is missing, or a proxy hides the connection, it looks at the
 * bell now and then.
 */
export class MysqlAnchor implements Anchor {
  readonly proof = 'session';
  readonly #context: Context;
  readonly #pool: MysqlTransaction;
  readonly #connect: Connect;
  readonly #row: WorkerRow;
  readonly #push: boolean;
  readonly #session: SessionListener | undefined;
  readonly #bell: Bell;
  #client: Connection | null = null;
  /** The number of the session that held the worker's lock last. */
  #connection: number | null = null;
  #stopAsking: () => void = () => {};
  #asleep = false;
  /** Whether the last sleep was interrupted. */
  #called = false;
  /** Whether the last one found the bell rung, and the one before it was not interrupted. */
  #uncalled = false;
  #pushed = false;
  /** Until when to expect rings of somebody who cannot interrupt this session: another account, or a procedure. */
  #uncalledUntil = 0;
  #released = false;
  #interrupt: () => void = () => {};

  private constructor(
    context: Context,
    pool: MysqlTransaction,
    connect: Connect,
    row: WorkerRow,
    push: boolean,
    session: SessionListener | undefined,
  ) {
    this.#context = context;
    this.#pool = pool;
    this.#connect = connect;
    this.#row = row;
    this.#push = push;
    this.#session = session;
    this.#bell = new Bell(context, pool);
  }

  /** Opens the worker's session. */
  static async open(
    context: Context,
    pool: MysqlTransaction,
    connect: Connect,
    row: WorkerRow,
    push: boolean,
    session?: SessionListener,
  ): Promise<MysqlAnchor> {
    const anchor = new MysqlAnchor(context, pool, connect, row, push, session);
    await anchor.#subscribe();
    return anchor;
  }

  get workerId(): string {
    return String(this.#row.id);
  }

  get pushed(): boolean {
    return this.#pushed;
  }

  async *wakeUps({ queues, everyMs, signal }: WakeUpOptions): AsyncGenerator<WakeUp> {
    const stop = (): void => this.#interrupt();
    signal.addEventListener('abort', stop);
    try {
      // The session is subscribed by now: whatever was enqueued before is found by the look that this causes.
      yield {};
      let due = performance.now() + everyMs;
      while (!signal.aborted && !this.#released) {
        const heard = await this.#listen(due - performance.now(), signal);
        if (signal.aborted || this.#released) return;
        const wanted = heard.filter((each) => concerns(each, queues, this.workerId));
        // Calls for other queues do not put off the look that is due.
        const isDue = performance.now() >= due;
        if (wanted.length === 0 && !isDue) continue;
        yield* isDue ? coalesce([...wanted, {}]) : coalesce(wanted);
        // Whoever was woken asks for work first: the server is not to put this session to sleep ahead of that.
        await turn();
        due = performance.now() + everyMs;
      }
    } finally {
      signal.removeEventListener('abort', stop);
    }
  }

  async report(lines: WorkerLines): Promise<void> {
    await change(this.#pool, this.#context.sql.reportLines, [JSON.stringify(lines), this.#row.id]);
  }

  async release(): Promise<void> {
    this.#released = true;
    this.#stopAsking();
    this.#interrupt();
    const client = this.#client;
    this.#client = null;
    await answerWithin(ANSWER_MS, change(this.#pool, this.#context.sql.stopWorker, [this.#row.id])).catch(
      () => {},
    );
    if (client === null) return;
    // At its end the server frees the lock at once; a connection that is merely dropped while it sleeps it may notice late.
    await answerWithin(ANSWER_MS, this.#pool.query(`KILL ${sessionOf(client)}`)).catch(() => {});
    cut(client);
  }

  /** What to wake for: at once, when the sleep is interrupted, or after `leftMs` nothing. */
  async #listen(leftMs: number, signal: AbortSignal): Promise<readonly WakeUp[]> {
    const client = this.#client;
    let heard: readonly WakeUp[] = [];
    if (client !== null) {
      try {
        const called = await (this.#pushed
          ? this.#sleep(client, leftMs, signal)
          : this.#poll(client, leftMs, signal));
        heard = called ? [{}] : await this.#bell.hear();
        // Somebody rang who could not interrupt the sleep, or did not know of this session.
        if (this.#uncalled && heard.some(({ told }) => !told?.includes(this.workerId)))
          this.#uncalledUntil = performance.now() + UNCALLED_MS;
        if (this.#client === client) return heard;
      } catch {
        this.#drop();
      }
    }
    await this.#reconnect(leftMs, signal);
    // A job may have been enqueued meanwhile by a caller that could not ring: look for it.
    return [...heard, {}];
  }

  /**
   * Sleeps on the server until it is interrupted, the bell is found to have been rung, or `leftMs` are over.
   *
   * @returns whether it was interrupted
   */
  async #sleep(client: Connection, leftMs: number, signal: AbortSignal): Promise<boolean> {
    const until = performance.now() + leftMs;
    // Whoever called while this session was between two sleeps has rung by the end of a nap.
    const napping = this.#called;
    this.#called = false;
    this.#uncalled = false;
    // Looked at each turn: an interruption may come when the sleep is over and its answer still on its way.
    for (let look = 0; !signal.aborted && !this.#released; look++) {
      const began = performance.now();
      const longest = look === 0 && napping ? NAP_MS : began < this.#uncalledUntil ? pollMs(look) : SLEEP_MS;
      const ms = Math.min(until - began, longest);
      if (ms <= 0) return false;
      if (await this.#slumber(client, ms)) return true;
      if (performance.now() - began >= ms - 1) continue;
      // Not put to sleep: the bell had been rung. And in the sleep before, nobody interrupted that.
      this.#uncalled = look > (napping ? 1 : 0);
      return false;
    }
    return false;
  }

  /** One statement. Left to end by itself when the worker stops: a session cannot be asked while it sleeps. */
  async #slumber(client: Connection, ms: number): Promise<boolean> {
    const { places, values } = this.#bell.unheard();
    const sql = this.#context.sql.sleep(places);
    const sleep = async (): Promise<boolean> => {
      const [row] = await query<{ slept: number; only_reads: number }>(client, sql, [...values, ms / 1000]);
      if (Number(row?.only_reads) === 1) await this.#checkWrites(client);
      return Number(row?.slept) === 1;
    };
    this.#asleep = true;
    const slept = answerWithin(ms + ANSWER_MS, sleep())
      .catch(isInterruption)
      .finally(() => (this.#asleep = false));
    // When the worker stops, nobody waits for it any more.
    slept.catch(() => {});
    this.#called = await Promise.race([slept, this.#interruption()]);
    return this.#called;
  }

  async #poll(client: Connection, leftMs: number, signal: AbortSignal): Promise<boolean> {
    const until = performance.now() + leftMs;
    // Until the session is lost, too: it is to be opened again at once.
    const isOver = (): boolean => signal.aborted || this.#released || this.#client !== client;
    for (let look = 0; performance.now() < until && !isOver(); look++) {
      if (await this.#bell.isRung()) return false;
      await this.#pause(Math.max(0, Math.min(pollMs(look), until - performance.now())));
    }
    return false;
  }

  async #subscribe(): Promise<void> {
    const client = await this.#connect().catch((error: unknown) => {
      throw toDriverError(error);
    });
    try {
      client.on('error', () => this.#lose(client));
      client.on('end', () => this.#lose(client));
      await answerWithin(ANSWER_MS, this.#hold(client));
      await this.#bell.begin();
      this.#pushed = this.#push && (await answerWithin(2 * ANSWER_MS, this.#canBeInterrupted(client)));
      if (this.#released) throw new DriverError('ConnectionLost', 'The session was released meanwhile.');
      this.#client = client;
      // Only now: where a part of the server does not answer, the worker is to count as lost from its first failure on.
      this.#session?.back();
      this.#stopAsking = keepAsking(
        () => this.#holds(client),
        () => this.#lose(client),
      );
    } catch (error) {
      cut(client);
      this.#session?.lost();
      throw toDriverError(error);
    }
  }

  get #lockName(): string {
    return `${this.#context.lockPrefix}${this.#row.id}`;
  }

  /** Takes the worker's lock. */
  async #hold(client: Connection): Promise<void> {
    const { sql } = this.#context;
    await client.query(sql.idleLimit(IDLE_SECONDS));
    await this.#checkWrites(client);
    const [lock] = await query<{ held: number }>(client, sql.holdAnchor, [this.#lockName]);
    if (Number(lock?.held) === 1) {
      this.#connection = connectionOf(client);
      // With the lock, so that nobody takes the worker for gone any more; and over the pool, as whoever has found the lock may interrupt
      // what this session is asked.
      await this.#row.keep(this.#pool);
      return;
    }
    // The server has not noticed the end of the session before this one: it is told. Who holds the worker's lock is that.
    const holder = await this.#holder(client);
    if (holder !== null && holder === this.#connection) {
      await client.query(`KILL ${this.#connection}`).catch(() => {});
    }
    throw new DriverError('LockTimeout', "The worker's lock is still held.");
  }

  /** The number of the session that has the worker's lock. */
  async #holder(on: MysqlTransaction): Promise<number | null> {
    const [row] = await query<{ connection: number | string | null }>(on, this.#context.sql.anchorHolder, [
      this.#lockName,
    ]);
    return row?.connection == null ? null : Number(row.connection);
  }

  /**
   * After a fail-over the old server may live on and only read: a lock there proves nothing to those who work on the new one.
   *
   * @throws DriverError `ConnectionLost`
   */
  async #checkWrites(client: Connection): Promise<void> {
    await query(client, this.#context.sql.writes, [this.#row.id]);
  }

  /** A session that sleeps cannot be asked: its sleep is to end in time. */
  async #holds(client: Connection): Promise<boolean> {
    if (this.#asleep) return true;
    await this.#checkWrites(client).catch(isInterruption);
    const lock = query<{ held: number }>(client, this.#context.sql.holdsAnchor, [this.#lockName]);
    // A call that meets this question is as good as an answer.
    const held = await lock.then(([row]) => Number(row?.held) === 1, isInterruption);
    // A proxy that was not recognised has answered from another session, and the one with the lock is everybody's.
    if (!held) this.#connection = null;
    return held;
  }

  /** The self-test: sleeps, and calls itself as a producer would. */
  async #canBeInterrupted(client: Connection): Promise<boolean> {
    // As producers find its number: behind a proxy the client knows another one. Whoever has found it may interrupt whatever this
    // session is asked from now on, so it is not asked for it.
    const holder = await this.#holder(this.#pool);
    if (holder === null) return false;
    const session = sessionOf(client, holder);
    let over = false;
    const slept = query<{ slept: number }>(client, this.#context.sql.nap, [SELF_TEST_MS / 1000])
      .then(([row]) => Number(row?.slept) === 1, isInterruption)
      .finally(() => (over = true));
    // It may fail while this pauses, and nobody waits for it then.
    slept.catch(() => {});
    // A call that comes before the sleep is lost.
    for (; !over; await this.#pause(POLL_MS[0])) await interrupt(this.#pool, session);
    return slept;
  }

  /** Until there is a session again, or `everyMs` are over: the backstop goes on meanwhile. */
  async #reconnect(everyMs: number, signal: AbortSignal): Promise<void> {
    const until = performance.now() + everyMs;
    const over = new AbortController();
    // Whoever stops does not wait for a server that is silent.
    const stopped = new Promise<void>((resolve) => {
      signal.addEventListener('abort', () => resolve(), { once: true, signal: over.signal });
    });
    for (let attempt = 0; !this.#released && !signal.aborted && performance.now() < until; attempt++) {
      await this.#pause(RECONNECT_MS[Math.min(attempt, RECONNECT_MS.length - 1)] ?? 0);
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
    if (this.#client !== null && !this.#released) this.#session?.lost();
    this.#stopAsking();
    if (this.#client !== null) cut(this.#client);
    this.#client = null;
    this.#interrupt();
  }

  /** Of this side, not of the server's. */
  #interruption(): Promise<false> {
    return new Promise((resolve) => {
      this.#interrupt = () => resolve(false);
    });
  }

  #pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ms);
      this.#interrupt = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}

function pollMs(look: number): number {
  return POLL_MS[Math.min(look, POLL_MS.length - 1)] ?? 0;
}

/** @throws unless the error says that KILL QUERY has interrupted the statement. */
function isInterruption(error: unknown): true {
  const { cause } = toDriverError(error);
  if (cause instanceof Error && 'errno' in cause && cause.errno === INTERRUPTED) return true;
  throw error;
}

/** Many hints to look are one hint; each cancellation is its own. */
function coalesce(heard: readonly WakeUp[]): readonly WakeUp[] {
  const cancels = heard.filter(({ cancel }) => cancel !== undefined);
  const look = heard.find(({ cancel }) => cancel === undefined);
  return look === undefined ? cancels : [...cancels, look];
}
