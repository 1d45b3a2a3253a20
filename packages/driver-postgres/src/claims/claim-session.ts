import type { State } from '@rowlock/core';
import type {
  ClaimCriteria,
  ClaimSession,
  DependencyQuestion,
  Entities,
  Finished,
  Job,
  JobId,
  RunRef,
  Settlement,
} from '@rowlock/core/driver';
import { ownHandle } from '@rowlock/sql-drivers';
import type { PoolClient } from 'pg';
import type { PostgresTransaction } from '../query.js';
import { ClaimConnection } from './claim-connection.js';
import type { ClaimParts } from './claim-parts.js';
import { ClaimTransaction } from './claim-transaction.js';

/** The source of a claim session's connections. */
export interface ClaimSource {
  /** Takes a connection from the pool. @param isSettlement Whether it is to settle a lease. @throws DriverError */
  readonly connect: (isSettlement: boolean) => Promise<PoolClient>;
  /** Is called when a connection is back. */
  readonly letGo: () => void;
  /** The parts that the transactions use. The first call may query the server. @throws DriverError */
  readonly parts: () => Promise<ClaimParts>;
}

const NEVER = new AbortController().signal;

/** A slot's connection. Each claim is a transaction on it. The next claim may share a message with a settlement. */
export class PostgresClaimSession implements ClaimSession<PostgresTransaction> {
  readonly #source: ClaimSource;
  #transaction: ClaimTransaction | null = null;

  constructor(source: ClaimSource) {
    this.#source = source;
  }

  get lost(): AbortSignal {
    return this.#transaction?.lost ?? NEVER;
  }

  get handle(): PostgresTransaction {
    if (this.#transaction !== null) return this.#transaction.handle;
    return ownHandle({ query: async (text, values) => (await this.#open()).handle.query(text, values) });
  }

  get used(): boolean {
    return this.#transaction?.used ?? false;
  }

  async claim(criteria: ClaimCriteria): Promise<readonly Job[]> {
    return (await this.#open()).claim(criteria);
  }

  async lockLeased(
    runId: string,
    jobs: readonly JobId[],
    isCommitted: boolean,
  ): Promise<ReadonlyMap<JobId, State>> {
    return (await this.#open(true)).lockLeased(runId, jobs, isCommitted);
  }

  lockSiblings(entities: Entities, limit: number): Promise<readonly Job[]> {
    return this.#within((transaction) => transaction.lockSiblings(entities, limit));
  }

  firstOutstanding(question: DependencyQuestion): Promise<JobId | undefined> {
    return this.#within((transaction) => transaction.firstOutstanding(question));
  }

  confirm(): Promise<void> {
    return this.#within((transaction) => transaction.confirm());
  }

  release(run: RunRef): Promise<void> {
    return this.#within((transaction) => transaction.release(run));
  }

  lease(runId: string, jobs: readonly JobId[], forMs: number): Promise<void> {
    return this.#within((transaction) => transaction.lease(runId, jobs, forMs));
  }

  async enterLimits(limits: string): Promise<void> {
    await (await this.#open()).enterLimits(limits);
  }

  leaveLimits(runId: string): Promise<void> {
    return this.#within((transaction) => transaction.leaveLimits(runId));
  }

  settle(settlements: readonly Settlement[]): Promise<readonly JobId[]> {
    return this.#within((transaction) => transaction.settle(settlements));
  }

  async finish(settlements: readonly Settlement[], criteria?: ClaimCriteria): Promise<Finished> {
    const { settled, next } = await this.#within((transaction) => transaction.finish(settlements, criteria));
    if (next === null) return { settled, next };
    this.#goOn(next.transaction);
    if (settled.length === settlements.length) return { settled, next: next.jobs };
    await this.rollback();
    return { settled, next: null };
  }

  renew(): Promise<void> {
    return this.#within((transaction) => transaction.renew());
  }

  undo(): Promise<void> {
    return this.#within((transaction) => transaction.undo());
  }

  commit(): Promise<void> {
    return this.#within((transaction) => transaction.commit());
  }

  async rollback(): Promise<void> {
    await this.#transaction?.rollback();
  }

  /** The current transaction, or a new one when the current one has ended. */
  async #open(isSettlement = false): Promise<ClaimTransaction> {
    const current = this.#transaction;
    if (current?.isOpen) return current;
    const parts = await this.#source.parts();
    const { connect, letGo } = this.#source;
    const connection = new ClaimConnection(await connect(isSettlement), parts.names.isOwn, letGo);
    return this.#goOn(new ClaimTransaction(parts, connection, false));
  }

  /**
   * Works in the current transaction, even after its end, or in a new one when there was none.
   * Starts synchronously, so that no statement comes in between.
   */
  #within<Result>(verb: (transaction: ClaimTransaction) => Promise<Result>): Promise<Result> {
    return this.#transaction === null ? this.#open().then(verb) : verb(this.#transaction);
  }

  #goOn(transaction: ClaimTransaction): ClaimTransaction {
    this.#transaction = transaction;
    transaction.attach();
    return transaction;
  }
}
