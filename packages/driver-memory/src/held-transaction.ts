import { setTimeout as pause } from 'node:timers/promises';
import type { State } from '@rowlock/core';
import type {
  ClaimCriteria,
  DependencyQuestion,
  Entities,
  HeldTransaction,
  Job,
  JobId,
  RunRef,
  Settlement,
} from '@rowlock/core/driver';
import type { Database } from './database.js';
import { HandlerTransaction } from './handler-transaction.js';
import type { MemoryTransaction } from './memory-transaction.js';
import * as statements from './statements.js';
import type { Transaction } from './transaction.js';

/** How long the handler's statements may go on when they are to be undone, in milliseconds. */
const STOP_AFTER_MS = 2_000;

/** The worker's transaction, and the row locks that are the claim. */
export class MemoryHeldTransaction implements HeldTransaction<MemoryTransaction> {
  readonly #place: statements.Place;
  readonly #tx: Transaction;
  readonly #held = new Set<JobId>();
  #handle: HandlerTransaction;
  /** How a job of this claim stands in the table until it is settled. */
  #status: State = 'new';

  constructor(database: Database, tx: Transaction) {
    this.#place = { database, tx };
    this.#tx = tx;
    this.#handle = this.#newHandle();
  }

  get handle(): HandlerTransaction {
    return this.#handle;
  }

  get lost(): AbortSignal {
    return this.#tx.lost;
  }

  async claim(criteria: ClaimCriteria): Promise<readonly Job[]> {
    const jobs = await this.#tx.run(() => statements.claim(this.#place, criteria));
    return jobs.map((job) => this.#hold(job));
  }

  async lockSiblings(entities: Entities, limit: number): Promise<readonly Job[]> {
    const jobs = await this.#tx.run(() => statements.lockSiblings(this.#place, entities, limit));
    return jobs.map((job) => this.#hold(job));
  }

  firstOutstanding(question: DependencyQuestion): Promise<JobId | undefined> {
    return this.#tx.run(() => statements.firstOutstanding(this.#place, question));
  }

  confirm(): Promise<void> {
    return this.#tx.run(() => {});
  }

  async release(run: RunRef): Promise<void> {
    await this.#tx.run(() => statements.release(this.#place, run));
    await this.commit();
  }

  async lease(runId: string, jobs: readonly JobId[], forMs: number): Promise<void> {
    await this.#tx.run(() => statements.lease(this.#place, runId, jobs, forMs));
    await this.commit();
  }

  async lockLeased(
    runId: string,
    jobs: readonly JobId[],
    isCommitted: boolean,
  ): Promise<ReadonlyMap<JobId, State>> {
    const states = await this.#tx.run(() => statements.lockLeased(this.#place, runId, jobs, isCommitted));
    for (const [id, state] of states) if (state === 'in-progress') this.#held.add(id);
    this.#status = 'in-progress';
    return states;
  }

  get used(): boolean {
    return this.handle.savepoint !== undefined;
  }

  async settle(settlements: readonly Settlement[]): Promise<readonly JobId[]> {
    this.handle.close();
    const own = settlements.filter(({ id }) => this.#held.has(id));
    const written = await this.#tx.run(() => statements.settle(this.#place, own, this.#status));
    for (const id of written) this.#held.delete(id);
    return written;
  }

  async finish(settlements: readonly Settlement[]): Promise<readonly JobId[]> {
    const settled = await this.settle(settlements);
    if (settled.length === settlements.length) await this.commit();
    return settled;
  }

  /** Nothing here is checked late, so what was written stays. */
  async renew(): Promise<void> {
    this.handle.close();
    await this.#tx.run(() => {});
    this.#handle = this.#newHandle();
  }

  async undo(): Promise<void> {
    this.handle.close();
    await Promise.race([this.#tx.rest(), pause(STOP_AFTER_MS, undefined, { ref: false })]);
    this.#tx.stopStatements();
    return this.#tx.run(() => {
      if (this.handle.savepoint !== undefined) this.#tx.undoTo(this.handle.savepoint);
    });
  }

  commit(): Promise<void> {
    this.handle.close();
    return this.#tx.commit();
  }

  rollback(): Promise<void> {
    this.handle.close();
    return this.#tx.rollback();
  }

  #newHandle(): HandlerTransaction {
    return new HandlerTransaction(this.#place.database, this.#tx, () => this.#onEnded());
  }

  #hold(job: Job): Job {
    this.#held.add(job.id);
    return job;
  }

  /** The handler has committed or rolled back, and so given up the locks. */
  #onEnded(): void {
    this.handle.close();
    this.#tx.lose(new Error('the handler has ended it.'));
  }
}
