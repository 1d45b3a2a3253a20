import { isDriverError } from '@rowlock/core';
import { answerWithin, concerns, type Hint, isHint, type WakeUp } from '@rowlock/core/driver';
import type { Connection } from 'mysql2/promise';
import type { Connect } from '../connection/connect.js';
import { cut, unref } from '../connection/session.js';
import { interrupt } from '../connection/session-control.js';
import type { Context } from '../context.js';
import { isRefusal } from '../errors.js';
import { change, type MysqlTransaction, query } from '../query.js';

/** How long the list of sleepers is used, in milliseconds. A session that came later sleeps briefly meanwhile: see Sleep. */
export const SLEEPERS_MS = 1_000;

/** The delay of a ring after an interruption, in milliseconds. */
const RING_AFTER_MS = 50;

/** How long no connection is tried after the server has refused one, in milliseconds. The workers poll the bell meanwhile. */
const REFUSED_MS = 1_000;

/** A worker's session, and the queues that it serves. */
interface Sleeper {
  readonly worker: string;
  readonly connection: string;
  readonly queues: readonly string[];
}

interface SleeperRow {
  readonly worker: string;
  /** Null when the session has ended since the row was found. */
  readonly connection: string | null;
  readonly queues: string;
}

/**
 * Rings the bell. Where this user has the right, also interrupts the sleep of the workers that serve the queue. An interruption between two
 * sleeps is lost, so a ring that is visible has an interruption of its own: either it comes, or the next sleep begins with the ring.
 *
 * All interruptions of a process go through one connection. The list of sleepers ends with the connection: a restarted server gives
 * the old numbers to other connections.
 */
export class Ringer {
  readonly #context: Context;
  readonly #pool: MysqlTransaction;
  /** Null when interruptions are off. */
  readonly #connect: Connect | null;
  #client: Promise<Connection> | null = null;
  #sleepers: readonly Sleeper[] = [];
  #sleepersUntil = 0;
  #refusedUntil = 0;
  /** The pending rings by queue, with the workers that need none. The queue `undefined` is every queue. */
  readonly #unrung = new Map<string | undefined, readonly string[]>();
  #timer: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(context: Context, pool: MysqlTransaction, connect: Connect | null) {
    this.#context = context;
    this.#pool = pool;
    this.#connect = connect;
  }

  /**
   * Interrupts sleeping workers at once, as they need not wait for a commit. For workers between two sleeps, the wake-ups of the
   * next moments become one ring for each queue. A cancellation is rung first, and so are a limit, a rate and a schedule: an interruption
   * does not say which.
   *
   * @throws DriverError
   */
  async ring(wakeUps: readonly WakeUp[]): Promise<void> {
    const hints = wakeUps.filter(isHint);
    const first = this.#closed || this.#connect === null || hints.length < wakeUps.length;
    if (first) await this.#write(wakeUps);
    else for (const hint of hints) this.#ringSoon(hint);
    await this.interrupt(wakeUps);
  }

  /**
   * Rings for committed jobs, without making the caller wait: a worker that was not interrupted polls the bell a moment later. An
   * interruption at the same time as the INSERT saved 0.2 ms of the way, and cost a second interruption and claim. On two busy
   * cores pickup took half a millisecond longer.
   */
  ringBehind(wakeUps: readonly WakeUp[]): void {
    this.ring(wakeUps).catch(() => {});
  }

  /** @throws DriverError when no worker could be interrupted. The workers poll the bell a quarter of a second later. */
  async interrupt(wakeUps: readonly WakeUp[]): Promise<void> {
    if (this.#closed || this.#connect === null || wakeUps.length === 0) return;
    if (performance.now() < this.#refusedUntil) return;
    const opened = this.#session(this.#connect);
    const client = await opened;
    const { answerMs } = this.#context;
    const interrupted = this.#interruptOn(client, wakeUps).catch((error: unknown) => {
      // It may have ended before anybody listened for its end.
      if (isDriverError(error, 'ConnectionLost')) this.#forget(opened);
      throw error;
    });
    await answerWithin(answerMs, interrupted, () => {
      this.#forget(opened);
      cut(client);
    });
  }

  async #interruptOn(client: Connection, wakeUps: readonly WakeUp[]): Promise<void> {
    if (performance.now() > this.#sleepersUntil) await this.#findSleepers(client);
    const wanted = this.#sleepers.filter(({ queues, worker }) =>
      wakeUps.some((each) => concerns(each, queues, worker)),
    );
    await Promise.all(wanted.map(({ connection }) => interrupt(client, `${BigInt(connection)}`)));
  }

  /** Renews the list of sleepers at the next wake-up, for a new worker of this process. */
  expectSleeper(): void {
    this.#sleepersUntil = 0;
  }

  async close(): Promise<void> {
    await this.#ringNow();
    this.#closed = true;
    const client = await this.#client?.catch(() => null);
    client?.destroy();
  }

  #ringSoon({ queue, except = [] }: Hint): void {
    // A worker is left out only if all wake-ups of the queue leave it out.
    const before = this.#unrung.get(queue) ?? except;
    this.#unrung.set(
      queue,
      except.filter((worker) => before.includes(worker)),
    );
    this.#timer ??= setTimeout(() => void this.#ringNow(), RING_AFTER_MS);
  }

  /** Writes the pending rings. A failed ring is not repeated: without the database no worker sleeps, and each claims when the database is back. */
  async #ringNow(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const wakeUps = [...this.#unrung].map(([queue, except]) => ({
      ...(queue !== undefined && { queue }),
      ...(except.length > 0 && { except }),
    }));
    this.#unrung.clear();
    await this.#write(wakeUps)
      .then(() => this.interrupt(wakeUps))
      .catch(() => {});
  }

  async #write(wakeUps: readonly WakeUp[]): Promise<void> {
    for (const each of wakeUps) await change(this.#pool, this.#context.sql.bell.ring, [JSON.stringify(each)]);
  }

  async #findSleepers(client: Connection): Promise<void> {
    const { sql, lockPrefix } = this.#context;
    const rows = await query<SleeperRow>(client, sql.bell.sleepers, [lockPrefix, lockPrefix]);
    this.#sleepers = rows.flatMap(({ worker, connection, queues }) =>
      connection === null ? [] : [{ worker, connection, queues: JSON.parse(queues) }],
    );
    this.#sleepersUntil = performance.now() + SLEEPERS_MS;
    if (rows.length > 0) return;
    // After a fail-over the old server may live on and be read-only. The workers are then on the new one.
    const [server] = await query<{ only_reads: number }>(client, sql.bell.onlyReads);
    if (Number(server?.only_reads) !== 1) return;
    this.#forget();
    client.destroy();
  }

  #session(connect: Connect): Promise<Connection> {
    if (this.#client !== null) return this.#client;
    const opening = connect();
    this.#client = opening;
    const forget = (): void => this.#forget(opening);
    const fail = (error: unknown): void => {
      if (isRefusal(Object(error).cause)) this.#refusedUntil = performance.now() + REFUSED_MS;
      forget();
    };
    opening.then((client) => {
      client.on('error', forget).on('end', forget);
      // A program that has nothing else to do may end.
      unref(client);
    }, fail);
    return opening;
  }

  #forget(opened = this.#client): void {
    if (this.#client !== opened) return;
    this.#client = null;
    this.#sleepersUntil = 0;
  }
}
