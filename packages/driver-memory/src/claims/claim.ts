import { setTimeout as pause } from 'node:timers/promises';
import type { State } from '@rowlock/core';
import type { Job, JobId, Settlement } from '@rowlock/core/driver';
import type { Contents } from '../engine/contents.js';
import type { Transaction } from '../engine/transaction.js';
import { HandlerTransaction } from './handler-transaction.js';
import type { Place } from './statements/place.js';
import { settle } from './statements/settle.js';

/** How long a handler's statements may run on before their undo, in milliseconds. */
const STOP_AFTER_MS = 2_000;

/** One claim: its transaction, the jobs whose rows that transaction has locked, and the handler's `tx`. */
export class Claim {
  readonly tx: Transaction;
  readonly #place: Place;
  /** The jobs that the claim may settle. */
  readonly #jobs = new Set<JobId>();
  /** The status of these jobs in the table until they are settled. */
  #status: State = 'new';
  #handle: HandlerTransaction;
  #hasEnded = false;

  constructor(database: Contents, tx: Transaction) {
    this.tx = tx;
    this.#place = { database, tx };
    this.#handle = this.#newHandle();
  }

  get handle(): HandlerTransaction {
    return this.#handle;
  }

  /** Whether the claim's owner has ended it. */
  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  run<Result>(statement: (place: Place) => Result | Promise<Result>): Promise<Result> {
    return this.tx.run(() => statement(this.#place));
  }

  /** Whether it has locked these jobs, and has not settled them. */
  holds(jobs: readonly JobId[]): boolean {
    return jobs.every((id) => this.#jobs.has(id));
  }

  /** Adds locked jobs. */
  add(jobs: readonly Job[]): readonly Job[] {
    for (const { id } of jobs) this.#jobs.add(id);
    return jobs;
  }

  /** Adds locked jobs of a lease, with their states. Jobs in progress may be settled. */
  addLeased(states: ReadonlyMap<JobId, State>): void {
    this.#status = 'in-progress';
    for (const [id, state] of states) if (state === 'in-progress') this.#jobs.add(id);
  }

  async settle(settlements: readonly Settlement[]): Promise<readonly JobId[]> {
    this.#handle.close();
    const own = settlements.filter(({ id }) => this.#jobs.has(id));
    const written = await this.run((place) => settle(place, own, this.#status));
    for (const id of written) this.#jobs.delete(id);
    return written;
  }

  /** Keeps the handler's writes: memory has no deferred constraints. */
  async renew(): Promise<void> {
    this.#handle.close();
    await this.run(() => {});
    this.#handle = this.#newHandle();
  }

  async undo(): Promise<void> {
    this.#handle.close();
    await Promise.race([this.tx.rest(), pause(STOP_AFTER_MS, undefined, { ref: false })]);
    this.tx.stopStatements();
    return this.run(() => {
      if (this.#handle.savepoint !== undefined) this.tx.undoTo(this.#handle.savepoint);
    });
  }

  async commit(): Promise<void> {
    this.#handle.close();
    await this.tx.commit();
    this.#hasEnded = true;
  }

  async rollback(): Promise<void> {
    this.#handle.close();
    await this.tx.rollback();
    this.#hasEnded = true;
  }

  #newHandle(): HandlerTransaction {
    return new HandlerTransaction(this.#place.database, this.tx);
  }
}
