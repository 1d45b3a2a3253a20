import type { WakeUp } from '@rowlock/core';
import type { Connection } from 'mysql2/promise';
import type { Connect, Context } from './context.js';
import { change, type MysqlTransaction, query } from './query.js';

/** How long the list of sleepers is believed, in milliseconds: a worker that came since looks at the bell as often. */
const SLEEPERS_MS = 1_000;

/** A worker's session, and what it serves. */
interface Sleeper {
  readonly connection: string;
  readonly queues: ReadonlySet<string>;
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
  #closed = false;

  constructor(context: Context, pool: MysqlTransaction, connect: Connect | null) {
    this.#context = context;
    this.#pool = pool;
    this.#connect = connect;
  }

  /**
   * Both at once: a worker that sleeps need not wait for the ring's commit, and one that is between two sleeps misses the
   * call and finds the ring.
   *
   * @throws DriverError
   */
  async ring(wakeUps: readonly WakeUp[]): Promise<void> {
    const rings = wakeUps.map((each) => change(this.#pool, this.#context.sql.ring, [JSON.stringify(each)]));
    await Promise.all([this.call(wakeUps), ...rings]);
  }

  /** @throws DriverError when nobody could be called; the workers look at the bell a second later. */
  async call(wakeUps: readonly WakeUp[]): Promise<void> {
    if (this.#closed || this.#connect === null || wakeUps.length === 0) return;
    const client = await this.#session(this.#connect);
    if (performance.now() > this.#sleepersUntil) await this.#findSleepers(client);
    const wanted = this.#sleepers.filter(({ queues }) =>
      wakeUps.some(({ queue }) => queue === undefined || queues.has(queue)),
    );
    await Promise.all(wanted.map(({ connection }) => interrupt(client, connection)));
  }

  async close(): Promise<void> {
    this.#closed = true;
    const client = await this.#client?.catch(() => null);
    client?.destroy();
  }

  async #findSleepers(client: Connection): Promise<void> {
    const { sql, lockPrefix } = this.#context;
    const rows = await query<{ connection: string; queues: string }>(client, sql.sleepers, [
      lockPrefix,
      lockPrefix,
    ]);
    this.#sleepers = rows.map(({ connection, queues }) => ({
      connection,
      queues: new Set<string>(JSON.parse(queues)),
    }));
    this.#sleepersUntil = performance.now() + SLEEPERS_MS;
  }

  #session(connect: Connect): Promise<Connection> {
    if (this.#client !== null) return this.#client;
    const opening = connect();
    this.#client = opening;
    const forget = (): void => {
      if (this.#client === opening) this.#client = null;
      this.#sleepersUntil = 0;
    };
    opening.then((client) => client.on('error', forget).on('end', forget), forget);
    return opening;
  }
}

/** Interrupts the statement of a session, if it has one and this user may. That a session has just ended is no error. */
export async function interrupt(on: MysqlTransaction, connection: string): Promise<void> {
  // KILL takes no parameters; the number is the server's own.
  await on.query(`KILL QUERY ${BigInt(connection)}`).catch(() => {});
}
