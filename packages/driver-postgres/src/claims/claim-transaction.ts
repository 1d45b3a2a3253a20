import { DriverError, type State } from '@rowlock/core';
import {
  beforePaused,
  type ClaimCriteria,
  type DependencyQuestion,
  type Entities,
  type Job,
  type JobId,
  NO_LIMITS,
  type RunRef,
  type Settlement,
  type Size,
} from '@rowlock/core/driver';
import type { QueryResultRow } from 'pg';
import type { Rows } from '../query.js';
import { type JobRow, type SiblingRow, toJob } from '../rows.js';
import { claiming, claimingLimited, claimingWithSlot } from './claim.js';
import type { ClaimConnection } from './claim-connection.js';
import type { ClaimParts } from './claim-parts.js';
import type { ClaimStatement } from './claim-statement.js';
import { ClaimStatements } from './claim-statements.js';
import { firstOutstanding } from './first-outstanding.js';
import { Endings } from './handler-statements.js';
import { HandlerTransaction, KEEP, ROLLBACK_TO_SAVEPOINT } from './handler-transaction.js';
import { leasing, lockingLeased } from './lease.js';
import { releasing } from './release.js';
import {
  type Alike,
  areAlike,
  carryValues,
  completing,
  isNotAll,
  type Standing,
  settling,
  settlingAll,
} from './settlements.js';
import { lockingSiblings } from './siblings.js';
import { type Entry, entryOf, type Slot, slotsOf } from './slots.js';
import { stopStatements } from './stop-statements.js';

/** A committed settlement, and the transaction that began behind it with the next claim. */
export interface Ended {
  readonly settled: readonly JobId[];
  readonly next: { readonly transaction: ClaimTransaction; readonly jobs: Promise<readonly Job[]> } | null;
}

/** Stands before a settlement that the server may refuse: a text in its character set, or what a trigger does not let pass. */
const SAVE = { name: 'rowlock.save', text: 'SAVEPOINT rowlock_settlement' };
const RESTORE = 'ROLLBACK TO SAVEPOINT rowlock_settlement';

/** A claimed job and the slot that it has locked, each null if there was none. */
type ClaimedRow = (JobRow & { readonly slot: number | null }) | { readonly id: null; readonly slot: null };

const NOTHING: Ended = { settled: [], next: null };

/** One claim: the row locks of one transaction. */
export class ClaimTransaction {
  readonly #parts: ClaimParts;
  readonly #connection: ClaimConnection;
  readonly #statements: ClaimStatements;
  readonly #lost = new AbortController();
  readonly #held = new Set<JobId>();
  /** The slots that the claim has taken. */
  #slots: readonly Slot[] = [];
  readonly #endings = new Endings();
  #handle: HandlerTransaction;
  /** The status of the claim's jobs in the table until they are settled. */
  #status: State = 'new';
  #isOpen = true;
  #hasEnded = false;
  #rolledBack: Promise<void> = Promise.resolve();

  /** @param isBegun Whether the transaction is open already. Otherwise the first statement opens it. */
  constructor(parts: ClaimParts, connection: ClaimConnection, isBegun: boolean) {
    this.#parts = parts;
    this.#connection = connection;
    const check = (): void => this.#checkOpen();
    this.#statements = new ClaimStatements(parts, connection, isBegun, { check, onLost: this.#onLost });
    this.#handle = this.#newHandle();
  }

  /** Makes the loss of the connection end this claim, and no longer the one before. */
  attach(): void {
    this.#connection.onLost = this.#onLost;
  }

  get isOpen(): boolean {
    return this.#isOpen;
  }

  get handle(): HandlerTransaction {
    return this.#handle;
  }

  get used(): boolean {
    return this.#handle.used;
  }

  get lost(): AbortSignal {
    return this.#lost.signal;
  }

