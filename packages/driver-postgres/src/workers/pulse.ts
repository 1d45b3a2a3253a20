import { DriverError } from '@rowlock/core';
import { answerWithin, type Pulse, type WakeUp, type WorkerLines, wakeUpOf } from '@rowlock/core/driver';
import type { Client } from 'pg';
import { cut } from '../connection/connection.js';
import type { OutsidePool } from '../connection/outside-pool.js';
import type { Context } from '../context.js';
import { toUnsent } from '../errors.js';
import { type PostgresTransaction, query } from '../query.js';
import type { WorkerRow } from './worker-row.js';

/** How often old entries are deleted from the bell, in milliseconds. */
const PRUNE_MS = 10_000;

/** The timeout for the worker's last write, and for the end of its connection, in milliseconds. */
const ANSWER_MS = 5_000;

/**
 * A worker that shares the server's sessions with others. The heartbeats and the polls of the bell have a connection of their own,
 * so that they never wait for the pool.
 */
export class PostgresPulse implements Pulse {
  readonly #context: Context;
  readonly #pool: PostgresTransaction;
  readonly #outside: OutsidePool;
  readonly #row: WorkerRow;
  #client: Promise<Client> | null = null;
  /** The snapshot of the last poll of the bell. */
  #seen: string | null = null;
  #pruneAt = 0;

  constructor(context: Context, pool: PostgresTransaction, outside: OutsidePool, row: WorkerRow) {
    this.#context = context;
    this.#pool = pool;
    this.#outside = outside;
    this.#row = row;
  }

  get workerId(): string {
    return String(this.#row.id);
  }

  async beat(forMs: number): Promise<void> {
    const client = await this.#connection();
    if (await this.#isBeating(client, forMs)) return;
    await this.#row.keep(client);
    if (!(await this.#isBeating(client, forMs))) throw new DriverError('Unknown', 'The worker has stopped.');
  }

  async receive(): Promise<readonly WakeUp[]> {
    const { sql } = this.#context;
    const client = await this.#connection();
    const [row] = await query<{ seen: string; wake_ups: readonly unknown[] }>(client, sql.bell.receive, [
      this.#seen,
    ]);
    this.#seen = row?.seen ?? null;
    if (performance.now() > this.#pruneAt) {
      this.#pruneAt = performance.now() + PRUNE_MS;
      await query(client, sql.bell.pruneBell);
    }
    return row?.wake_ups.map(wakeUpOf) ?? [];
  }

  async report(lines: WorkerLines): Promise<void> {
    await query(this.#pool, this.#context.sql.workers.reportLines, [this.#row.id, JSON.stringify(lines)]);
  }

  drop(): void {
    // With a query pending, end() does not wait for the server.
    this.#client?.then((client) => client.end()).catch(() => {});
    this.#client = null;
  }

  async stop(): Promise<void> {
    await answerWithin(ANSWER_MS, this.#row.end(this.#pool)).catch(() => {});
    const client = this.#client;
    this.#client = null;
    if (client === null) return;
    const ended = client.then((open) => open.end());
    await answerWithin(ANSWER_MS, ended, () => void client.then(cut, () => {})).catch(() => {});
  }

  async #isBeating(client: Client, forMs: number): Promise<boolean> {
    const rows = await query(client, this.#context.sql.workers.beat, [this.#row.id, forMs]);
    return rows.length > 0;
  }

  #connection(): Promise<Client> {
    this.#client ??= this.#open();
    return this.#client;
  }

  async #open(): Promise<Client> {
    const client = this.#outside.client();
    // The next query on the connection fails, and so reports the loss.
    client.on('error', () => {});
    try {
      await this.#outside.open(client);
      return client;
    } catch (error) {
      throw toUnsent(error);
    }
  }
}
