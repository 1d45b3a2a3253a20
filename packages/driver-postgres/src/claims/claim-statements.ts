import { answerWithin } from '@rowlock/core/driver';
import type { QueryResultRow } from 'pg';
import { cut } from '../connection/connection.js';
import { BEGIN } from '../connection/pipeline/transaction-words.js';
import { toDriverError } from '../errors.js';
import { type QueryConfig, type Rows, statementOf } from '../query.js';
import type { ClaimConnection } from './claim-connection.js';
import type { ClaimParts } from './claim-parts.js';
import type { ClaimStatement } from './claim-statement.js';
import { SerialConnection } from './serial-connection.js';

/** The transaction, as its statements use it. */
export interface ClaimState {
  /** Throws what refuses a statement whose turn has come. */
  readonly check: () => void;
  /** Is called when the connection is lost. */
  readonly onLost: (error: Error) => void;
}

/** The driver's own statements in a claim's transaction: prepared where they can be, and with a bound on their time. */
export class ClaimStatements {
  readonly serial: SerialConnection;
  readonly #parts: ClaimParts;
  readonly #connection: ClaimConnection;
  readonly #onLost: ClaimState['onLost'];

  /** @param isBegun Whether the transaction is open already; else its first statement opens it. */
  constructor(
    parts: ClaimParts,
    connection: ClaimConnection,
    isBegun: boolean,
    { check, onLost }: ClaimState,
  ) {
    this.#parts = parts;
    this.#connection = connection;
    this.#onLost = onLost;
    this.serial = new SerialConnection(connection, check, isBegun ? null : () => this.#begin());
  }

  send<Row extends QueryResultRow>(statement: ClaimStatement): Promise<Rows<Row>> {
    return this.#answered(this.serial.send<Row>(this.#statement(statement)));
  }

  async rows<Row extends QueryResultRow>(statement: ClaimStatement): Promise<Row[]> {
    return (await this.send<Row>(statement)).rows;
  }

  /** Two statements, without a wait in between where statements share messages. */
  both<One extends QueryResultRow, Other extends QueryResultRow>(
    one: ClaimStatement,
    other: ClaimStatement,
  ): Promise<[Rows<One>, Rows<Other>]> {
    return this.#answered(this.serial.sendBoth<One, Other>(this.#statement(one), this.#statement(other)));
  }

  /** One text without values, or several. */
  async plain(text: string): Promise<void> {
    await this.#answered(this.serial.plain(text));
  }

  /** A statement and a COMMIT right behind it. @param behind Sends what goes along */
  andCommit(statement: ClaimStatement, behind?: () => void): Promise<Rows<QueryResultRow>> {
    return this.#answered(this.serial.sendAndCommit(this.#statement(statement), behind));
  }

  /** The same behind other statements, each sent only after the success of the one before. @param onOver Is called when the COMMIT fails */
  allAndCommit(
    checks: readonly QueryConfig[],
    statement: ClaimStatement,
    onOver: () => void,
    behind: () => void,
  ): Promise<void> {
    const statements = [...checks, this.#statement(statement)];
    return this.#answered(this.serial.sendAllAndCommit(statements, onOver, behind));
  }

  /** Ends the transaction, behind all statements. */
  async rollback(): Promise<void> {
    await this.within(this.serial.rest().then(() => this.#connection.client.query('ROLLBACK')));
  }

  /** An answer that takes too long is the loss of the connection. */
  within<Answer>(answer: Promise<Answer>): Promise<Answer> {
    return answerWithin(this.#parts.context.answerMs, answer, (error) => {
      this.#onLost(error);
      cut(this.#connection.client);
    });
  }

  #answered<Answer>(answer: Promise<Answer>): Promise<Answer> {
    return this.within(answer.catch(this.#fail));
  }

  readonly #fail = (error: unknown): never => {
    const cause = toDriverError(error);
    this.#parts.names.blame(this.#connection.client, cause);
    if (cause.code === 'ConnectionLost') this.#onLost(cause);
    throw cause;
  };

  #statement({ text, values, given }: ClaimStatement): QueryConfig {
    return statementOf(text, values, this.#parts.names.nameOf(text, given));
  }

  /** Null when no answer has to come ahead of the next statement. */
  #begin(): Promise<void> | null {
    const { names, settings, limitMs, server, context } = this.#parts;
    const { client, pipeline } = this.#connection;
    const bounds = (scope: 'LOCAL' | 'SESSION'): string => context.sql.claims.bounds(scope, limitMs, server);
    if (!names.isOwn) return this.#opened([pipeline.plain(`${BEGIN.text}; ${bounds('LOCAL')}`)]);
    const ahead: Promise<unknown>[] = settings
      .ahead(client, limitMs, () => bounds('SESSION'))
      .map(({ text, read }) => pipeline.plain(text).then(read));
    const begun = pipeline.begin();
    if (begun !== null) ahead.push(begun);
    return ahead.length === 0 ? null : this.#opened(ahead);
  }

  async #opened(sent: readonly Promise<unknown>[]): Promise<void> {
    try {
      await Promise.all(sent);
    } catch (error) {
      // The settings did not take effect, so the next claim sends them again.
      this.#parts.settings.unbind(this.#connection.client);
      const cause = toDriverError(error);
      this.#onLost(cause);
      throw cause;
    }
  }
}