  async claim(criteria: ClaimCriteria): Promise<readonly Job[]> {
    const { limits = NO_LIMITS } = criteria;
    if (limits === NO_LIMITS)
      return this.#hold(await this.#statements.rows<JobRow>(claiming(this.#sql, criteria)));
    const entry = this.#entryOf(limits);
    const [limit, ...others] = entry.limits;
    const { sharesMessages } = this.#connection.pipeline;
    const mayTakeFirst = sharesMessages && others.length === 0 && !this.#parts.counted.has(limits);
    const job = await (mayTakeFirst && limit !== undefined
      ? this.#claimWithSlot(criteria, entry, limit)
      : this.#enter<JobRow>(entry, claimingLimited(this.#sql, criteria, entry)));
    return this.#hold(job === undefined ? [] : [job]);
  }

  async enterLimits(limits: string): Promise<void> {
    await this.#enterAll(this.#entryOf(limits));
  }

  async leaveLimits(runId: string): Promise<void> {
    await this.#statements.send({ text: this.#sql.limits.leaveLimits, values: [runId], given: 1 });
  }

  async lockSiblings(entities: Entities, limit: number): Promise<readonly Job[]> {
    const locked = await this.#statements.rows<SiblingRow>(lockingSiblings(this.#sql, entities, limit));
    return this.#hold(beforePaused(locked, ({ paused }) => paused));
  }

  async firstOutstanding(question: DependencyQuestion): Promise<JobId | undefined> {
    const [row] = await this.#statements.rows<{ id: JobId | null }>(firstOutstanding(this.#sql, question));
    return row?.id ?? undefined;
  }

  async confirm(): Promise<void> {
    await this.#statements.plain('SELECT');
  }

  async release(run: RunRef): Promise<void> {
    const isHeld = run.jobs.every((id) => this.#held.has(id));
    await this.#sendAndCommit(releasing(this.#sql, run, isHeld));
    this.#end(false);
  }

  async lease(runId: string, jobs: readonly JobId[], forMs: number): Promise<void> {
    await this.#sendAndCommit(leasing(this.#sql, { runId, jobs }, forMs, this.#slots));
    this.#end(false);
  }

  async lockLeased(
    runId: string,
    jobs: readonly JobId[],
    isCommitted: boolean,
  ): Promise<ReadonlyMap<JobId, State>> {
    const statement = lockingLeased(this.#sql, runId, jobs, isCommitted);
    const rows = await this.#statements.rows<{ id: JobId; status: State }>(statement);
    for (const { id, status } of rows) if (status === 'in-progress') this.#held.add(id);
    this.#status = 'in-progress';
    return new Map(rows.map(({ id, status }) => [id, status]));
  }

  async settle(settlements: readonly Settlement[]): Promise<readonly JobId[]> {
    this.#checkOpen();
    const own = settlements.filter(({ id }) => this.#held.has(id));
    if (own.length === 0) return [];
    this.#handle.close();
    // Deferred constraints are checked before the settlement: a failure still leaves the claim free for another outcome.
    if (this.used) await this.#fenced(this.#handle.checks.map(({ text }) => text).join('; '));
    const { isOne, status } = this.#standing;
    const settle = (): Promise<readonly JobId[]> =>
      isOne && areAlike(own) ? this.#complete(own) : this.#settle(own);
    // What a lease's settlement writes without a value is not worth another statement each time.
    const settled = await (status === 'new' || carryValues(own) ? this.#saved(settle) : settle());
    for (const id of settled) this.#held.delete(id);
    return settled;
  }

  async #complete(settlements: Alike): Promise<readonly JobId[]> {
    const { rowCount } = await this.#statements.send(
      completing(this.#sql.settlements.complete, settlements, this.#standing),
    );
    return rowCount === 1 ? [settlements[0].id] : [];
  }

  async #settle(settlements: readonly Settlement[]): Promise<readonly JobId[]> {
    const rows = await this.#statements.rows<{ id: JobId }>(settling(this.#sql, settlements, this.#standing));
    return rows.map(({ id }) => id);
  }

  async #saved<Result>(settle: () => Promise<Result>): Promise<Result> {
    await this.#statements.plain(SAVE.text);
    return this.#orRestored(settle());
  }

  /** Keeps the claim, although the server has refused a statement behind the savepoint. */
  async #orRestored<Result>(settled: Promise<Result>): Promise<Result> {
    try {
      return await settled;
    } catch (error) {
      if (this.#isOpen) await this.#statements.plain(RESTORE).catch(() => {});
      throw error;
    }
  }

  /** Settles and commits. Where the connection allows it, the same message carries the next claim. */
  async finish(settlements: readonly Settlement[], criteria: ClaimCriteria | undefined): Promise<Ended> {
    this.#checkOpen();
    if (settlements.some(({ id }) => !this.#held.has(id))) return NOTHING;
    const sent: { next: Ended['next'] } = { next: null };
    try {
      const settled = await this.#settleAndCommit(settlements, () => {
        if (criteria !== undefined && this.#mayGoOn) sent.next = this.#claimNext(criteria);
      });
      this.#end(false, sent.next !== null);
      return { settled, next: sent.next };
    } catch (error) {
      if (isNotAll(error)) return NOTHING;
      throw error;
    }
  }

  #settleAndCommit(settlements: readonly Settlement[], behind: () => void): Promise<readonly JobId[]> {
    if (this.used) return this.#commitWritten(settlements, behind);
    if (this.#standing.isOne && areAlike(settlements)) return this.#commitOne(settlements, behind);
    return this.#commitAll(settlements, behind);
  }

  /** Commits by the plainest statement. Writes nothing when another transaction has the job. */
  async #commitOne(settlements: Alike, behind: () => void): Promise<readonly JobId[]> {
    const statement = completing(this.#sql.settlements.complete, settlements, this.#standing);
    const { rowCount } = await this.#sendAndCommit(statement, behind);
    return rowCount === 1 ? [settlements[0].id] : [];
  }

  async #commitAll(settlements: readonly Settlement[], behind: () => void): Promise<readonly JobId[]> {
    const ending = settlingAll(this.#sql, settlements, this.#standing);
    if (carryValues(settlements)) {
      this.#handle.close();
      const committed = this.#statements.allAndCommit([SAVE], ending, () => this.#end(false), behind);
      await this.#orRestored(committed);
    } else await this.#sendAndCommit(ending, behind);
    return settlements.map(({ id }) => id);
  }

  /** Commits the settlements with the handler's writes. On a failure nothing is committed, and the transaction waits for its ROLLBACK. */
  async #commitWritten(settlements: readonly Settlement[], behind: () => void): Promise<readonly JobId[]> {
    this.#handle.close();
    const ending = settlingAll(this.#sql, settlements, this.#standing);
    const { checks } = this.#handle;
    try {
      await this.#statements.allAndCommit(checks, ending, () => this.#end(false), behind);
    } catch (error) {
      throw this.#endedByHandler(error) ?? error;
    }
    return settlements.map(({ id }) => id);
  }

  /** Whether the next claim can use this connection, with no statement ahead of it. */
  get #mayGoOn(): boolean {
    const { settings, names, limitMs } = this.#parts;
    const { client, pipeline, isChanged } = this.#connection;
    return (
      pipeline.sharesMessages && !isChanged && !names.isStale(client) && settings.isCurrent(client, limitMs)
    );
  }

  #claimNext(criteria: ClaimCriteria): NonNullable<Ended['next']> {
    void this.#connection.pipeline.begin();
    const transaction = new ClaimTransaction(this.#parts, this.#connection, true);
    const jobs = transaction.claim(criteria);
    // When the settlement fails, no code reads the claim's result.
    jobs.catch(() => {});
    return { transaction, jobs };
  }

  async renew(): Promise<void> {
    const { used } = this;
    this.#handle.close();
    if (used) await this.#fenced(KEEP);
    this.#handle = this.#newHandle();
  }

  async undo(): Promise<void> {
    this.#handle.close();
    this.#checkOpen();
    if (!this.used) return;
    await this.#stopStatements();
    await this.#fenced(ROLLBACK_TO_SAVEPOINT);
  }

  async commit(): Promise<void> {
    this.#handle.close();
    await this.#statements.plain('COMMIT');
    this.#end(false);
  }

  rollback(): Promise<void> {
    if (this.#isOpen) this.#rolledBack = this.#rollback();
    return this.#rolledBack;
  }

  async #rollback(): Promise<void> {
    // A statement still in the queue would run after the ROLLBACK, and would be committed by itself.
    this.#isOpen = false;
    this.#handle.close();
    try {
      if (this.#statements.serial.isBegun) {
        await this.#stopStatements();
        await this.#statements.rollback();
      }
      this.#end(false);
    } catch {
      // The server rolls back the open transaction of a lost connection.
      this.#end(true);
    }
  }

  #entryOf(limits: string): Entry {
    return entryOf(limits, this.#parts.context.schema);
  }

  /** Claims a job, and takes a slot without counting if that is enough. */
  async #claimWithSlot(criteria: ClaimCriteria, entry: Entry, limit: Size): Promise<JobRow | undefined> {
    const connection = this.#connection;
    // A session that may still share the gate is closed, whatever happens.
    connection.isChanged = true;
    const [claimed, proof] = await this.#statements.both<ClaimedRow, QueryResultRow>(
      ...claimingWithSlot(this.#sql, criteria, limit),
    );
    if (proof.rows.length === 0) {
      this.#parts.counted.add(entry.text);
      await this.#statements.plain('ROLLBACK AND CHAIN');
      await this.#statements.send({ text: this.#sql.claims.openGate, values: [limit.name], given: 1 });
      connection.isChanged = false;
      return this.#enter<JobRow>(entry, claimingLimited(this.#sql, criteria, entry));
    }
    connection.isChanged = false;
    const [row] = claimed.rows;
    if (row === undefined || row.id === null) return undefined;
    if (row.slot === null) await this.#enterAll(entry);
    else this.#slots = [{ limit: limit.name, number: row.slot }];
    return row;
  }

  async #enterAll(entry: Entry): Promise<void> {
    await this.#enter(entry, { text: this.#sql.limits.enterLimits, values: [...entry.values], given: 1 });
  }

