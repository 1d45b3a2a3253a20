import { DriverError } from '@rowlock/core';
import { answerWithin } from '@rowlock/core/driver';
import type { PoolConnection } from 'mysql2/promise';
import { noteMuted } from '../connection/muted-sessions.js';
import type { SessionControl } from '../connection/session-control.js';
import type { Context } from '../context.js';
import { toDriverError, undoesTransaction } from '../errors.js';
import type { MysqlTransaction } from '../query.js';
import { Endings } from './handler-statements.js';
import { HandlerTransaction } from './handler-transaction.js';
import { HeldJobs } from './held-jobs.js';
import { HeldSlots } from './held-slots.js';
import { type Connections, SerialConnection } from './serial-connection.js';
import { stopStatements } from './stop-statements.js';

/** One transaction of a claim session: a connection, which the first statement takes, and the row locks of the claim. */
export class ClaimTransaction {
  readonly context: Context;
  readonly jobs = new HeldJobs();
  readonly slots = new HeldSlots();
  readonly #control: SessionControl;
  readonly #connection: SerialConnection;
  readonly #lost = new AbortController();
  readonly #endings = new Endings();
  #handle: HandlerTransaction;
  #open = true;
  #rolledBack: Promise<void> | null = null;
  /** Whether a run that has ended has written through the transaction. */
  #hasWrites = false;
  /** Whether the session may not be as it was. */
  #isSessionChanged = false;
  /** Whether the handlers' part is over. What is undone from then on is undone for all runs. */
  #isSettling = false;
  /** The error by which the server has undone the transaction, until the run is undone too. */
  #undone: DriverError | null = null;
  /** Whether the claim was lost although its connection is intact. */
  #isIntact = false;
  #isReleasing = false;

