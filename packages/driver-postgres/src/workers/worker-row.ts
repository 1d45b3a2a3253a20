import { DriverError } from '@rowlock/core';
import type { WorkerInfo } from '@rowlock/core/driver';
import { newWorkerId } from '@rowlock/sql-drivers';
import { type PostgresTransaction, query } from '../query.js';
import type { Statements } from '../statements.js';

/** How often a row is tried. Another worker may have its id. */
const MOST_TRIES = 5;

/** A worker's row. Others delete the row of a worker that counts as gone. A worker that comes back inserts its row again. */
export class WorkerRow {
  readonly id: number;
  readonly #sql: Statements;
  readonly #values: readonly unknown[];
  readonly #since = performance.now();

  private constructor(sql: Statements, values: readonly unknown[], id: number) {
    this.#sql = sql;
    this.#values = values;
    this.id = id;
  }

  /** @throws DriverError */
  static async add(on: PostgresTransaction, sql: Statements, worker: WorkerInfo): Promise<WorkerRow> {
    const { name, host, pid, queues, schedules = [], kinds = {} } = worker;
    const { concurrency = null, version = null, memory = null } = worker;
    const values = [name, host, pid, queues, schedules, kinds, concurrency, version, memory];
    for (let tries = 0; tries < MOST_TRIES; tries++) {
      const [row] = await query<{ id: number }>(on, sql.workers.addWorker, [newWorkerId(), ...values]);
      if (row !== undefined) return new WorkerRow(sql, values, row.id);
    }
    throw new DriverError(
      'EngineUnsuitable',
      'The server answers an INSERT … RETURNING with no row: something on the way to it alters statements. Let workers connect to the server itself.',
    );
  }

  /** Says that the worker has stopped. @throws DriverError */
  async end(on: PostgresTransaction): Promise<void> {
    await query(on, this.#sql.workers.stopWorker, [this.id]);
  }

  /** @throws DriverError */
  async keep(on: PostgresTransaction): Promise<void> {
    const ageMs = performance.now() - this.#since;
    await query(on, this.#sql.workers.keepWorker, [this.id, ...this.#values, ageMs]);
  }
}
