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
import type { PoolClient } from 'pg';
import type { PostgresTransaction } from '../query.js';
import { ClaimConnection } from './claim-connection.js';
import type { ClaimParts } from './claim-parts.js';
import { ClaimTransaction } from './claim-transaction.js';

/** What a claim session takes its connections from. */
export interface ClaimSource {
  /** Takes a connection of the pool. @throws DriverError */
  readonly connect: () => Promise<PoolClient>;
  /** What its transactions need; the server may have to be asked first. @throws DriverError */
  readonly parts: () => Promise<ClaimParts>;
}

const NEVER = new AbortController().signal;

/** A slot's connection: each claim is a transaction on it, and the next claim may go along with a settlement. */
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
    return { query: async (text, values) => (await this.#open()).handle.query(text, values) };
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
    return (await this.#open()).lockLeased(runId, jobs, isCommitted);
  }

  async lockSiblings(entities: Entities, limit: number): Promise<readonly Job[]> {
    return (await this.#begun()).lockSiblings(entities, limit);
  }

  async firstOutstanding(question: DependencyQuestion): Promise<JobId | undefined> {
    return (await this.#begun()).firstOutstanding(question);
  }

  async confirm(): Promise<void> {
    await (await this.#begun()).confirm();
  }

  async release(run: RunRef): Promise<void> {
    await (await this.#begun()).release(run);
  }

  async lease(runId: string, jobs: readonly JobId[], forMs: number): Promise<void> {
    await (await this.#begun()).lease(runId, jobs, forMs);
  }

  async settle(settlements: readonly Settlement[]): Promise<readonly JobId[]> {
    return (await this.#begun()).settle(settlements);
  }

  async finish(settlements: readonly Settlement[], criteria?: ClaimCriteria): Promise<Finished> {
    const { settled, next } = await (await this.#begun()).finish(settlements, criteria);
    if (next === null) return { settled, next };
    this.#goOn(next.transaction);
    return { settled, next: next.jobs };
  }

  async renew(): Promise<void> {
    await (await this.#begun()).renew();
  }

  async undo(): Promise<void> {
    await (await this.#begun()).undo();
  }

  async commit(): Promise<void> {
    await (await this.#begun()).commit();
  }

  async rollback(): Promise<void> {
    await this.#transaction?.rollback();
  }

  /** The transaction, or a new one where it has ended. */
  async #open(): Promise<ClaimTransaction> {
    const current = this.#transaction;
    if (current?.isOpen) return current;
    const parts = await this.#source.parts();
    const connection = new ClaimConnection(await this.#source.connect(), parts.names.isOwn);
    return this.#goOn(new ClaimTransaction(parts, connection, false));
  }

  /** The transaction, even if it has ended; a new one where there was none. */
  async #begun(): Promise<ClaimTransaction> {
    return this.#transaction ?? this.#open();
  }

  #goOn(transaction: ClaimTransaction): ClaimTransaction {
    this.#transaction = transaction;
    transaction.attach();
    return transaction;
  }
}
