import { DriverError } from '@rowlock/core';
import { answerWithin, type Pulse, type WakeUp, type WorkerLines } from '@rowlock/core/driver';
import type { Connection } from 'mysql2/promise';
import type { Connect } from '../connection/connect.js';
import { cut } from '../connection/session.js';
import type { Context } from '../context.js';
import { change, type MysqlTransaction } from '../query.js';
import { Bell } from './bell.js';
import type { WorkerRow } from './worker-row.js';

/** The timeout for the worker's last write, in milliseconds. */
const ANSWER_MS = 5_000;

/**
 * A worker that shares the server's sessions with others. The heartbeats and the polls have a connection of their own, so that they
 * never wait for the pool.
 */
export class MysqlPulse implements Pulse {
  readonly #context: Context;
  readonly #pool: MysqlTransaction;
  readonly #connect: Connect;
  readonly #row: WorkerRow;
  readonly #bell: Bell;
  #client: Promise<Connection> | null = null;
  #isListening = false;

  constructor(context: Context, pool: MysqlTransaction, connect: Connect, row: WorkerRow) {
    this.#context = context;
    this.#pool = pool;
    this.#connect = connect;
    this.#row = row;
    this.#bell = new Bell(context, {
      execute: async (sql, values) => (await this.#connection()).execute<never>(sql, values),
      query: async (sql, values) => (await this.#connection()).query<never>(sql, values),
    });
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
    if (this.#isListening) return (await this.#bell.isRung()) ? this.#bell.receive() : [];
    await this.#bell.begin();
    this.#isListening = true;
    return [];
  }

  async report(lines: WorkerLines): Promise<void> {
    await change(this.#pool, this.#context.sql.workers.reportLines, [JSON.stringify(lines), this.#row.id]);
  }

  drop(): void {
    this.#client?.then(cut).catch(() => {});
    this.#client = null;
  }

  async stop(): Promise<void> {
    await answerWithin(ANSWER_MS, this.#row.end(this.#pool)).catch(() => {});
    const client = this.#client;
    this.#client = null;
    const ended = client?.then((open) => open.end());
    if (ended)
      await answerWithin(ANSWER_MS, ended, () => void client?.then(cut).catch(() => {})).catch(() => {});
  }

  async #isBeating(client: Connection, forMs: number): Promise<boolean> {
    const { rows } = await change(client, this.#context.sql.workers.beat, [forMs, this.#row.id]);
    return rows > 0;
  }

  #connection(): Promise<Connection> {
    this.#client ??= this.#open();
    return this.#client;
  }

  async #open(): Promise<Connection> {
    const client = await this.#connect();
    // The next statement fails with the same error.
    client.on('error', () => {});
    return client;
  }
}
