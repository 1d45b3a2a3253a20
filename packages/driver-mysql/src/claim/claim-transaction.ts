import { setTimeout as pause } from 'node:timers/promises';
import { DriverError, type State } from '@rowlock/core';
import {
  answerWithin,
  type ClaimCriteria,
  type DependencyQuestion,
  type Entities,
  type HeldTransaction,
  type Job,
  type JobId,
  type RunRef,
  type Settlement,
} from '@rowlock/core/driver';
import type { PoolConnection, ResultSetHeader } from 'mysql2/promise';
import { claimFromPages, claimInOrder, NO_ID } from './claim.js';
import type { ClaimConnections } from '../connection/claim-connections.js';
import type { Context } from '../context.js';
import { toDriverError } from '../errors.js';
import { recordsOf } from '../statements/given-rows.js';
import { HandlerTransaction, RELEASE_FENCE, ROLLBACK_TO_SAVEPOINT } from './handler-transaction.js';
import { InTurn } from './serial-connection.js';
import { inOrder } from '../statements/job-ids.js';
import { endTogether, writeOut } from '../run/open-runs.js';
import { change, inParts, list, type MysqlTransaction, query, type Value } from '../statements/query.js';
import { type JobRow, toJob } from '../statements/rows.js';
import { cut, isMariaDb, limitIdle, sessionOf } from '../connection/session.js';
import { areAlike, endingsOf, sharedBy } from './settlements.js';
import { lockSiblings } from './siblings.js';

/** How long the handler's statements may go on when they are to be undone, in milliseconds. */
const STOP_AFTER_MS = 2_000;

/** What can be done to a session of this account, as `sessionOf` names it, from another one. Neither rejects. */
export interface Sessions {
  /** Stops its statement; when it has none, nothing happens. */
  interrupt(session: string): Promise<void>;
  /** Ends it, and its transaction. */
  end(session: string): Promise<void>;
}

/** The worker's transaction: a connection of its own, and the row locks that are the claim. */
export class MysqlHeldTransaction implements HeldTransaction<MysqlTransaction> {
  readonly #context: Context;
  readonly #connections: ClaimConnections;
  readonly #client: PoolConnection;
  readonly #sessions: Sessions;
  readonly #inTurn: InTurn;
  readonly #lost = new AbortController();
  /** The jobs, and the attempts that their rows have. */
  readonly #held = new Map<JobId, number>();
  #handle: HandlerTransaction;
  /** How a job of this claim stands in the table until it is settled. */
  #status: State = 'new';
  #open = true;
  #rolledBack: Promise<void> | null = null;
  /** Whether a run that has ended has written through the transaction. */
  #kept = false;
  /** Whether what this one has written is undone. */
  #undone = false;
  /** The one whose transaction was seen to last. */
  #checked: HandlerTransaction | null = null;
  /** Whether a handler may have changed the session. */
  #changed = false;
  /** What has undone all that the transaction wrote, until that is undone here too. */
  #deadlock: DriverError | null = null;

