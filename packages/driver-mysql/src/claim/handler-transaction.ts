import { DriverError } from '@rowlock/core';
import { type InTurn, runOver } from './serial-connection.js';
import type { MysqlTransaction } from '../statements/query.js';

const SAVEPOINT = 'SAVEPOINT rowlock_handler';

/** Undoes what the handler wrote, and keeps the locks that are older. */
export const ROLLBACK_TO_SAVEPOINT = 'ROLLBACK TO SAVEPOINT rowlock_handler';

/** Set behind the other one, so that its release leaves that. When it is gone, so are the transaction and its locks. */
const FENCE = 'SAVEPOINT rowlock_fence';

export const RELEASE_FENCE = 'RELEASE SAVEPOINT rowlock_fence';

/** What stands ahead of a statement's first word. Of some comments the server runs what is in them. */
const COMMENTS = String.raw`(?:\s|/\*(?!M?!)(?:[^*]|\*(?!/))*\*/|--(?=\s)[^\n]*(?:\n|$)|#[^\n]*(?:\n|$))*`;
const LEADING = new RegExp(`^${COMMENTS}`);

/** They would commit the claim's transaction, and open another one. MariaDB's BEGIN NOT ATOMIC begins a block of statements. */
const BEGINS = /^(?:begin(?!\s+not\b)|start\s+transaction)\b/i;

/**
 * What stays with the session when the transaction is over. Of several statements each is looked at; what stands in a text that is no
 * statement costs a connection, and no more. A procedure may set the variables that it is given.
 */
const STAYS = new RegExp(
  [
    String.raw`(?:^|;)${COMMENTS}(?:(?:set|use|prepare|create\s+(?:or\s+replace\s+)?temporary)\b|/\*M?!|call\b[^;@]*@)`,
    String.raw`\bget_lock\s*\(`,
    String.raw`\binto\s+@`,
    String.raw`@[^\s@]+\s*:=`,
  ].join('|'),
  'i',
);

/** A flag of the server's status, which it sends with each answer. */
const IN_TRANSACTION = 1;

/** What the handler writes through. Its first use sets the savepoint; after the run, and after a deadlock, it is dead. */
export class HandlerTransaction implements MysqlTransaction {
  readonly #inTurn: InTurn;
  readonly #onEnded: () => void;
  readonly #onStays: () => void;
  #used = false;
  #over: (() => Error) | null = null;
  #isSet = false;

  /**
   * @param onEnded Is called when a statement of the handler has ended the transaction, and with it the claim.
   * @param onStays Is called when one may change the session for whoever has it next.
   */
  constructor(inTurn: InTurn, onEnded: () => void, onStays: () => void) {
    this.#inTurn = inTurn;
    this.#onEnded = onEnded;
    this.#onStays = onStays;
  }

  get used(): boolean {
    return this.#used;
  }

  // biome-ignore lint/suspicious/noExplicitAny: as mysql2 declares it.
  async execute(sql: string, values?: any): Promise<[any, any]> {
    this.#prepare(sql);
    return this.#checked(await this.#inTurn.execute(sql, values));
  }

  // biome-ignore lint/suspicious/noExplicitAny: as mysql2 declares it.
  async query(sql: string, values?: any): Promise<[any, any]> {
    this.#prepare(sql);
    return this.#checked(await this.#inTurn.query(sql, values));
  }

  /** Whether the savepoint is there, so that what comes after it can be undone. */
  get isSet(): boolean {
    return this.#isSet;
  }

  /** @param why What a statement that comes later is refused with; the first one counts. */
  close(why: () => Error = runOver): void {
    this.#over ??= why;
  }

  #prepare(sql: unknown): void {
    if (this.#over !== null) throw this.#over();
    // The client takes an object, too.
    const text = String(Object(sql).sql ?? sql).replace(LEADING, '');
    if (BEGINS.test(text)) {
      throw new DriverError(
        'InvalidInput',
        "A handler's tx is in the claim's transaction, which START TRANSACTION and BEGIN would commit. Set a SAVEPOINT instead.",
      );
    }
    if (STAYS.test(text)) this.#onStays();
    // Should it fail, so does the ROLLBACK TO it, and with that the run.
    if (!this.#used) this.#setSavepoint().catch(() => {});
    this.#used = true;
  }

  async #setSavepoint(): Promise<void> {
    // Both ask for their turn at once, ahead of the handler's statement.
    await Promise.all([this.#inTurn.query(SAVEPOINT), this.#inTurn.query(FENCE)]);
    this.#isSet = true;
  }

  #checked<Answer extends [unknown, unknown]>(answer: Answer): Answer {
    const [result] = answer;
    // Of a CALL, or of several statements, there are several, rows among them.
    if ((Array.isArray(result) ? result : [result]).some(isEnd)) this.#onEnded();
    return answer;
  }
}

/** What returns no rows tells whether there is a transaction still. Rows come here too, and may have a column of one of these names. */
function isEnd(result: unknown): boolean {
  const { fieldCount, warningStatus, serverStatus } = Object(result);
  if (fieldCount !== 0 || typeof warningStatus !== 'number') return false;
  return typeof serverStatus === 'number' && (serverStatus & IN_TRANSACTION) === 0;
}
