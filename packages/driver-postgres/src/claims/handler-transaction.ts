import { endRefused, runOver } from '@rowlock/core/driver';
import { ownHandle } from '@rowlock/sql-drivers';
import type { QueryResult, QueryResultRow } from 'pg';
import type { PostgresTransaction, QueryConfig } from '../query.js';
import { changesSession, type Endings, textOf } from './handler-statements.js';
import type { SerialConnection } from './serial-connection.js';

/** Also reads the session's pid, by which the server stops statements. Behind a pooler the connection's own pid is another one. */
const SAVEPOINT = 'SAVEPOINT rowlock_handler; SAVEPOINT rowlock_fence; SELECT pg_backend_pid()::text AS pid';

/** Undoes the handler's writes and the fence. Keeps the older locks. */
export const ROLLBACK_TO_SAVEPOINT = 'ROLLBACK TO SAVEPOINT rowlock_handler';

/**
 * Fails in a transaction that the handler has ended and begun anew, as by COMMIT AND CHAIN: such a transaction has no fence.
 * The RELEASE also drops a SET TRANSACTION READ ONLY, which would block the settlement.
 */
const LOOK_FOR_FENCE = { name: 'rowlock.unfence', text: 'RELEASE SAVEPOINT rowlock_fence' };

/** Checks the constraints that are deferred to the commit. */
const CHECK_NOW = { name: 'rowlock.check', text: 'SET CONSTRAINTS ALL IMMEDIATE' };

/**
 * Keeps the handler's writes when a later handler's writes are undone. Deferred constraints are checked first.
 * The check is in a savepoint that is rolled back, so that the next handler's constraints are deferred again.
 */
export const KEEP = `
  SAVEPOINT rowlock_check;
  SET CONSTRAINTS ALL IMMEDIATE;
  ROLLBACK TO SAVEPOINT rowlock_check;
  RELEASE SAVEPOINT rowlock_handler`;

/** The `tx` of a handler. The first use sets the savepoint. Refuses statements after the run, and those that would end the transaction. */
export class HandlerTransaction implements PostgresTransaction {
  readonly #serial: SerialConnection;
  readonly #endings: Endings;
  readonly #onEnded: () => void;
  readonly #onStays: () => void;
  #used = false;
  #fenced = false;
  #open = true;
  #session: number | undefined;

  /**
   * @param endings Of the session, for all runs of the transaction.
   * @param onEnded Is called when a handler's statement has ended the transaction, and so the claim.
   * @param onStays Is called when a handler's statement may change the session for its next user.
   */
  constructor(serial: SerialConnection, endings: Endings, onEnded: () => void, onStays: () => void) {
    this.#serial = serial;
    this.#endings = endings;
    this.#onEnded = onEnded;
    this.#onStays = onStays;
    ownHandle(this);
  }

  get used(): boolean {
    return this.#used;
  }

  async query<Row extends QueryResultRow = QueryResultRow>(
    text: string | QueryConfig,
    values?: unknown[],
  ): Promise<QueryResult<Row>> {
    if (!this.#open) throw runOver();
    const statements = textOf(text);
    const ending = this.#endings.in(statements);
    if (ending !== undefined) throw endRefused(ending);
    this.#endings.checkSavepoints(statements);
    if (changesSession(statements)) this.#onStays();
    try {
      return await this.#send<Row>(text, values);
    } finally {
      if (!this.#serial.inTransaction) this.#onEnded();
    }
  }

  /** Statements that check whether the claim's transaction still exists, and check the deferred constraints. */
  get checks(): readonly QueryConfig[] {
    return this.#fenced ? [LOOK_FOR_FENCE, CHECK_NOW] : [CHECK_NOW];
  }

  /** Notes that the fence is gone: undone, or released by the check. */
  unfence(): void {
    this.#fenced = false;
  }

  /** The session's pid on the server, when it is known. */
  get session(): number | undefined {
    return this.#session;
  }

  close(): void {
    this.#open = false;
  }

  /** Sends the savepoint along with the first statement. When the savepoint fails, the ROLLBACK TO it fails too, and the run fails. */
  #send<Row extends QueryResultRow>(
    text: string | QueryConfig,
    values?: unknown[],
  ): Promise<QueryResult<Row>> {
    if (this.#used) return this.#serial.query<Row>(text, values);
    this.#used = true;
    this.#fenced = true;
    const onAhead = (answer: Promise<unknown>): void => {
      answer.then((answers) => this.#learnSession(answers)).catch(() => {});
    };
    return this.#serial.queryBehind<Row>(SAVEPOINT, onAhead, text, values);
  }

  #learnSession(answers: unknown): void {
    const [, , backend] = Array.isArray(answers) ? answers : [];
    this.#session = Number(backend?.rows[0]?.pid);
  }
}
