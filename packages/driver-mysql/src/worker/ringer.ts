import { answerWithin, concerns, type WakeUp } from '@rowlock/core/driver';
import type { Connection } from 'mysql2/promise';
import type { Connect, Context } from '../context.js';
import { change, type MysqlTransaction, query } from '../statements/query.js';
import { cut } from '../connection/session.js';

/** How long the list of sleepers is believed, in milliseconds: a worker that came since looks at the bell as often. */
const SLEEPERS_MS = 1_000;

/** How long after a call the bell is rung, in milliseconds. A worker looks at the bell a while after a call: see NAP_MS. */
const RING_AFTER_MS = 50;

/** A worker's session, and what it serves. */
interface Sleeper {
  readonly worker: string;
  readonly connection: string;
  readonly queues: readonly string[];
}

interface SleeperRow {
  readonly worker: string;
  /** Null where the session has ended since the row was found. */
  readonly connection: string | null;
  readonly queues: string;
}

/**
 * Rings the bell, and calls the workers that serve the queue: interrupts their sleep, where this user may.
 *
 * All calls of a process go through one connection. It remembers who sleeps, and the list goes with it: a server
 * that has started again gives the numbers of its connections to others.
 */
export class Ringer {
  readonly #context: Context;
  readonly #pool: MysqlTransaction;
  /** Null where nobody is to be called. */
  readonly #connect: Connect | null;
  #client: Promise<Connection> | null = null;
  #sleepers: readonly Sleeper[] = [];
  #sleepersUntil = 0;
  /** The queues whose workers were called and for which the bell is still to be rung, and who need not hear it; undefined is every queue. */
  readonly #unrung = new Map<string | undefined, readonly string[]>();
  #timer: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(context: Context, pool: MysqlTransaction, connect: Connect | null) {
    this.#context = context;
    this.#pool = pool;
    this.#connect = connect;
  }

  /**
   * A worker that sleeps need not wait for a commit: it is called at once, and those calls of the next moments that a worker
   * between two sleeps has missed become one ring for each queue. What has something to say is rung first.
   *
   * @throws DriverError
   */
  async ring(wakeUps: readonly WakeUp[]): Promise<void> {
    const hints = wakeUps.filter(({ cancel }) => cancel === undefined);
    const first = this.#closed || this.#connect === null || hints.length < wakeUps.length;
    if (first) await this.#write(wakeUps);
    else for (const hint of hints) this.#ringSoon(hint);
    await this.call(wakeUps);
  }

  /**
   * Rings for what has been written, without being waited for: who could not be called looks at the bell a moment later. A call
   * beside the INSERT, after which workers looked for the job for 3 ms, spared 0.2 ms of the way and cost a second call and look:
   * on two busy cores pickup took half a millisecond longer.
   */
  ringBehind(wakeUps: readonly WakeUp[]): void {
    this.ring(wakeUps).catch(() => {});
  }

  /** @throws DriverError when nobody could be called; the workers look at the bell a quarter of a second later. */
  async call(wakeUps: readonly WakeUp[]): Promise<void> {
    if (this.#closed || this.#connect === null || wakeUps.length === 0) return;
    const client = await this.#session(this.#connect);
    const { answerMs } = this.#context;
    await answerWithin(answerMs, this.#callOn(client, wakeUps), () => {
      this.#forget();
      cut(client);
    });
  }

  async #callOn(client: Connection, wakeUps: readonly WakeUp[]): Promise<void> {
    if (performance.now() > this.#sleepersUntil) await this.#findSleepers(client);
    const wanted = this.#sleepers.filter(({ queues, worker }) =>
      wakeUps.some((each) => concerns(each, queues, worker)),
    );
    await Promise.all(wanted.map(({ connection }) => interrupt(client, `${BigInt(connection)}`)));
  }

  /** A worker of this process has come: it is not to wait until the list is made anew. */
  expectSleeper(): void {
    this.#sleepersUntil = 0;
  }

  async close(): Promise<void> {
    await this.#ringNow();
    this.#closed = true;
    const client = await this.#client?.catch(() => null);
    client?.destroy();
  }

  #ringSoon({ queue, told = [] }: WakeUp): void {
    // Who was told of one call but not of another is to hear of that.
    const before = this.#unrung.get(queue) ?? told;
    this.#unrung.set(
      queue,
      told.filter((worker) => before.includes(worker)),
    );
    this.#timer ??= setTimeout(() => void this.#ringNow(), RING_AFTER_MS);
  }

  /** A ring that fails is not made up for: without the database no worker sleeps, and each looks when it is back. */
  async #ringNow(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const wakeUps = [...this.#unrung].map(([queue, told]) => ({
      ...(queue !== undefined && { queue }),
      ...(told.length > 0 && { told }),
    }));
    this.#unrung.clear();
    await this.#write(wakeUps).catch(() => {});
  }

  async #write(wakeUps: readonly WakeUp[]): Promise<void> {
    for (const each of wakeUps) await change(this.#pool, this.#context.sql.ring, [JSON.stringify(each)]);
  }

  async #findSleepers(client: Connection): Promise<void> {
    const { sql, lockPrefix } = this.#context;
    const rows = await query<SleeperRow>(client, sql.sleepers, [lockPrefix, lockPrefix]);
    this.#sleepers = rows.flatMap(({ worker, connection, queues }) =>
      connection === null ? [] : [{ worker, connection, queues: JSON.parse(queues) }],
    );
    this.#sleepersUntil = performance.now() + SLEEPERS_MS;
    if (rows.length > 0) return;
    // After a fail-over the old server may live on and only read: the workers are on the new one.
    const [server] = await query<{ only_reads: number }>(client, sql.onlyReads);
    if (Number(server?.only_reads) !== 1) return;
    this.#forget();
    client.destroy();
  }

  #session(connect: Connect): Promise<Connection> {
    if (this.#client !== null) return this.#client;
    const opening = connect();
    this.#client = opening;
    const forget = (): void => {
      if (this.#client === opening) this.#forget();
    };
    opening.then((client) => client.on('error', forget).on('end', forget), forget);
    return opening;
  }

  #forget(): void {
    this.#client = null;
    this.#sleepersUntil = 0;
  }
}

/**
 * Interrupts the statement of a session, if it has one and this user may. That a session has just ended is no error.
 *
 * @param session Its number on the server of `on`, or what `sessionOf` says: KILL takes no parameters.
 */
export async function interrupt(on: MysqlTransaction, session: string): Promise<void> {
  await on.query(`KILL QUERY ${session}`).catch(() => {});
}
