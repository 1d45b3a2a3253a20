import { runOver } from '@rowlock/core/driver';
import { ownHandle } from '@rowlock/sql-drivers';
import { toDriverError } from '../errors.js';
import type { MysqlTransaction } from '../query.js';
import { changesSession, type Endings, endsTransaction, textOf } from './handler-statements.js';

const SAVEPOINT = 'SAVEPOINT rowlock_handler';

/** Undoes the handler's writes, and keeps the older locks. */
const ROLLBACK_TO_SAVEPOINT = 'ROLLBACK TO SAVEPOINT rowlock_handler';

/** Set after the other savepoint, so that a release of the fence keeps that savepoint. When the fence is gone, the transaction and its locks are gone. */
const FENCE = 'SAVEPOINT rowlock_fence';

const RELEASE_FENCE = 'RELEASE SAVEPOINT rowlock_fence';

/** MySQL's number for a savepoint that does not exist. */
const NO_SAVEPOINT = 1305;

/** Effects of a handler's statements on the claim. */
export interface HandlerEffects {
  /** A statement has ended the transaction, and so the claim. */
  ended(): void;
  /** A statement may have changed the session for its next user. */
  sessionChanged(): void;
  /** A variable is set, to be reset before the session's next claim. */
  muted(): void;
}

/** The `tx` of a handler. The first use sets the savepoint. Refuses statements after the run, after a deadlock, and those that would end the transaction. */
export class HandlerTransaction implements MysqlTransaction {
  readonly #connection: MysqlTransaction;
  readonly #endings: Endings;
  readonly #effects: HandlerEffects;
  #used = false;
  #isSet = false;
  #isChecked = false;
  #isUndone = false;
  #refusal: (() => Error) | null = null;

  /** @param endings Of the session, for all runs of the transaction. */
  constructor(connection: MysqlTransaction, endings: Endings, effects: HandlerEffects) {
    this.#connection = connection;
    this.#endings = endings;
    this.#effects = effects;
    ownHandle(this);
  }

  get used(): boolean {
    return this.#used;
  }

  /** Whether the savepoint exists, so that the statements after it can be undone. */
  get isSet(): boolean {
    return this.#isSet;
  }

  /** Whether some of the handler's writes stay. */
  get keepsWrites(): boolean {
    return this.#used && !this.#isUndone;
  }

  // biome-ignore lint/suspicious/noExplicitAny: as mysql2 declares it.
  async execute(sql: string, values?: any): Promise<[any, any]> {
    this.#prepare(sql);
    return this.#checked(await this.#connection.execute(sql, values));
  }

  // biome-ignore lint/suspicious/noExplicitAny: as mysql2 declares it.
  async query(sql: string, values?: any): Promise<[any, any]> {
    this.#prepare(sql);
    return this.#checked(await this.#connection.query(sql, values));
  }

  /** Sets the variable that the triggers of captures read. */
  async mute(value: string | null): Promise<unknown> {
    this.#prepare('');
    this.#effects.muted();
    return this.#connection.query('SET @rowlock_capture = ?', [value]);
  }

  /** @param refusal The error of later statements. The first call decides. */
  close(refusal: () => Error = runOver): void {
    this.#refusal ??= refusal;
  }

  /**
   * Checks that the claim still has the transaction. With autocommit off, the statement after a handler's COMMIT opens another
   * transaction, and its answer does not show the COMMIT.
   *
   * @throws DriverError
   */
  async checkFence(on: MysqlTransaction): Promise<void> {
    if (!this.keepsWrites || this.#isChecked) return;
    await this.#withSavepoint(on, RELEASE_FENCE);
    this.#isChecked = true;
  }

  /** @throws DriverError */
  async undo(on: MysqlTransaction): Promise<void> {
    await this.#withSavepoint(on, ROLLBACK_TO_SAVEPOINT);
    this.#isUndone = true;
  }

  /** Notes that the server has undone the transaction, with the savepoint. */
  undoneByServer(): void {
    this.#isUndone = true;
  }

  #prepare(sql: unknown): void {
    if (this.#refusal !== null) throw this.#refusal();
    const text = textOf(sql);
    const ending = this.#endings.in(text);
    if (ending !== null) throw ending;
    this.#endings.checkSavepoints(text);
    if (changesSession(text)) this.#effects.sessionChanged();
    // When the savepoint fails, the ROLLBACK TO it fails too, and so does the run.
    if (!this.#used) this.#setSavepoint().catch(() => {});
    this.#used = true;
  }

  async #setSavepoint(): Promise<void> {
    // Both are queued at once, ahead of the handler's statement.
    await Promise.all([this.#connection.query(SAVEPOINT), this.#connection.query(FENCE)]);
    this.#isSet = true;
  }

  #checked<Answer extends [unknown, unknown]>(answer: Answer): Answer {
    if (endsTransaction(answer)) this.#effects.ended();
    return answer;
  }

  /** Runs a statement that needs the savepoint. Without the savepoint the claim has lost the transaction. */
  async #withSavepoint(on: MysqlTransaction, sql: string): Promise<void> {
    try {
      await on.query(sql);
    } catch (error) {
      const driverError = toDriverError(error);
      if (Object(driverError.cause).errno === NO_SAVEPOINT) this.#effects.ended();
      throw driverError;
    }
  }
}
