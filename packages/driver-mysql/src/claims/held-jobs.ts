import type { State } from '@rowlock/core';
import type { Job, JobId } from '@rowlock/core/driver';
import { type MysqlTransaction, query } from '../query.js';
import { type JobRow, toJob } from '../rows.js';
import type { Statements } from '../statements.js';
import { inOrder } from '../values/job-ids.js';
import { inParts, list } from '../values/list.js';

/** The jobs that a transaction has locked. */
export class HeldJobs {
  /** The attempts in the jobs' rows, by id. */
  readonly #attempts = new Map<JobId, number>();
  /** The same of the jobs that are settled and not committed. */
  readonly #settled = new Map<JobId, number>();
  /** The status of these jobs in the table until they are settled. */
  #status: State = 'new';

  get status(): State {
    return this.#status;
  }

  /** Whether the claim is one job. Then no run has several. */
  get isOne(): boolean {
    return this.#attempts.size === 1;
  }

  has(id: JobId): boolean {
    return this.#attempts.has(id);
  }

  /** Adds jobs that were claimed. */
  claimed(rows: readonly JobRow[]): readonly Job[] {
    const jobs = rows.map(toJob);
    for (const { id, attempt } of jobs) this.#attempts.set(id, attempt);
    return jobs;
  }

  /** Adds jobs of a lease. */
  leased(ids: readonly JobId[]): void {
    for (const id of ids) this.#attempts.set(id, 0);
    this.#status = 'in-progress';
  }

  settled(ids: readonly JobId[]): void {
    for (const id of ids) {
      this.#settled.set(id, this.#attempts.get(id) ?? 0);
      this.#attempts.delete(id);
    }
  }

  /**
   * Locks the jobs again after the server has undone the transaction.
   *
   * @returns whether the jobs are unchanged
   * @throws DriverError
   */
  async lockAgain(on: MysqlTransaction, sql: Statements): Promise<boolean> {
    for (const [id, attempt] of this.#settled) this.#attempts.set(id, attempt);
    this.#settled.clear();
    for (const part of inParts(inOrder([...this.#attempts.keys()]))) {
      const wanted = list(part);
      const text = sql.claims.lockAgain(wanted.places);
      const rows = await query<{ id: string; attempt: number }>(on, text, wanted.values);
      const same = rows.filter(({ id, attempt }) => this.#attempts.get(BigInt(id)) === attempt);
      if (same.length < part.length) return false;
    }
    return true;
  }
}
