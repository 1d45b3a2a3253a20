import type { State } from '@rowlock/core';
import {
  type ClaimCriteria,
  type ClaimSession,
  type ClaimSessionOptions,
  type DependencyQuestion,
  type Entities,
  type Finished,
  type Job,
  type JobId,
  type RunRef,
  type Settlement,
  sizesOf,
} from '@rowlock/core/driver';
import type { ClaimConnections } from '../connection/claim-connections.js';
import type { SessionControl } from '../connection/session-control.js';
import type { Context } from '../context.js';
import type { MysqlTransaction } from '../query.js';
import { claim } from './claim.js';
import { ClaimTransaction } from './claim-transaction.js';
import { firstOutstanding } from './first-outstanding.js';
import { lease, lockLeased } from './lease.js';
import type { Widen } from './new-slots.js';
import { release } from './release.js';
import { finish, settle } from './settlements.js';
import { lockSiblings } from './siblings.js';
import { leaveLimits, takeSlots } from './slots.js';

/** A slot's claims, one after the other. Each transaction takes a connection with its first verb, and gives it back at its end. */
export class MysqlClaimSession implements ClaimSession<MysqlTransaction> {
  readonly #begin: () => ClaimTransaction;
  #transaction: ClaimTransaction;
  readonly #widen: Widen;
  /** Whether the next transaction is to settle a lease. */
  #isSettlement = false;

  constructor(
    context: Context,
    connections: ClaimConnections,
    control: SessionControl,
    widen: Widen,
    { idleLimitMs }: ClaimSessionOptions,
  ) {
    this.#widen = widen;
    this.#begin = () =>
      new ClaimTransaction(
        context,
        {
          take: () => connections.take(idleLimitMs, this.#isSettlement),
          give: (client, status) => connections.give(client, status),
        },
        control,
      );
    this.#transaction = this.#begin();
  }

  get lost(): AbortSignal {
    return this.#transaction.lost;
  }

  get handle(): MysqlTransaction {
    return this.#transaction.handle;
  }

  get used(): boolean {
    return this.#transaction.used;
  }

  async claim(criteria: ClaimCriteria): Promise<readonly Job[]> {
    return claim(this.#openTransaction(), criteria, this.#widen);
  }

  lockSiblings(entities: Entities, limit: number): Promise<readonly Job[]> {
    return lockSiblings(this.#transaction, entities, limit);
  }

  firstOutstanding(question: DependencyQuestion): Promise<JobId | undefined> {
    return firstOutstanding(this.#transaction, question);
  }

  async confirm(): Promise<void> {
    await this.#transaction.confirm();
  }

  release(run: RunRef): Promise<void> {
    return release(this.#transaction, run);
  }

  lease(runId: string, jobs: readonly JobId[], forMs: number): Promise<void> {
    return lease(this.#transaction, runId, jobs, forMs);
  }

  async enterLimits(limits: string): Promise<void> {
    await takeSlots(this.#openTransaction(), sizesOf(limits), this.#widen);
  }

  async leaveLimits(runId: string): Promise<void> {
    this.#isSettlement = true;
    await leaveLimits(this.#openTransaction().on, this.#transaction.context.sql, [runId]);
  }

  async lockLeased(
    runId: string,
    jobs: readonly JobId[],
    isCommitted: boolean,
  ): Promise<ReadonlyMap<JobId, State>> {
    this.#isSettlement = true;
    return lockLeased(this.#openTransaction(), runId, jobs, isCommitted);
  }

  settle(settlements: readonly Settlement[]): Promise<readonly JobId[]> {
    return settle(this.#transaction, settlements);
  }

  async finish(settlements: readonly Settlement[]): Promise<Finished> {
    // The client does not pipeline statements: a claim behind the COMMIT would save no time.
    return { settled: await finish(this.#transaction, settlements), next: null };
  }

  renew(): Promise<void> {
    return this.#transaction.renew();
  }

  undo(): Promise<void> {
    return this.#transaction.undo();
  }

  commit(): Promise<void> {
    return this.#transaction.commit();
  }

  rollback(): Promise<void> {
    return this.#transaction.rollback();
  }

  #openTransaction(): ClaimTransaction {
    if (this.#transaction.isOver) this.#transaction = this.#begin();
    return this.#transaction;
  }
}
