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
import type { PoolClient, QueryResultRow } from 'pg';
import type { Context } from './context.js';
import { toDriverError } from './errors.js';
import { BEGIN, isSkipped } from './flight.js';
import type { FlushSession } from './flush-session.js';
import { HandlerTransaction, KEEP, ROLLBACK_TO_SAVEPOINT } from './handler-transaction.js';
import { InTurn } from './in-turn.js';
import { rangeOf } from './job-ids.js';
import type { OwnSessions } from './own-sessions.js';
import { plainArray } from './plain-array.js';
import { type PostgresTransaction, type QueryConfig, query, type Rows, statementOf } from './query.js';
import { type JobRow, toJob } from './rows.js';
import { cut, type Server } from './session.js';
import {
  type Alike,
  type Asking,
  areAlike,
  completing,
  type Standing,
  settling,
  settlingAll,
} from './settlements.js';
import { NOT_ALL } from './statements/settle.js';
import { type Wire, wireOf } from './wire.js';

/** How long the handler's statements may go on when they are to be undone, in milliseconds. */
const STOP_AFTER_MS = 2_000;

const OVER = Promise.resolve();

/** What a transaction needs of the driver. */
export interface Surroundings {
  readonly context: Context;
  readonly own: OwnSessions;
  /** For statements beside the transaction. */
  readonly pool: PostgresTransaction;
  readonly server: Server;
  /** What commits share. */
  readonly flushSession: FlushSession;
  /** The transaction that it comes behind on its connection. */
  readonly before: PostgresHeldTransaction | null;
}

