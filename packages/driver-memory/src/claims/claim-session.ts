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
import { enterLimits, leaveLimits } from '../admission/statements/limits.js';
import type { Contents } from '../engine/contents.js';
import type { MemoryTransaction } from '../engine/memory-transaction.js';
import type { Transaction } from '../engine/transaction.js';
import { Claim } from './claim.js';
import type { HandlerTransaction } from './handler-transaction.js';
import { claim } from './statements/claim.js';
import { lease, lockLeased } from './statements/lease.js';
import { release } from './statements/runs.js';
import { firstOutstanding, lockSiblings } from './statements/siblings.js';

/** Before the first transaction there is none to lose. */
const NEVER_LOST = new AbortController().signal;

/** A slot's claims, one after the other, each in a transaction of its own. */
export class MemoryClaimSession implements ClaimSession<MemoryTransaction> {
  readonly #database: Contents;
  readonly #begin: () => Transaction;
  /** The newest claim, which may have ended. */
  #newest: Claim | undefined;

  /** @param begin Begins a transaction, or throws a `ConnectionLost`. */
  constructor(database: Contents, begin: () => Transaction) {
    this.#database = database;
    this.#begin = begin;
  }

  get lost(): AbortSignal {
    return this.#newest?.tx.lost ?? NEVER_LOST;
  }

  get handle(): HandlerTransaction {
    return this.#claim.handle;
  }

  get used(): boolean {
    return this.#newest?.handle.savepoint !== undefined;
  }

  async claim(criteria: ClaimCriteria): Promise<readonly Job[]> {
    const next = this.#next();
    return next.add(await next.run((place) => claim(place, criteria)));
  }

  async lockSiblings(entities: Entities, limit: number): Promise<readonly Job[]> {
    const claim = this.#claim;
    return claim.add(await claim.run((place) => lockSiblings(place, entities, limit)));
  }

  async firstOutstanding(question: DependencyQuestion): Promise<JobId | undefined> {
    return this.#claim.run((place) => firstOutstanding(place, question));
  }

  async confirm(): Promise<void> {
    await this.#claim.run(() => {});
  }

  async release(run: RunRef): Promise<void> {
    const claim = this.#claim;
    await claim.run((place) => release(place, run, claim.holds(run.jobs)));
    await claim.commit();
  }

  async lease(runId: string, jobs: readonly JobId[], forMs: number): Promise<void> {
    const claim = this.#claim;
    await claim.run((place) => lease(place, runId, jobs, forMs));
    await claim.commit();
  }

  async enterLimits(limits: string): Promise<void> {
    await this.#next().run((place) => enterLimits(place, limits));
  }

  async leaveLimits(runId: string): Promise<void> {
    await this.#claim.run((place) => leaveLimits(place, [runId]));
  }

  async lockLeased(
    runId: string,
    jobs: readonly JobId[],
    isCommitted: boolean,
  ): Promise<ReadonlyMap<JobId, State>> {
    const claim = this.#next();
    const states = await claim.run((place) => lockLeased(place, runId, jobs, isCommitted));
    claim.addLeased(states);
    return states;
  }

  async settle(settlements: readonly Settlement[]): Promise<readonly JobId[]> {
    return this.#claim.settle(settlements);
  }

  async finish(settlements: readonly Settlement[], next?: ClaimCriteria): Promise<Finished> {
    const claim = this.#claim;
    const settled = await claim.settle(settlements);
    if (settled.length < settlements.length) return { settled, next: null };
    await claim.commit();
    if (next === undefined) return { settled, next: null };
    const claimed = this.claim(next);
    // No code awaits the claim when the worker stops.
    claimed.catch(() => {});
    return { settled, next: claimed };
  }

  async renew(): Promise<void> {
    await this.#claim.renew();
  }

  async undo(): Promise<void> {
    await this.#claim.undo();
  }

  async commit(): Promise<void> {
    await this.#claim.commit();
  }

  async rollback(): Promise<void> {
    await this.#newest?.rollback();
  }

  /** The newest claim, or a new one when there is none. */
  get #claim(): Claim {
    this.#newest ??= new Claim(this.#database, this.#begin());
    return this.#newest;
  }

  /** The open claim, or a new one. */
  #next(): Claim {
    if (this.#newest?.hasEnded) this.#newest = undefined;
    return this.#claim;
  }
}
