import { DriverError } from '@rowlock/core';
import { noTransaction } from '@rowlock/sql-drivers';
import type { MysqlTransaction } from '../query.js';
import { isOpen } from './server-status.js';

/** Answers without rows, so that the server says whether a transaction is open. Changes nothing. */
const STATUS = 'DO 0';

/** Outside of a transaction a savepoint is gone at once, and its release fails. */
const SAVE = 'SAVEPOINT rowlock_joined';
const RELEASE = 'RELEASE SAVEPOINT rowlock_joined';
const NO_SAVEPOINT = 1305;

/** A result whose form shows how the caller's object names the columns of a row, and gives their values. */
const SHAPE = `SELECT 'as text' AS answer, '{"as": "text"}' AS json_text, '9007199254740993' AS long_number, 7 AS short_number, NULL AS no_value, ? AS echo`;

/** Comes back changed where the connection's character set lacks a character, or where the client escapes what the session's mode does not. */
const ECHO = '\\ \u{1F512}';

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

/** Those of them whose answers lack the server's status. */
const silent = new WeakSet<object>();

/**
 * A caller's transaction. Each statement is sent only when the transaction is known to be open, by the server's answer
 * to a statement without rows.
 *
 * A connection of `mysql2` sends one statement after the other. While nothing is under way on it, no statement of the
 * caller's comes between that answer and the next statement. On objects of other makes a COMMIT may come between. The
 * next answer shows that, and the call rejects. Where the answers lack the server's status, a savepoint stands for it.
 */
export class CallersTransaction implements MysqlTransaction {
  readonly #tx: MysqlTransaction;
  /** The connection of `mysql2`. Undefined for objects of other makes. */
  readonly #client: Client | undefined;
  /** Whether the last answer has shown an open transaction, and no answer has come since. */
  #isFresh = false;
  /** Whether a savepoint has shown an open transaction before. */
  #wasOpen = false;

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
      if (silent.has(this.#tx))
        return serially(this.#tx, () => this.#sendBetween(sql, values, noTransaction));
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
      if (silent.has(this.#tx)) {
        if (!this.#wasOpen) await this.#probe();
        const answer = await this.#sendBetween(sql, values, committed);
        return { answer: Promise.resolve(answer) };
      }
      await this.#confirmNext();
      return { answer: this.#send(sql, values) };
    });
  }

  /** Sends a statement between a savepoint and its release, which fails when the transaction has ended in between. */
  // biome-ignore lint/suspicious/noExplicitAny: as mysql2 declares it.
  async #sendBetween(sql: string, values: any, whenOver: () => DriverError): Promise<[any, any]> {
    await this.#tx.query(SAVE);
    const answer = await this.#send(sql, values);
    await this.#release(whenOver);
    return answer;
  }

  /** @throws DriverError `TransactionOver` */
  async #probe(): Promise<void> {
    await this.#tx.query(SAVE);
    await this.#release(noTransaction);
  }

  async #release(whenOver: () => DriverError): Promise<void> {
    try {
      await this.#tx.query(RELEASE);
    } catch (error) {
      throw Object(error).errno === NO_SAVEPOINT ? whenOver() : error;
    }
    this.#wasOpen = true;
  }

  /** Resolves when a statement that is sent next is in the transaction. */
  async #confirmNext(): Promise<void> {
    do await this.#confirm();
    while (this.#client !== undefined && !isIdle(this.#client));
  }

  /** @throws DriverError `TransactionOver` */
  async #confirm(): Promise<void> {
    if (silent.has(this.#tx)) return this.#probe();
    const [result] = listOf(await this.#tx.query(STATUS));
    const { serverStatus, affectedRows, insertId } = Object(result);
    if (Number.isNaN(Number(affectedRows) + Number(insertId))) throw otherShape();
    if (typeof serverStatus !== 'number') {
      silent.add(this.#tx);
      return this.#probe();
    }
    if (!isOpen(serverStatus)) throw noTransaction();
  }

  get #hasKnownShape(): boolean {
    return (
      (this.#client !== undefined && isUnchanged(this.#tx) && isUnchanged(this.#client)) ||
      known.has(this.#tx)
    );
  }

  /** @throws DriverError `InvalidInput`, `TransactionOver` */
  async #checkShape(): Promise<void> {
    if (this.#hasKnownShape) return;
    const [rows] = listOf(await this.#send(SHAPE, [ECHO]));
    const [row] = listOf(rows);
    if (!isKnownRow(row)) throw otherShape();
    if (Object(row).echo !== ECHO) throw otherEncoding();
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
interface Client extends Pick<MysqlTransaction, 'execute' | 'query'> {
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
function isUnchanged(tx: Pick<MysqlTransaction, 'execute' | 'query'>): boolean {
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
    "'tx' answers in a form that is not known here. Its execute(sql, values) and query(sql, values) must resolve with [result, fields], as those of mysql2/promise do. An object without execute has query(text, values), which resolves with an array of rows, or with { affectedRows, insertId }. Each row must be an object with the names and values of the columns as SQL has them. The call has changed no job.",
  );
}

function otherEncoding(): DriverError {
  return new DriverError(
    'InvalidInput',
    "A value comes back changed from the connection of 'tx': its charset must be utf8mb4, and its sql_mode must not have NO_BACKSLASH_ESCAPES. The call has changed no job.",
  );
}

function committed(): DriverError {
  return new DriverError(
    'TransactionOver',
    "The transaction of 'tx' has ended while the call was on its way. A part of the call was committed by itself. Await each call before the COMMIT.",
  );
}