  private constructor(
    context: Context,
    connections: ClaimConnections,
    client: PoolConnection,
    sessions: Sessions,
  ) {
    this.#context = context;
    this.#connections = connections;
    this.#client = client;
    this.#sessions = sessions;
    this.#inTurn = new InTurn(
      client,
      () => this.#checkOpen(),
      (error) => this.#onError(error),
    );
    this.#handle = this.#newHandle();
    client.on('error', this.#onLost);
    client.on('end', this.#onLost);
  }

  static async begin(
    context: Context,
    connections: ClaimConnections,
    sessions: Sessions,
    idleLimitMs: number,
  ): Promise<MysqlHeldTransaction> {
    const client = await connections.take();
    const held = new MysqlHeldTransaction(context, connections, client, sessions);
    try {
      await held.#answered(limitIdle(client, context.sql.idleLimit, idleLimitMs));
      return held;
    } catch (error) {
      held.#end(null);
      throw toDriverError(error);
    }
  }

  get lost(): AbortSignal {
    return this.#lost.signal;
  }

  get handle(): MysqlTransaction {
    return this.#handle;
  }

  async claim(criteria: ClaimCriteria): Promise<readonly Job[]> {
    const claim = isMariaDb(this.#client) ? claimFromPages : claimInOrder;
    const rows = await claim((sql, values) => this.#ask(sql, values), this.#context.sql, criteria);
    return rows.map((row) => this.#hold(row));
  }

  async lockSiblings(entities: Entities, limit: number): Promise<readonly Job[]> {
    const rows = await lockSiblings(
      (sql, values) => this.#ask(sql, values),
      this.#context.sql,
      entities,
      limit,
    );
    return rows.map((row) => this.#hold(row));
  }

  async firstOutstanding({ key, kinds, before, except }: DependencyQuestion): Promise<JobId | undefined> {
    const kind = list(kinds);
    const own = inParts(inOrder(except));
    let after = NO_ID;
    for (const [place, part] of (own.length > 0 ? own : [[NO_ID]]).entries()) {
      const [some, last] = [list(part), part.at(-1) ?? NO_ID];
      // Up to the last that is left out, and behind the last part up to the end.
      const until = place + 1 < own.length ? last : before;
      const text = this.#context.sql.firstOutstanding(kind.places, some.places);
      const values = [key, ...kind.values, after, until, ...some.values];
      const [row] = await this.#ask<{ id: string | null }>(text, values);
      if (row?.id) return BigInt(row.id);
      after = last;
    }
    return undefined;
  }

  async confirm(): Promise<void> {
    await this.#say('DO 0');
  }

  async release(run: RunRef): Promise<void> {
    await this.#writeOut(run);
    const records = recordsOf([run]);
    await this.#change(this.#context.sql.release(records.text), records.values);
    await this.commit();
  }

  /** What an open run has on record together is written out: a lease lasts, and may be of some of its jobs. */
  async lease(runId: string, jobs: readonly JobId[], forMs: number): Promise<void> {
    if (!this.#isOne) await this.#writeOut({ runId, jobs });
    for (const part of inParts(jobs)) {
      const wanted = list(part);
      await this.#change(this.#context.sql.lease(wanted.places), [runId, forMs, ...wanted.values]);
    }
    await this.commit();
  }

  async lockLeased(
    runId: string,
    jobs: readonly JobId[],
    isCommitted: boolean,
  ): Promise<ReadonlyMap<JobId, State>> {
    const states = new Map<JobId, State>();
    for (const part of inParts(inOrder(isCommitted ? await this.#ofRun(runId, jobs) : jobs))) {
      // Never one id alone: a row that is found by one would stay locked though it is another run's by now.
      const wanted = list([...part, NO_ID]);
      const text = this.#context.sql.lockLeased(wanted.places);
      const rows = await this.#ask<{ id: string; status: State }>(text, [...wanted.values, runId]);
      for (const { id, status } of rows) states.set(BigInt(id), status);
    }
    for (const [id, state] of states) if (state === 'in-progress') this.#held.set(id, 0);
    this.#status = 'in-progress';
    return states;
  }

  async #ofRun(runId: string, jobs: readonly JobId[]): Promise<readonly JobId[]> {
    const own: JobId[] = [];
    for (const part of inParts(jobs)) {
      const wanted = list(part);
      const text = this.#context.sql.ofRun(wanted.places);
      for (const { id } of await this.#ask<{ id: string }>(text, [...wanted.values, runId]))
        own.push(BigInt(id));
    }
    return own;
  }

  get used(): boolean {
    return this.#handle.used;
  }

  async settle(settlements: readonly Settlement[]): Promise<readonly JobId[]> {
    this.#checkOpen();
    const own = settlements.filter(({ id }) => this.#held.has(id));
    if (own.length === 0) return [];
    this.#handle.close();
    await this.#checkFence();
    const settled = areAlike(own) ? await this.#settleAlike(own) : await this.#settleEach(own);
    if (settled === 0) return [];
    const written = settled < own.length ? await this.#settledOnes(own) : own;
    const ids = written.map(({ id }) => id);
    const told = written.filter(({ event }) => event !== 'complete');
    if (!this.#isOne) await this.#endRun({ runId: own[0]?.runId ?? '', jobs: ids }, told);
    for (const { text, values } of endingsOf(told))
      await this.#change(this.#context.sql.endRuns(text), values);
    for (const id of ids) this.#held.delete(id);
    return ids;
  }

  /** @returns how many of them were this claim's still */
  async #settleEach(settlements: readonly Settlement[]): Promise<number> {
    let settled = 0;
    for (const { text, values } of endingsOf(settlements))
      settled += await this.#change(this.#context.sql.settle(text), [...values, this.#status]);
    return settled;
  }

  /** The same where they differ in nothing: then one UPDATE of the jobs takes the server a third less than a join. */
  async #settleAlike(settlements: readonly [Settlement, ...Settlement[]]): Promise<number> {
    const shared = sharedBy(settlements[0]);
    let settled = 0;
    for (const part of inParts(settlements)) {
      const jobs = list(part.map(({ id }) => id));
      const text = this.#context.sql.settleAlike(jobs.places);
      settled += await this.#change(text, [...shared, ...jobs.values, this.#status]);
    }
    return settled;
  }

  /** Whether no run of it can have several jobs. */
  get #isOne(): boolean {
    return this.#held.size === 1;
  }

  /** Ends a run of several jobs. Those that are not complete, and those that this does not settle, have a record each from then on. */
  async #endRun(run: RunRef, told: readonly Settlement[]): Promise<void> {
    if (told.length === 0 && (await endTogether(this.#own, this.#context.sql, run))) return;
    const complete = new Set(run.jobs);
    for (const { id } of told) complete.delete(id);
    await this.#writeOut(run, (id) => !complete.has(id));
  }

  async #writeOut(run: RunRef, isWanted: (id: JobId) => boolean = () => true): Promise<void> {
    await writeOut(this.#own, this.#context.sql, run, (jobs) => jobs.filter(isWanted));
  }

  async finish(settlements: readonly Settlement[]): Promise<readonly JobId[]> {
    // What a handler has written can be undone, and settled otherwise.
    let isOver = !this.used;
    try {
      const settled = await this.settle(settlements);
      isOver = true;
      if (settled.length === settlements.length) await this.commit();
      return settled;
    } finally {
      // After a commit there is nothing left to roll back, and this does nothing.
      if (isOver) await this.rollback();
    }
  }

  async renew(): Promise<void> {
    this.#handle.close();
    // What the run has asked for and not waited for is part of what it wrote.
    await this.#answered(this.#inTurn.rest());
    this.#checkOpen();
    await this.#checkFence();
    this.#kept ||= this.used && !this.#undone;
    this.#undone = false;
    this.#handle = this.#newHandle();
  }

  async undo(): Promise<void> {
    this.#handle.close();
    if (this.#deadlock === null) this.#checkOpen();
    if (!this.#handle.used) return;
    await this.#stopStatements();
    await this.#answered(this.#inTurn.rest());
    // After a deadlock the server has undone it, with the savepoint.
    if (this.#deadlock === null) await this.#sayInside(ROLLBACK_TO_SAVEPOINT);
    this.#deadlock = null;
    this.#checkOpen();
    this.#undone = true;
  }

  async commit(): Promise<void> {
    this.#handle.close();
    this.#end(await this.#say('COMMIT'));
  }

  async rollback(): Promise<void> {
    if (this.#open) this.#rolledBack = this.#rollback();
    await this.#rolledBack;
  }

  async #rollback(): Promise<void> {
    // What waits for its turn would come after the ROLLBACK and be committed by itself.
    this.#open = false;
    this.#handle.close();
    try {
      await this.#stopStatements();
      // Also after a deadlock, when there is nothing left to undo: the session is then in a known state again.
      const [{ serverStatus }] = await this.#answered(
        this.#inTurn.rest().then(() => this.#client.query<ResultSetHeader>('ROLLBACK')),
      );
      // Whatever the claim was lost by: with a server that only reads now, the next one would be lost as well.
      this.#end(this.lost.aborted ? null : serverStatus);
    } catch {
      // The server rolls back what a lost connection leaves open.
      this.#end(null);
    }
  }

  #newHandle(): HandlerTransaction {
    return new HandlerTransaction(
      this.#inTurn,
      () => this.#onEnded(),
      () => (this.#changed = true),
    );
  }

  /** Its answers do not tell of a handler that has ended the transaction when another one is open by then: autocommit is off. */
  async #checkFence(): Promise<void> {
    if (!this.used || this.#undone || this.#checked === this.#handle) return;
    await this.#sayInside(RELEASE_FENCE);
    this.#checked = this.#handle;
  }

  /** Says what names a savepoint: without it the transaction is not the claim's any more. */
  async #sayInside(sql: string): Promise<void> {
    await this.#say(sql).catch((error: unknown) => {
      if (isWithoutSavepoint(error)) this.#onEnded();
      this.#checkOpen();
      throw error;
    });
  }

  #hold(row: JobRow): Job {
    const job = toJob(row);
    this.#held.set(job.id, job.attempt);
    return job;
  }

  /** For the driver's own statements, which are answered soon. */
  get #own(): MysqlTransaction {
    return {
      execute: (sql, values) => this.#answered(this.#inTurn.execute(sql, values)),
      query: (sql, values) => this.#answered(this.#inTurn.query(sql, values)),
    };
  }

  /** Jobs that this transaction has locked change by its own hand alone; so this is for the case that cannot be. */
  async #settledOnes(settlements: readonly Settlement[]): Promise<readonly Settlement[]> {
    const found = new Set<JobId>();
    for (const { text, values } of endingsOf(settlements)) {
      const rows = await this.#ask<{ id: string }>(this.#context.sql.settledBy(text), values);
      for (const { id } of rows) found.add(BigInt(id));
    }
    return settlements.filter(({ id }) => found.has(id));
  }

  #ask<Row>(sql: string, values: readonly Value[] = []): Promise<Row[]> {
    return this.#answered(query<Row>(this.#inTurn, sql, values));
  }

  /** The handler's statements may take as long as the handler; the driver's own, and their turn, come soon. */
  #answered<Answer>(answer: Promise<Answer>): Promise<Answer> {
    return answerWithin(this.#context.answerMs, answer, (error) => {
      this.#onLost(error);
      cut(this.#client);
      // While a statement runs, the server does not look whether its client is still there.
      void this.#sessions.end(sessionOf(this.#client));
    });
  }

  /** What is to be undone is not waited for long: the handler's statement that is still running, and those after it. */
  async #stopStatements(): Promise<void> {
    const rest = this.#inTurn.rest();
    const stop = async (): Promise<void> => {
      for (;;) {
        await Promise.race([rest, pause(STOP_AFTER_MS, undefined, { ref: false })]);
        if (!this.#inTurn.busy || !this.#handle.isSet || this.lost.aborted) return;
        this.#inTurn.forget();
        await this.#sessions.interrupt(sessionOf(this.#client));
      }
    };
    if (this.#inTurn.busy) await this.#answered(stop());
  }

  /** The protocol of prepared statements knows no savepoints. @returns the server's status */
  async #say(sql: string): Promise<number> {
    const [{ serverStatus }] = await this.#answered(this.#inTurn.query(sql)).catch((error: unknown) => {
      throw toDriverError(error);
    });
    return Number(serverStatus);
  }

  async #change(sql: string, values: readonly Value[]): Promise<number> {
    const { rows } = await this.#answered(change(this.#inTurn, sql, values));
    return rows;
  }

