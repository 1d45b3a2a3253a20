import {
  type Anchor,
  DriverError,
  type WakeUp,
  type WakeUpOptions,
  type WorkerInfo,
  type WorkerLines,
} from '@rowlock/core';
import type { Connection } from 'mysql2/promise';
import type { Context } from './context.js';
import { toDriverError } from './errors.js';
import { change, list, type MysqlTransaction, query } from './query.js';
import { call, KEPT } from './ring.js';

/** Pauses between attempts to reconnect, in milliseconds. The last repeats. */
const RECONNECT_MS = [20, 50, 100, 200, 500, 1_000];

/** Pauses between two looks at the bell where a sleep cannot be interrupted, in milliseconds. The last repeats. */
const POLL_MS = [5, 5, 10, 20, 50, 100, 250] as const;

/** How long one statement sleeps at most: so long may the server take to notice that its client is gone. */
const SLEEP_MS = 1_000;

/** How long the self-test waits for its own call, in milliseconds. */
const SELF_TEST_MS = 1_000;

/** How long a ring may be on its way: its number is given when it is written, and it is seen when that commits. */
const LATE_MS = 30_000;

/** How many numbers that are not seen yet are kept in mind at most. */
const MOST_LATE = 256;

/** MySQL's word for a statement that KILL QUERY has interrupted. */
const INTERRUPTED = 1317;

/** Opens a connection for a worker's session. */
export type Connect = () => Promise<Connection>;

/**
 * A worker's session: a connection of its own that holds the worker's user lock and sleeps on the server until a
 * producer interrupts it. Where the right for that is missing, or a proxy hides the connection, it looks at the
 * bell now and then.
 */
export class MysqlAnchor implements Anchor {
  readonly #context: Context;
  readonly #pool: MysqlTransaction;
  readonly #connect: Connect;
  readonly #id: number;
  #client: Connection | null = null;
  #lastRing: bigint | null = null;
  /** Numbers below the last that have not been seen, and until when to look for them. */
  readonly #late = new Map<bigint, number>();
  /** Before which number the bell was cleared. */
  #pruned = 0n;
  #pushed = false;
  #released = false;
  #interrupt: () => void = () => {};

  private constructor(context: Context, pool: MysqlTransaction, connect: Connect, id: number) {
    this.#context = context;
    this.#pool = pool;
    this.#connect = connect;
    this.#id = id;
  }

  /** Adds the worker to the table and opens its session. */
  static async open(
    context: Context,
    pool: MysqlTransaction,
    connect: Connect,
    { name, host, pid }: WorkerInfo,
  ): Promise<MysqlAnchor> {
    const { insertId } = await change(pool, context.sql.addWorker, [name, host, pid]);
    const anchor = new MysqlAnchor(context, pool, connect, insertId);
    await anchor.#subscribe();
    return anchor;
  }

