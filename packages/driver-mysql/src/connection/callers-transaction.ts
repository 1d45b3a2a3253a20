import { DriverError } from '@rowlock/core';
import { noTransaction } from '@rowlock/core/driver';
import type { MysqlTransaction } from '../query.js';
import { isOpen } from './server-status.js';

/** Answers without rows, so that the server says whether a transaction is open. Changes nothing. */
const STATUS = 'DO 0';

/** A result whose form shows how the caller's object names the columns of a row, and gives their values. */
const SHAPE = `SELECT 'as text' AS answer, '{"as": "text"}' AS json_text, '9007199254740993' AS long_number, 7 AS short_number, NULL AS no_value`;

/** No option of the caller's connection alters what is read. A function: `false` of the connection would override `true`. */
const AS_READ_HERE = {
  rowsAsArray: false,
  nestTables: false,
  typeCast: (_: unknown, next: () => unknown): unknown => next(),
};

/** The last turn on each connection: see `serially`. */
const turns = new WeakMap<object, Promise<unknown>>();

/** Objects other than unchanged connections of `mysql2` that answer in a known form. */
const known = new WeakSet<object>();

/**
 * A caller's transaction. Each statement is sent only when the transaction is known to be open, by the server's answer
 * to a statement without rows.
 *
 * A connection of `mysql2` sends one statement after the other. While nothing is under way on it, no statement of the
 * caller's comes between that answer and the next statement. On objects of other makes a COMMIT may come between. The
 * next answer shows that, and the call rejects.
 */
export class CallersTransaction implements MysqlTransaction {
  readonly #tx: MysqlTransaction;
  /** The connection of `mysql2`. Undefined for objects of other makes. */
  readonly #client: Client | undefined;
  /** Whether the last answer has shown an open transaction, and no answer has come since. */
  #isFresh = false;

  constructor(tx: MysqlTransaction) {
    this.#tx = tx;
    this.#client = clientOf(tx);
  }

  // biome-ignore lint/suspicious/noExplicitAny: as mysql2 declares it.
  async execute(sql: string, values?: any): Promise<[any, any]> {
    const { answer } = this.#isNext
      ? { answer: this.#send(sql, values) }
      : await this.#sendSerially(sql, values);
    return this.#looked(await answer, committed);
  }

  /** For a statement that is read as the caller's connection reads it. */
  readonly asRead: Pick<MysqlTransaction, 'execute'> = {
    execute: async (sql, values) => {
      const { answer } = await serially(this.#client ?? this.#tx, async () => {
        await this.#confirmNext();
        return { answer: this.#tx.execute(sql, values) };
      });
      return answer;
    },
  };

  /** For a statement that does no harm outside of a transaction. No other one goes ahead of it. */
  readonly harmless: Pick<MysqlTransaction, 'execute'> = {
    execute: async (sql, values) => {
      if (!this.#hasKnownShape) await this.#checkShape();
      return this.#looked(await this.#send(sql, values), noTransaction);
    },
  };

  // biome-ignore lint/suspicious/noExplicitAny: as mysql2 declares it.
  query(sql: string, values?: any): Promise<[any, any]> {
    return this.execute(sql, values);
  }

  /** Looks at the server's status in an answer without rows. An answer with rows leaves the status as it was. */
  #looked<Answer extends [unknown, unknown]>(answer: Answer, whenOver: () => DriverError): Answer {
    const { serverStatus } = Object(answer[0]);
    if (typeof serverStatus === 'number' && !isOpen(serverStatus)) throw whenOver();
    this.#isFresh = true;
    setImmediate(() => {
      this.#isFresh = false;
    });
    return answer;
  }

  /** Whether a statement that is sent now is certain to be in the transaction. */
  get #isNext(): boolean {
    return this.#isFresh && this.#client !== undefined && isIdle(this.#client);
  }