  async #onError(error: unknown): Promise<never> {
    const cause = toDriverError(error);
    if (cause.code === 'Deadlock') await this.#onDeadlock(cause);
    else if (cause.code === 'ConnectionLost') this.#onLost(cause);
    throw error;
  }

  /**
   * A deadlock ends the whole transaction, and its locks. What came after it would be another transaction: until the run is undone,
   * nothing does. If a handler has met it, the jobs are locked again, ahead of everything else; without them the claim is lost, and so
   * it is when an earlier run of the transaction has written: it is to end as complete, and its writes are gone.
   */
  async #onDeadlock(cause: DriverError): Promise<void> {
    const handler = this.used && this.#status === 'new';
    this.#handle.close(() => cause);
    if (handler && !this.#kept && this.#open) {
      this.#deadlock = cause;
      if (await this.#lockAgain().catch(() => false)) return;
    }
    const message = `The claim was lost by a deadlock: ${cause.message}`;
    this.#lost.abort(new DriverError('ConnectionLost', message, { cause }));
  }

  /** @returns whether the jobs are as they were */
  async #lockAgain(): Promise<boolean> {
    const { sql } = this.#context;
    for (const part of inParts(inOrder([...this.#held.keys()]))) {
      const wanted = list(part);
      const locked = query<{ id: string; attempt: number }>(
        this.#client,
        sql.lockAgain(wanted.places),
        wanted.values,
      );
      const rows = await this.#answered(locked);
      const same = rows.filter(({ id, attempt }) => this.#held.get(BigInt(id)) === attempt);
      if (same.length < part.length) return false;
    }
    return true;
  }

  /** The handler has committed, with COMMIT or with what commits implicitly, and so given up the locks. */
  #onEnded(): void {
    const message = "The claim was lost: a statement in the handler's transaction has ended it.";
    const error = new DriverError('ConnectionLost', message);
    this.#handle.close(() => error);
    this.#lost.abort(error);
  }

  #checkOpen(): void {
    if (this.lost.aborted) throw this.lost.reason;
    if (this.#deadlock !== null) throw this.#deadlock;
    if (!this.#open) throw new DriverError('TransactionOver', 'The transaction has ended.');
  }

  readonly #onLost = (error?: Error): void => {
    const cause = error ?? new Error('The connection ended.');
    this.#lost.abort(
      new DriverError('ConnectionLost', `The claim's connection was lost: ${cause.message}`, { cause }),
    );
  };

  /** @param status What the server said last, or null when the connection is of no more use. */
  #end(status: number | null): void {
    this.#open = false;
    this.#handle.close();
    this.#client.off('error', this.#onLost);
    this.#client.off('end', this.#onLost);
    if (status === null || this.#changed) this.#client.destroy();
    else this.#connections.give(this.#client, status);
  }
}

/** MySQL's word for a savepoint that is not there. */
const NO_SAVEPOINT = 1305;

function isWithoutSavepoint(error: unknown): boolean {
  const { cause } = toDriverError(error);
  return cause instanceof Error && 'errno' in cause && cause.errno === NO_SAVEPOINT;
}