  /** Sends a statement that takes slots, until there are enough of them. Returns its row. */
  async #enter<Row extends QueryResultRow>(
    entry: Entry,
    statement: ClaimStatement,
  ): Promise<Row | undefined> {
    const connection = this.#connection;
    const { isChanged } = connection;
    for (;;) {
      // As in #claimWithSlot: an interrupt may have left the gate locked.
      connection.isChanged = true;
      const [row] = await this.#statements.rows<Row & { slots: readonly number[] }>(statement);
      connection.isChanged = isChanged;
      if (row === undefined) return undefined;
      const slots = await slotsOf(entry, row.slots, this.#parts.pool, this.#sql.limits);
      if (slots === undefined) continue;
      this.#slots = slots;
      return row;
    }
  }

  get #sql(): ClaimParts['context']['sql'] {
    return this.#parts.context.sql;
  }

  get #standing(): Standing {
    return { status: this.#status, isOne: this.#held.size === 1 };
  }

  #newHandle(): HandlerTransaction {
    const onEnded = (): void => this.#onEnded();
    const onStays = (): void => {
      this.#connection.isChanged = true;
    };
    return new HandlerTransaction(this.#statements.serial, this.#endings, onEnded, onStays);
  }

  #hold(rows: readonly JobRow[]): readonly Job[] {
    for (const { id } of rows) this.#held.add(id);
    return rows.map(toJob);
  }

  /** Fails when the savepoints are gone. The locks are gone with the savepoints, though a transaction is open. */
  async #fenced(text: string): Promise<void> {
    try {
      await this.#statements.plain(text);
    } catch (error) {
      throw this.#endedByHandler(error) ?? error;
    }
    this.#handle.unfence();
  }

  /** Commits nothing when the statement fails. A connection whose transaction is still open is then closed. */
  async #sendAndCommit(statement: ClaimStatement, behind?: () => void): Promise<Rows<QueryResultRow>> {
    this.#handle.close();
    try {
      return await this.#statements.andCommit(statement, behind);
    } catch (error) {
      const status = this.#connection.client.getTransactionStatus?.();
      this.#end(status === 'T' || status === 'E');
      throw error;
    }
  }

  async #stopStatements(): Promise<void> {
    const { serial } = this.#statements;
    if (!serial.busy) return;
    const { pool, context } = this.#parts;
    const session = (): number | undefined => this.#handle.session;
    await this.#statements.within(stopStatements(serial, pool, context.sql.claims, session, this.lost));
  }

  /** The loss of the claim, when the error says that the savepoints are gone. Undefined for other errors. */
  #endedByHandler(error: unknown): unknown {
    if (!(error instanceof DriverError) || Object(error.cause).code !== '3B001') return undefined;
    this.#onEnded();
    return this.lost.reason;
  }

  /** The handler has committed or rolled back, which releases the locks. */
  #onEnded(): void {
    this.#handle.close();
    const message = "The claim was lost: a statement in the handler's transaction has ended it.";
    this.#lost.abort(new DriverError('ConnectionLost', message));
  }

  #checkOpen(): void {
    if (this.lost.aborted) throw this.lost.reason;
    if (!this.#isOpen) throw new DriverError('TransactionOver', 'The transaction has ended.');
  }

  readonly #onLost = (cause: Error): void => {
    this.#lost.abort(
      new DriverError('ConnectionLost', `The claim's connection was lost: ${cause.message}`, { cause }),
    );
  };

  /** @param isHandedOn Whether the next transaction keeps the connection. */
  #end(isBroken: boolean, isHandedOn = false): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.#isOpen = false;
    this.#handle.close();
    if (isHandedOn) return;
    const { client } = this.#connection;
    this.#connection.release(isBroken || this.lost.aborted || this.#parts.names.isStale(client));
  }
}
