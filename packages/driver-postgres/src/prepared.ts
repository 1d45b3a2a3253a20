import { createHash } from 'node:crypto';
import type { QueryResultRow } from 'pg';
import { type PostgresTransaction, query } from './query.js';

/** The server says of a name that it has no such statement, that it has one already, or that what it names has changed. */
const REFUSALS: ReadonlySet<unknown> = new Set(['26000', '42P05', '0A000']);

/** After how many statements it pays to find out whether they may have names. */
const WORTH_IT = 20;

/**
 * Statements that are asked often, by name: the server plans them once for each connection and not each time, which takes it
 * a fifth to a half of a millisecond. Where connections share the server's sessions, a name would be looked for in the
 * wrong one.
 */
export class Prepared {
  readonly #findOut: (() => Promise<boolean>) | null;
  readonly #names = new Map<string, string>();
  #allowed: boolean | null;
  #asked = 0;
  #finding: Promise<void> | null = null;

  /** @param allowed Whether each connection is a session of its own: known, or to be found out. Rejects when it cannot be. */
  constructor(allowed: boolean | (() => Promise<boolean>)) {
    this.#findOut = typeof allowed === 'boolean' ? null : allowed;
    this.#allowed = typeof allowed === 'boolean' ? allowed : null;
  }

  /** Asks a statement that is committed by itself. @throws DriverError */
  async query<Row extends QueryResultRow>(
    on: PostgresTransaction,
    text: string,
    values: unknown[],
  ): Promise<Row[]> {
    if (this.#allowed === null) this.#wonder();
    if (this.#allowed !== true) return query<Row>(on, text, values);
    try {
      return await query<Row>(on, text, values, this.#name(text));
    } catch (error) {
      const code = refusal(error);
      if (code === undefined) throw error;
      // Whatever was changed in the tables, a new connection has a new plan.
      if (code !== '0A000') this.#allowed = false;
      // Refused before anything was done.
      return query<Row>(on, text, values);
    }
  }

  /** Resolves when nothing is being found out any more. */
  async rest(): Promise<void> {
    this.#asked = Number.NEGATIVE_INFINITY;
    await this.#finding;
  }

  /** A process that asks a few times and ends need not know. */
  #wonder(): void {
    this.#asked += 1;
    if (this.#asked < WORTH_IT || this.#findOut === null) return;
    this.#finding ??= this.#findOut().then(
      (allowed) => {
        this.#allowed ??= allowed;
      },
      () => {
        this.#allowed ??= false;
      },
    );
  }

  #name(text: string): string {
    const known = this.#names.get(text);
    if (known !== undefined) return known;
    const name = `rowlock_${digest(text)}`;
    this.#names.set(text, name);
    return name;
  }
}

/** What makes a name that of a text: nobody else's statement, and no other version's, has it. */
export function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 24);
}

/** How the server refuses a statement's name; undefined for other errors. */
export function refusal(error: unknown): unknown {
  const { code } = Object(Object(error).cause);
  return REFUSALS.has(code) ? code : undefined;
}
