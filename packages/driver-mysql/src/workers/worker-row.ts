import { isDriverError } from '@rowlock/core';
import type { WorkerInfo } from '@rowlock/core/driver';
import { newWorkerId } from '@rowlock/sql-drivers';
import { change, type MysqlTransaction, type Value } from '../query.js';
import type { Statements } from '../statements.js';

/** A worker's row. Others delete the row of a worker that is long gone. A worker that comes back writes its row again. */
export class WorkerRow {
  readonly id: number;
  readonly #sql: Statements;
  readonly #values: readonly Value[];
  readonly #since = performance.now();

  private constructor(sql: Statements, values: readonly Value[], id: number) {
    this.#sql = sql;
    this.#values = values;
    this.id = id;
  }

  /** @throws DriverError */
  static async add(on: MysqlTransaction, sql: Statements, worker: WorkerInfo): Promise<WorkerRow> {
    const { name, host, pid, queues, schedules = [], kinds = {} } = worker;
    const { concurrency = null, version = null, memory = null } = worker;
    const lists = [queues, schedules, kinds].map((each) => JSON.stringify(each));
    const values = [name, host, pid, ...lists, concurrency, version, memory];
    for (;;) {
      const id = newWorkerId();
      try {
        await change(on, sql.workers.addWorker, [id, ...values]);
        return new WorkerRow(sql, values, id);
      } catch (error) {
        if (!isDriverError(error, 'UniqueViolation')) throw error;
      }
    }
  }

  /** Says that the worker has stopped. @throws DriverError */
  async end(on: MysqlTransaction): Promise<void> {
    await change(on, this.#sql.workers.stopWorker, [this.id]);
  }

  /** Says through which server the worker writes now. @throws DriverError */
  async showServer(on: MysqlTransaction): Promise<void> {
    await change(on, this.#sql.workers.showServer, [this.id]);
  }

  /** @throws DriverError */
  async keep(on: MysqlTransaction): Promise<void> {
    const ageMs = performance.now() - this.#since;
    await change(on, this.#sql.workers.keepWorker, [this.id, ...this.#values, ageMs]);
  }
}
