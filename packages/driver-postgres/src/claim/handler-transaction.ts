import { runOver } from '@rowlock/core/driver';
import type { QueryResult, QueryResultRow } from 'pg';
import type { PostgresTransaction, QueryConfig } from '../query.js';
import type { SerialConnection } from './serial-connection.js';

/** With the number by which the server stops this session's statements. Behind a pooler the connection's own number is another one. */
const SAVEPOINT = 'SAVEPOINT rowlock_handler; SAVEPOINT rowlock_fence; SELECT pg_backend_pid() AS pid';

/** Undoes what the handler wrote, with the fence, and keeps the locks that are older. */
export const ROLLBACK_TO_SAVEPOINT = 'ROLLBACK TO SAVEPOINT rowlock_handler';

/**
 * A transaction that the handler has ended and begun anew, as by COMMIT AND CHAIN, has no fence. With it goes SET TRANSACTION READ ONLY,
 * which would keep the claim from being settled.
 */
const LOOK_FOR_FENCE = { name: 'rowlock.unfence', text: 'RELEASE SAVEPOINT rowlock_fence' };

/** What is deferred to the commit. */
const CHECK_NOW = { name: 'rowlock.check', text: 'SET CONSTRAINTS ALL IMMEDIATE' };

/**
 * Keeps what the handler wrote, also when a later one's writes are undone. What it left to be checked at commit is checked first,
 * in a savepoint that is rolled back, so that the next handler's constraints are deferred again.
 */
export const KEEP = `
  SAVEPOINT rowlock_check;
  SET CONSTRAINTS ALL IMMEDIATE;
  ROLLBACK TO SAVEPOINT rowlock_check;
  RELEASE SAVEPOINT rowlock_handler`;

/**
 * What stays with the session when the transaction is over. Not what ends with it: SET LOCAL, `set_config(…, true)`, ON COMMIT DROP. Of several
 * statements each is looked at; what stands in a text that is no statement costs a connection, and no more.
 */
const STAYS = new RegExp(
  [
    // A statement's beginning, behind comments. Each of them can be matched in one way alone: of two ways many comments would make a power of two.
    String.raw`(?:^|;)(?:\s|--[^\n]*(?:\n|$)|/\*(?:[^*]|\*(?!/))*\*/)*(?:` +
      [
        String.raw`set\b(?!\s+(?:local|constraints|transaction)\b)`,
        String.raw`(?:reset|discard|deallocate|listen|load|prepare|do)\b`,
        String.raw`declare\b[^;]*\bwith\s+hold\b`,
        String.raw`create\s+(?:or\s+replace\s+)?(?:(?:global|local)\s+)?temp(?![^;]*\bon\s+commit\s+drop\b)`,
      ].join('|') +
      ')',
    String.raw`\bcreate\b[^;(]*\bpg_temp\s*\.`,
    String.raw`(?<!\binsert\s+)\binto\s+(?:(?:global|local)\s+)?temp(?:orary)?\b`,
    String.raw`\bset_config\s*\((?![^()]*,\s*true\s*\))`,
    String.raw`\bpg_(?:try_)?advisory_lock`,
  ].join('|'),
  'i',
);

/** What the handler writes through. Its first use sets the savepoint; after the run it is dead. */
export class HandlerTransaction implements PostgresTransaction {
  readonly #serial: SerialConnection;
  readonly #onEnded: () => void;
  readonly #onStays: () => void;
  #used = false;
  #fenced = false;
  #open = true;
  #session: number | undefined;

  /**
   * @param onEnded Is called when a statement of the handler has ended the transaction, and with it the claim.
   * @param onStays Is called when one may change the session for whoever has it next.
   */
  constructor(serial: SerialConnection, onEnded: () => void, onStays: () => void) {
    this.#serial = serial;
    this.#onEnded = onEnded;
    this.#onStays = onStays;
  }

  get used(): boolean {
    return this.#used;
  }

  async query<Row extends QueryResultRow = QueryResultRow>(
    text: string | QueryConfig,
    values?: unknown[],
  ): Promise<QueryResult<Row>> {
    if (!this.#open) throw runOver();
    if (STAYS.test(String(Object(text).text ?? text))) this.#onStays();
    try {
      return await this.#ask<Row>(text, values);
    } finally {
      if (!this.#serial.inTransaction) this.#onEnded();
    }
  }

  /** Asks whether the transaction is still the claim's, and checks what the handler left to be checked at commit. */
  get checks(): readonly QueryConfig[] {
    return this.#fenced ? [LOOK_FOR_FENCE, CHECK_NOW] : [CHECK_NOW];
  }

  /** The fence is gone, with what was undone or by being found. */
  unfence(): void {
    this.#fenced = false;
  }

  /** The server's number of the session, once it is known. */
  get session(): number | undefined {
    return this.#session;
  }

  close(): void {
    this.#open = false;
  }

  /** The savepoint goes along with the first statement. Should it fail, so does the ROLLBACK TO it, and with that the run. */
  #ask<Row extends QueryResultRow>(
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