  get workerId(): string {
    return String(this.#id);
  }

  /** Whether wake-ups are pushed to this session; if not, they are polled for. */
  get pushed(): boolean {
    return this.#pushed;
  }

  async *wakeUps({ queues, everyMs, signal }: WakeUpOptions): AsyncGenerator<WakeUp> {
    const stop = (): void => this.#interrupt();
    signal.addEventListener('abort', stop);
    try {
      // The session is subscribed by now: whatever was enqueued before is found by the look that this causes.
      yield {};
      while (!signal.aborted && !this.#released) {
        const heard = await this.#listen(everyMs, signal);
        if (signal.aborted || this.#released) return;
        const wanted = heard.filter(({ queue }) => queue === undefined || queues.includes(queue));
        if (heard.length === 0) yield {};
        else yield* coalesce(wanted);
      }
    } finally {
      signal.removeEventListener('abort', stop);
    }
  }

  async report(lines: WorkerLines): Promise<void> {
    await change(this.#pool, this.#context.sql.reportLines, [JSON.stringify(lines), this.#id]);
  }

  async release(): Promise<void> {
    this.#released = true;
    this.#interrupt();
    const client = this.#client;
    this.#client = null;
    await change(this.#pool, this.#context.sql.stopWorker, [this.#id]).catch(() => {});
    if (client === null) return;
    // At its end the server frees the lock at once; a connection that is merely dropped while it sleeps it may notice late.
    await this.#pool.query(`KILL ${client.threadId}`).catch(() => {});
    client.destroy();
  }

  /** What was rung since the last look: at once, when the sleep is interrupted, or after `everyMs` nothing. */
  async #listen(everyMs: number, signal: AbortSignal): Promise<readonly WakeUp[]> {
    const client = this.#client;
    let heard: readonly WakeUp[] = [];
    if (client !== null) {
      try {
        await (this.#pushed ? this.#sleep(client, everyMs, signal) : this.#poll(everyMs, signal));
        heard = await this.#heard();
        if (this.#client === client) return heard;
      } catch {
        this.#drop();
      }
    }
    await this.#reconnect(everyMs, signal);
    // A job may have been enqueued meanwhile by a caller that could not ring: look for it.
    return [...heard, {}];
  }

  /** Sleeps on the server until it is interrupted, the bell was rung since the last look, or `everyMs` are over. */
  async #sleep(client: Connection, everyMs: number, signal: AbortSignal): Promise<void> {
    const until = performance.now() + everyMs;
    // Looked at each turn: an interruption may come when the sleep is over and its answer still on its way.
    for (
      let left = everyMs;
      left > 0 && !signal.aborted && !this.#released;
      left = until - performance.now()
    ) {
      const ms = Math.min(left, SLEEP_MS);
      const began = performance.now();
      try {
        const { places, values } = this.#wanted();
        const sleeping = query(client, this.#context.sql.sleep(places), [...values, ms / 1000]);
        // Left to end by itself when nobody waits for it any more: a session cannot be asked while it sleeps, and the
        // client forgets what it was asked when its connection is destroyed.
        await Promise.race([sleeping, this.#interruption()]);
      } catch (error) {
        isInterruption(error);
        return;
      }
      // Awake before its time: the bell was rung.
      if (performance.now() - began < ms - 1) return;
    }
  }

  async #poll(everyMs: number, signal: AbortSignal): Promise<void> {
    const until = performance.now() + everyMs;
    for (let look = 0; performance.now() < until && !signal.aborted && !this.#released; look++) {
      const { places, values } = this.#wanted();
      const [rung] = await query(this.#pool, this.#context.sql.rung(places), values);
      if (rung !== undefined) return;
      await this.#pause(
        Math.min(POLL_MS[Math.min(look, POLL_MS.length - 1)] ?? 0, until - performance.now()),
      );
    }
  }

  async #heard(): Promise<readonly WakeUp[]> {
    const { places, values } = this.#wanted();
    const sql = this.#context.sql.heard(places);
    const rows = await query<{ id: string; wake_up: string }>(this.#pool, sql, values);
    for (const { id } of rows) this.#hear(BigInt(id));
    this.#forget();
    await this.#prune();
    return rows.map(({ wake_up }) => parse(wake_up));
  }

  /** Here and not where it is rung: a producer's transaction should lock nothing but what it adds. */
  async #prune(): Promise<void> {
    const before = (this.#lastRing ?? 0n) - KEPT;
    if (before < this.#pruned + KEPT) return;
    this.#pruned = before;
    await change(this.#pool, this.#context.sql.pruneBell, [before]);
  }

  /** What is not known yet: the rings after the last, and those that were late. */
  #wanted(): { places: string; values: (bigint | null)[] } {
    const late = list(this.#late.size > 0 ? [...this.#late.keys()] : [0n]);
    return { places: late.places, values: [this.#lastRing ?? 0n, ...late.values] };
  }

  /** Numbers are given in order and seen in the order of the commits: those in between may still come. */
  #hear(id: bigint): void {
    this.#late.delete(id);
    const last = this.#lastRing ?? 0n;
    if (id <= last) return;
    const until = performance.now() + LATE_MS;
    const first = id - last > MOST_LATE ? id - BigInt(MOST_LATE) : last + 1n;
    for (let missing = first; missing < id; missing++) this.#late.set(missing, until);
    this.#lastRing = id;
  }

  /** The oldest first: a transaction that was rolled back leaves a number that never comes. */
  #forget(): void {
    const now = performance.now();
    for (const [id, until] of this.#late) {
      if (until > now && this.#late.size <= MOST_LATE) return;
      this.#late.delete(id);
    }
  }

  async #subscribe(): Promise<void> {
    const client = await this.#connect().catch((error: unknown) => {
      throw toDriverError(error);
    });
    try {
      client.on('error', () => this.#lose(client));
      client.on('end', () => this.#lose(client));
      const { sql, lockPrefix } = this.#context;
      const [lock] = await query<{ held: number }>(client, sql.holdAnchor, [`${lockPrefix}${this.#id}`]);
      // The server has not noticed the end of the session before this one.
      if (lock?.held !== 1) throw new DriverError('LockTimeout', "The worker's lock is still held.");
      await this.#skipRung(client);
      this.#pushed = await this.#canBeInterrupted(client);
      if (this.#released) throw new DriverError('ConnectionLost', 'The session was released meanwhile.');
      this.#client = client;
    } catch (error) {
      client.destroy();
      throw toDriverError(error);
    }
  }

  /** What was rung before the first session began concerns others; what is rung between two sessions is heard late. */
  async #skipRung(client: Connection): Promise<void> {
    if (this.#lastRing !== null) return;
    const rows = await query<{ id: string }>(client, this.#context.sql.lastRings);
    this.#lastRing = BigInt(rows[0]?.id ?? 0);
    for (const { id } of rows) this.#hear(BigInt(id));
  }

  /** The self-test: sleeps, and calls itself as a producer would. */
  async #canBeInterrupted(client: Connection): Promise<boolean> {
    const { sql } = this.#context;
    const [self] = await query<{ connection: string }>(client, sql.self);
    if (self === undefined) return false;
    let over = false;
    const slept = query<{ slept: number }>(client, sql.nap, [SELF_TEST_MS / 1000])
      .then(([row]) => Number(row?.slept) === 1, isInterruption)
      .finally(() => (over = true));
    // A call that comes before the sleep is lost.
    for (; !over; await this.#pause(POLL_MS[0])) await call(this.#pool, self.connection);
    return slept;
  }

  /** Until there is a session again, or `everyMs` are over: the backstop goes on meanwhile. */
  async #reconnect(everyMs: number, signal: AbortSignal): Promise<void> {
    const until = performance.now() + everyMs;
    for (let attempt = 0; !this.#released && !signal.aborted && performance.now() < until; attempt++) {
      await this.#pause(RECONNECT_MS[Math.min(attempt, RECONNECT_MS.length - 1)] ?? 0);
      if (this.#released || signal.aborted) return;
      try {
        return await this.#subscribe();
      } catch {
        // The server is still away.
      }
    }
  }

  #lose(client: Connection): void {
    if (this.#client === client) this.#drop();
  }

  #drop(): void {
    this.#client?.destroy();
    this.#client = null;
    this.#interrupt();
  }

  #interruption(): Promise<void> {
    return new Promise((resolve) => {
      this.#interrupt = resolve;
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

/** Anybody may ring: what is not understood is a hint to look. */
function parse(text: string): WakeUp {
  const { queue, cancel } = Object(JSON.parse(text));
  return {
    ...(typeof queue === 'string' && { queue }),
    ...(typeof cancel === 'string' && { cancel }),
  };
}