  constructor(context: Context, connections: Connections, control: SessionControl) {
    this.context = context;
    this.#control = control;
    this.#connection = new SerialConnection(connections, {
      check: () => this.checkOpen(),
      failed: (error) => this.#onFailure(error),
      lost: (error) => this.#onLost(error),
    });
    this.#handle = this.#newHandle();
  }

  get lost(): AbortSignal {
    return this.#lost.signal;
  }

  get handle(): MysqlTransaction {
    return this.#handle;
  }

  get used(): boolean {
    return this.#handle.used;
  }

  get isOver(): boolean {
    return !this.#open;
  }

  /** The error by which the server has undone the transaction, whose jobs and slots are locked again. Null otherwise. */
  get undone(): DriverError | null {
    return this.#undone;
  }

  /** Whether the server has undone the claim for good, and the end of the run's record can still be written. */
  get isReleasable(): boolean {
    return this.#isIntact && this.#open;
  }

  /** For the driver's own statements, which have a timeout. A handler's statements have only the handler's timeout. */
  readonly on: MysqlTransaction = {
    execute: async (sql, values) => {
      await this.client();
      return this.#answered(this.#connection.execute(sql, values));
    },
    query: async (sql, values) => {
      await this.client();
      return this.#answered(this.#connection.query(sql, values));
    },
  };

  /** The connection. The first call takes one. @throws DriverError */
  async client(): Promise<PoolConnection> {
    try {
      return await this.#connection.client();
    } catch (error) {
      // No transaction has begun.
      this.#open = false;
      throw toDriverError(error);
    }
  }

  /** @throws DriverError when the claim has lost the transaction */
  checkOpen(): void {
    if (this.lost.aborted && !this.#isReleasing) throw this.lost.reason;
    if (this.#undone !== null) throw this.#undone;
    if (!this.#open) throw new DriverError('TransactionOver', 'The transaction has ended.');
  }

  /** The connection is not used again after the transaction. */
  spoilSession(): void {
    this.#isSessionChanged = true;
  }

  /** Rejects when the server has ended the transaction. @throws DriverError */
  async confirm(): Promise<void> {
    try {
      await this.on.query('DO 0');
    } catch (error) {
      throw toDriverError(error);
    }
  }

  /** Ends the handler's part, so that the driver can write after it. @throws DriverError */
  async endHandle(): Promise<void> {
    this.#isSettling = true;
    this.#handle.close();
    await this.#asClaim(this.#handle.checkFence(this.on));
  }

  async renew(): Promise<void> {
    this.#handle.close();
    // Statements that the handler did not await are part of its writes.
    await this.#answered(this.#connection.rest());
    this.checkOpen();
    await this.#asClaim(this.#handle.checkFence(this.on));
    this.#hasWrites ||= this.#handle.keepsWrites;
    this.#handle = this.#newHandle();
  }

  async undo(): Promise<void> {
    this.#handle.close();
    if (this.#undone === null) this.checkOpen();
    if (!this.used && this.#undone === null) return;
    await this.#stopStatements();
    await this.#answered(this.#connection.rest());
    if (this.#undone === null) await this.#asClaim(this.#handle.undo(this.on));
    else this.#undoneByServer();
    this.checkOpen();
  }

  /** Lets the end of a run's record be written, also where the server has undone the claim and its connection is intact. */
  beginRelease(): void {
    this.#isReleasing = this.#isIntact;
    if (this.#undone !== null) this.#undoneByServer();
  }

  #undoneByServer(): void {
    this.#handle.undoneByServer();
    this.#hasWrites = false;
    this.#undone = null;
  }

  async commit(): Promise<void> {
    this.#handle.close();
    try {
      const [{ serverStatus }] = await this.on.query('COMMIT');
      this.#end(Number(serverStatus));
    } catch (error) {
      throw toDriverError(error);
    }
  }

  async rollback(): Promise<void> {
    if (this.#open) this.#rolledBack = this.#rollback();
    await this.#rolledBack;
  }

  async #rollback(): Promise<void> {
    // A statement still in the queue would run after the ROLLBACK, and would be committed by itself.
    this.#open = false;
    this.#handle.close();
    try {
      await this.#stopStatements();
      // The ROLLBACK is sent even after a deadlock has undone everything, so that the session's state is known.
      const status = await this.#answered(this.#connection.rollback());
      // A lost claim's connection is not kept, for any cause: on a server that is now read-only the next claim would be lost too.
      this.#end(this.lost.aborted ? null : status);
    } catch {
      // The server rolls back the open transaction of a lost connection.
      this.#end(null);
    }
  }

  #newHandle(): HandlerTransaction {
    return new HandlerTransaction(this.#connection, this.#endings, {
      ended: () => this.#onEnded(),
      sessionChanged: () => {
        this.#isSessionChanged = true;
      },
      muted: () => void this.#connection.client().then(noteMuted, () => {}),
    });
  }

  /** Prefers the error of a lost claim, or of a deadlock, to the error of the statement that found it. */
  async #asClaim(statement: Promise<void>): Promise<void> {
    await statement.catch((error: unknown) => {
      this.checkOpen();
      throw error;
    });
  }

  #answered<Answer>(answer: Promise<Answer>): Promise<Answer> {
    return answerWithin(this.context.answerMs, answer, (error) => {
      this.#onLost(error);
      this.#connection.cut();
      // While a statement runs, the server does not check whether its client is still there.
      if (this.#connection.session !== undefined) void this.#control.end(this.#connection.session);
    });
  }

  async #stopStatements(): Promise<void> {
    if (!this.#connection.busy) return;
    const isStoppable = (): boolean => this.#handle.isSet && !this.lost.aborted;
    await this.#answered(stopStatements(this.#connection, this.#control, isStoppable));
  }

  async #onFailure(error: unknown): Promise<void> {
    const cause = toDriverError(error);
    if (undoesTransaction(cause)) await this.#onUndone(cause);
    else if (cause.code === 'ConnectionLost') this.#onLost(cause);
  }

  /**
   * A deadlock ends the whole transaction, and its locks. A later statement would be in another transaction.
   * Every statement is therefore refused until the run is undone. The jobs are locked again, ahead of every other statement.
   * If that lock fails, the claim is lost. If the writes of an earlier run of the batch are gone while others go on, the claim is lost too.
   */
  async #onUndone(cause: DriverError): Promise<void> {
    this.#handle.close(() => cause);
    const isHeld = this.#open && this.jobs.status === 'new' && (await this.#lockAgain().catch(() => false));
    if (isHeld && (this.#isSettling || !this.#hasWrites)) {
      this.#undone = cause;
      return;
    }
    this.#isIntact = true;
    const message = `The claim was lost, as the server has undone it: ${cause.message}`;
    this.#lost.abort(new DriverError('ConnectionLost', message, { cause }));
  }

  async #lockAgain(): Promise<boolean> {
    const client = await this.client();
    return this.#answered(
      (async () => {
        // Other errors than a deadlock may leave a transaction behind.
        await client.query('ROLLBACK');
        return (
          (await this.jobs.lockAgain(client, this.context.sql)) &&
          (await this.slots.takeAgain(client, this.context))
        );
      })(),
    );
  }

  /** The handler has committed, by COMMIT or implicitly, which releases the locks. */
  #onEnded(): void {
    const message = "The claim was lost: a statement in the handler's transaction has ended it.";
    const error = new DriverError('ConnectionLost', message);
    this.#handle.close(() => error);
    this.#lost.abort(error);
  }

  #onLost(cause: Error = new Error('The connection ended.')): void {
    const message = `The claim's connection was lost: ${cause.message}`;
    this.#lost.abort(new DriverError('ConnectionLost', message, { cause }));
  }

  /** @param status The server's status, or null when the connection is unusable. */
  #end(status: number | null): void {
    this.#open = false;
    this.#handle.close();
    this.#connection.end(this.#isSessionChanged ? null : status);
  }
}