/** The worker's transaction: a connection of its own, and the row locks that are the claim. */
export class PostgresHeldTransaction implements HeldTransaction<PostgresTransaction> {
  readonly #context: Context;
  readonly #own: OwnSessions;
  readonly #client: PoolClient;
  readonly #pool: PostgresTransaction;
  readonly #wire: Wire;
  readonly #flushSession: FlushSession;
  readonly #goesOn: boolean;
  readonly #inTurn: InTurn;
  readonly #lost = new AbortController();
  readonly #held = new Set<JobId>();
  #handle: HandlerTransaction;
  /** How a job of this claim stands in the table until it is settled. */
  #status: State = 'new';
  #open = true;
  #ended = false;
  /** Whether a handler may have changed the session for whoever has it next. */
  #isChanged = false;
  /** Whether another transaction has the connection now. */
  #handedOver = false;
  #rolledBack: Promise<void> = OVER;
  #tellOver = (): void => {};
  readonly #over = new Promise<void>((resolve) => {
    this.#tellOver = resolve;
  });

  /** The transaction is opened with its first statement. */
  constructor(
    { context, own, pool, server, flushSession, before }: Surroundings,
    client: PoolClient,
    limitMs: number,
  ) {
    this.#context = context;
    this.#own = own;
    this.#client = client;
    this.#pool = pool;
    this.#flushSession = flushSession;
    // Behind it comes something, too. Behind a pooler no session can tell of a server.
    this.#goesOn = before !== null && own.known;
    this.#wire = wireOf(client, own.known);
    this.#inTurn = new InTurn(
      client,
      this.#wire,
      () => this.#checkOpen(),
      () => this.#begin(limitMs, server),
      before,
    );
    this.#handle = this.#newHandle();
    client.on('error', this.#onLost);
    client.on('end', this.#onLost);
  }

  /**
   * Gives the connection to the transaction that comes right behind this one's `finish`; undefined when it is not to be had:
   * `finish` was not sent, or has been answered already, or a handler has changed the session.
   */
  async handOver(): Promise<PoolClient | undefined> {
    if (!this.#inTurn.isEnding) await this.#inTurn.submitted;
    if (this.#ended || this.#isChanged || !this.#inTurn.isEnding) return undefined;
    this.#handedOver = true;
    return this.#client;
  }

  /** Whether its end is on its way, or has been. */
  get isEnding(): boolean {
    return this.#ended || this.#inTurn.isEnding;
  }

  /** Resolves when it has ended, or is given up: the connection is whose it was handed to. */
  get over(): Promise<void> {
    return this.#over;
  }

  get handle(): HandlerTransaction {
    return this.#handle;
  }

  get lost(): AbortSignal {
    return this.#lost.signal;
  }

  async claim({ queue, kinds, line, busy, limit }: ClaimCriteria): Promise<readonly Job[]> {
    const { sql } = this.#context;
    const values = [queue, line.priority, line.id, kinds, busy];
    const rows = await (limit === 1
      ? this.#askRows<JobRow>(sql.claimOne, values)
      : this.#askRows<JobRow>(sql.claim, [...values, limit]));
    return rows.map((row) => this.#hold(row));
  }

  async lockSiblings({ queue, keys }: Entities, limit: number): Promise<readonly Job[]> {
    const { sql } = this.#context;
    const [key, ...others] = keys;
    const rows = await (others.length === 0
      ? this.#askRows<JobRow>(sql.lockKey, [queue, key, limit])
      : this.#askRows<JobRow>(sql.lockSiblings, [queue, keys, limit], keys.length));
    return rows.map((row) => this.#hold(row));
  }

  async firstOutstanding({ key, kinds, before, except }: DependencyQuestion): Promise<JobId | undefined> {
    const values = [key, kinds, before, except];
    const [row] = await this.#askRows<{ id: JobId | null }>(this.#context.sql.firstOutstanding, values);
    return row?.id ?? undefined;
  }

  async confirm(): Promise<void> {
    await this.#askPlain('SELECT');
  }

  async release({ runId, jobs }: RunRef): Promise<void> {
    const values = [plainArray(jobs), runId, rangeOf(jobs)[0]];
    await this.#askAndCommit({ text: this.#context.sql.release, values, given: jobs.length });
  }

  async lease(runId: string, jobs: readonly JobId[], forMs: number): Promise<void> {
    const values = [runId, jobs, forMs, rangeOf(jobs)[0]];
    await this.#askAndCommit({ text: this.#context.sql.lease, values, given: jobs.length });
  }

  async lockLeased(
    runId: string,
    jobs: readonly JobId[],
    isCommitted: boolean,
  ): Promise<ReadonlyMap<JobId, State>> {
    const rows = await this.#askRows<{ id: JobId; status: State }>(this.#context.sql.lockLeased, [
      runId,
      jobs,
      isCommitted,
    ]);
    for (const { id, status } of rows) if (status === 'in-progress') this.#held.add(id);
    this.#status = 'in-progress';
    return new Map(rows.map(({ id, status }) => [id, status]));
  }

  get used(): boolean {
    return this.handle.used;
  }

  async settle(settlements: readonly Settlement[]): Promise<readonly JobId[]> {
    this.#checkOpen();
    const own = settlements.filter(({ id }) => this.#held.has(id));
    if (own.length === 0) return [];
    this.handle.close();
    // What the handler left to be checked at commit is checked now, while the claim can still be settled otherwise.
    if (this.handle.used) await this.#askFenced(this.handle.checks.map(({ text }) => text).join('; '));
    const settled =
      this.#standing.isOne && areAlike(own) ? await this.#complete(own) : await this.#settle(own);
    for (const id of settled) this.#held.delete(id);
    return settled;
  }

  async #complete(settlements: Alike): Promise<readonly JobId[]> {
    const { rowCount } = await this.#ask(completing(this.#context.sql.complete, settlements, this.#standing));
    return rowCount === 1 ? [settlements[0].id] : [];
  }

  async #settle(settlements: readonly Settlement[]): Promise<readonly JobId[]> {
    const asking = settling(this.#context.sql, settlements, this.#standing);
    const { rows } = await this.#ask<{ id: JobId }>(asking);
    return rows.map(({ id }) => id);
  }

  async finish(
    settlements: readonly Settlement[],
    committed: (() => void) | null = null,
  ): Promise<readonly JobId[]> {
    const goesOn = this.#goesOn && committed !== null && !this.used && areAlike(settlements);
    const { flushed, end } = this.#flushSession.begin(settlements.length, goesOn);
    try {
      const settled = await this.#finish(settlements, flushed !== null);
      committed?.();
      if (settled.length > 0) await flushed?.();
      return settled;
    } finally {
      end();
    }
  }

  async #finish(settlements: readonly Settlement[], isUnflushed: boolean): Promise<readonly JobId[]> {
    this.#checkOpen();
    if (settlements.some(({ id }) => !this.#held.has(id))) return [];
    const isWritten = this.handle.used;
    if (!isWritten && this.#standing.isOne && areAlike(settlements))
      return this.#finishOne(settlements, isUnflushed);
    const ending = settlingAll(this.#context.sql, settlements, this.#standing, isUnflushed);
    try {
      await (isWritten ? this.#commitWritten(ending) : this.#askAndCommit(ending));
    } catch (error) {
      if (isNotAll(error)) return [];
      throw error;
    }
    return settlements.map(({ id }) => id);
  }

  /** By the plainest statement. Should the job not be this transaction's to settle, nothing is written. */
  async #finishOne(settlements: Alike, isUnflushed: boolean): Promise<readonly JobId[]> {
    const { complete, completeUnflushed } = this.#context.sql;
    const text = isUnflushed ? completeUnflushed : complete;
    const { rowCount } = await this.#askAndCommit(completing(text, settlements, this.#standing));
    return rowCount === 1 ? [settlements[0].id] : [];
  }

  /** With what a handler has written. Where that cannot be committed nothing is, and the transaction is left to be undone. */
  async #commitWritten(ending: Asking): Promise<void> {
    const { handle } = this;
    handle.close();
    const statements = [...handle.checks, this.#statement(ending)];
    const committed = this.#inTurn.askAllAndCommit(statements, () => this.#end(false));
    try {
      await this.#answered(committed.catch(this.#fail));
    } catch (error) {
      if (!isNoSavepoint(error)) throw error;
      this.#onEnded();
      throw this.lost.reason;
    }
    this.#end(false);
  }

  async renew(): Promise<void> {
    const { used } = this.handle;
    this.handle.close();
    if (used) await this.#askFenced(KEEP);
    this.#handle = this.#newHandle();
  }

  get #standing(): Standing {
    return { status: this.#status, isOne: this.#held.size === 1 };
  }

  async undo(): Promise<void> {
    this.handle.close();
    this.#checkOpen();
    if (!this.handle.used) return;
    await this.#stopStatements();
    await this.#askFenced(ROLLBACK_TO_SAVEPOINT);
  }

  async commit(): Promise<void> {
    this.handle.close();
    await this.#askPlain('COMMIT');
    this.#end(false);
  }

  rollback(): Promise<void> {
    if (this.#open) this.#rolledBack = this.#rollback();
    return this.#rolledBack;
  }

  async #rollback(): Promise<void> {
    // What waits for its turn would come after the ROLLBACK and be committed by itself.
    this.#open = false;
    this.handle.close();
    if (this.#handedOver || !this.#inTurn.mayBeOpen) {
      this.#end(false);
      return;
    }
    try {
      await this.#stopStatements();
      await this.#answered(this.#inTurn.rest().then(() => this.#client.query('ROLLBACK')));
      this.#end(false);
    } catch {
      // The server rolls back what a lost connection leaves open.
      this.#end(true);
    }
  }

  #newHandle(): HandlerTransaction {
    return new HandlerTransaction(
      this.#inTurn,
      () => this.#onEnded(),
      () => {
        this.#isChanged = true;
      },
    );
  }

  #hold(row: JobRow): Job {
    this.#held.add(row.id);
    return toJob(row);
  }

  /** Null where there is nothing to wait for ahead of the statement that is asked behind it. */
  #begin(limitMs: number, server: Server): Promise<void> | null {
    const { sql } = this.#context;
    if (!this.#own.known)
      return this.#opened([this.#wire.plain(`${BEGIN.text}; ${sql.bounds('LOCAL', limitMs, server)}`)]);
    const ahead = this.#own
      .ahead(this.#client, limitMs, () => sql.bounds('SESSION', limitMs, server))
      .map((text) => this.#wire.plain(text));
    const begun = this.#wire.begin();
    if (begun !== null) ahead.push(begun);
    return ahead.length === 0 ? null : this.#opened(ahead);
  }

  async #opened(asked: readonly Promise<unknown>[]): Promise<void> {
    try {
      await Promise.all(asked);
    } catch (error) {
      // Whatever was set was not: it comes again.
      this.#own.unbind(this.#client);
      if (isSkipped(error)) throw error;
      const cause = toDriverError(error);
      this.#onLost(cause);
      throw cause;
    }
  }

  #statement({ text, values, given }: Asking): QueryConfig {
    return statementOf(text, values, this.#own.nameOf(text, given));
  }

  #ask<Row extends QueryResultRow>(asking: Asking): Promise<Rows<Row>> {
    const asked = this.#inTurn.ask<Row>(this.#statement(asking));
    return this.#answered(asked.catch(this.#fail));
  }

  /** @param given How many rows it is given */
  async #askRows<Row extends QueryResultRow>(text: string, values: unknown[], given = 1): Promise<Row[]> {
    return (await this.#ask<Row>({ text, values, given })).rows;
  }

  async #askPlain(text: string): Promise<void> {
    await this.#answered(this.#inTurn.plain(text).catch(this.#fail));
  }

  /** What fails when the savepoints are gone: with them are the locks, though a transaction is open. */
  async #askFenced(text: string): Promise<void> {
    try {
      await this.#askPlain(text);
    } catch (error) {
      if (!isNoSavepoint(error)) throw error;
      this.#onEnded();
      throw this.lost.reason;
    }
    this.handle.unfence();
  }

  /** Nothing is committed when the statement fails: the transaction is rolled back then. */
  async #askAndCommit(asking: Asking): Promise<Rows<QueryResultRow>> {
    this.handle.close();
    try {
      return await this.#answered(this.#inTurn.askAndCommit(this.#statement(asking)).catch(this.#fail));
    } finally {
      const status = this.#client.getTransactionStatus?.();
      this.#end(status === 'T' || status === 'E');
    }
  }

  /** The handler's statements may take as long as the handler; the driver's own, and their turn, come soon. */
  #answered<Answer>(answer: Promise<Answer>): Promise<Answer> {
    return answerWithin(this.#context.answerMs, answer, (error) => {
      this.#onLost(error);
      cut(this.#client);
    });
  }

  readonly #fail = (error: unknown): never => {
    const cause = toDriverError(error);
    this.#own.blame(this.#client, cause);
    throw cause;
  };

  /** What is to be undone is not waited for long: the handler's statement that is still running, and those after it. */
  async #stopStatements(): Promise<void> {
    const rest = this.#inTurn.rest();
    const { sql } = this.#context;
    const stop = async (): Promise<void> => {
      for (;;) {
        await Promise.race([rest, pause(STOP_AFTER_MS, undefined, { ref: false })]);
        const { session } = this.handle;
        if (!this.#inTurn.busy || session === undefined || this.lost.aborted) return;
        this.#inTurn.forget();
        await query(this.#pool, sql.stopStatement, [session]).catch(() => {});
      }
    };
    if (this.#inTurn.busy) await this.#answered(stop());
  }

  /** The handler has committed or rolled back, and so given up the locks. */
  #onEnded(): void {
    this.handle.close();
    const message = "The claim was lost: a statement in the handler's transaction has ended it.";
    this.#lost.abort(new DriverError('ConnectionLost', message));
  }

  #checkOpen(): void {
    if (this.lost.aborted) throw this.lost.reason;
    if (!this.#open) throw new DriverError('TransactionOver', 'The transaction has ended.');
  }

  readonly #onLost = (error?: Error): void => {
    const cause = error ?? new Error('The connection ended.');
    this.#lost.abort(
      new DriverError('ConnectionLost', `The claim's connection was lost: ${cause.message}`, { cause }),
    );
  };

  #end(broken: boolean): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#open = false;
    this.handle.close();
    this.#client.off('error', this.#onLost);
    this.#client.off('end', this.#onLost);
    this.#tellOver();
    if (this.#handedOver) return;
    const isOver = broken || this.#isChanged || this.lost.aborted || this.#own.isStale(this.#client);
    this.#client.release(isOver);
  }
}

/** See settleAll: fewer jobs were this transaction's to settle. */
function isNotAll(error: unknown): boolean {
  const { code, message } = Object(error instanceof DriverError && error.cause);
  return code === '22P02' && String(message).includes(NOT_ALL);
}

function isNoSavepoint(error: unknown): boolean {
  return error instanceof DriverError && Object(error.cause).code === '3B001';
}