  /** Calls of one connection take turns until their statements are sent. Otherwise they would keep it busy for each other. */
  // biome-ignore lint/suspicious/noExplicitAny: as mysql2 declares it.
  #sendSerially(sql: string, values: any): Promise<{ readonly answer: Promise<[any, any]> }> {
    return serially(this.#client ?? this.#tx, async () => {
      await this.#checkShape();
      await this.#confirmNext();
      return { answer: this.#send(sql, values) };
    });
  }

  /** Resolves when a statement that is sent next is in the transaction. */
  async #confirmNext(): Promise<void> {
    do await this.#confirm();
    while (this.#client !== undefined && !isIdle(this.#client));
  }

  /** @throws DriverError `TransactionOver` */
  async #confirm(): Promise<void> {
    const [result] = listOf(await this.#tx.query(STATUS));
    const { serverStatus, affectedRows, insertId } = Object(result);
    if (typeof serverStatus !== 'number' || Number.isNaN(Number(affectedRows) + Number(insertId)))
      throw otherShape();
    if (!isOpen(serverStatus)) throw noTransaction();
  }

  get #hasKnownShape(): boolean {
    return (this.#client !== undefined && isUnchanged(this.#tx)) || known.has(this.#tx);
  }

  /** @throws DriverError `InvalidInput`, `TransactionOver` */
  async #checkShape(): Promise<void> {
    if (this.#hasKnownShape) return;
    const [rows] = listOf(await this.#send(SHAPE, []));
    if (!isKnownRow(listOf(rows)[0])) throw otherShape();
    await this.#confirm();
    known.add(this.#tx);
  }

  // biome-ignore lint/suspicious/noExplicitAny: as mysql2 declares it.
  #send(sql: string, values: any): Promise<[any, any]> {
    return this.#client === undefined
      ? this.#tx.execute(sql, values)
      : Object(this.#tx).execute({ sql, ...AS_READ_HERE }, values);
  }
}

/** What is read of a connection of `mysql2`. */
interface Client {
  /** The statement that is under way. */
  readonly _command: unknown;
  /** The statements that wait. */
  readonly _commands: { readonly length: number };
}

function clientOf(tx: object): Client | undefined {
  const { connection } = Object(tx);
  return connection?.config !== undefined && connection._commands !== undefined ? connection : undefined;
}

/** Whether the methods are those of the class. A tool may have put others on the object, or stand before it as a Proxy. */
function isUnchanged(tx: MysqlTransaction): boolean {
  const { execute, query } = Object(Object.getPrototypeOf(tx));
  return tx.execute === execute && tx.query === query;
}

/** Whether a row of SHAPE is as `mysql2` gives it. With `bigNumberStrings` a number is a text. */
function isKnownRow(row: unknown): boolean {
  const { answer, json_text, long_number, short_number, no_value } = Object(row);
  const isText = answer === 'as text' && json_text === '{"as": "text"}' && long_number === '9007199254740993';
  return isText && String(short_number) === '7' && no_value === null;
}

function isIdle({ _command, _commands }: Client): boolean {
  return !_command && _commands.length === 0;
}

function serially<Result>(connection: object, work: () => Promise<Result>): Promise<Result> {
  const before = turns.get(connection);
  const turn = before === undefined ? work() : before.then(work, work);
  turns.set(connection, turn);
  const end = (): void => {
    if (turns.get(connection) === turn) turns.delete(connection);
  };
  turn.then(end, end);
  return turn;
}

function listOf(answer: unknown): readonly unknown[] {
  return Array.isArray(answer) ? answer : [];
}

function otherShape(): DriverError {
  return new DriverError(
    'InvalidInput',
    "'tx' answers in a form that is not known here. Its execute(sql, values) and query(sql, values) must resolve with [result, fields], as those of mysql2/promise do, and each row must be an object with the names and values of the columns as SQL has them. The call has changed no job.",
  );
}

function committed(): DriverError {
  return new DriverError(
    'TransactionOver',
    "The transaction of 'tx' has ended while the call was on its way. A part of the call was committed by itself. Await each call before the COMMIT.",
  );
}
