import { createHash } from 'node:crypto';
import type { PoolClient, QueryResultRow } from 'pg';
import { type PostgresTransaction, query } from '../query.js';
import type { Statements } from '../statements.js';

/** The statements of each job, or of each batch of jobs. */
const VERBS = [
  'claim',
  'claimOne',
  'lockSiblings',
  'lockKey',
  'firstOutstanding',
  'startRuns',
  'startTogether',
  'flush',
  'settle',
  'settleAll',
  'complete',
  'completeAll',
  'settleAlike',
  'survey',
] as const satisfies readonly (keyof Statements)[];

/** How many rows a prepared statement is given at most. */
const FEW = 40;

/** After how many statements by themselves it pays to find out whether they may have names. */
const WORTH_IT = 20;

/** The server has no statement of this name, has one already, or what the statement names has changed. */
const REFUSALS: ReadonlySet<unknown> = new Set(['26000', '42P05', '0A000']);

/**
 * The names of prepared statements. The server plans a named statement once for each connection. To plan a claim and its settlement
 * anew for each job took two thirds of the server's time for them. Where connections share the server's sessions, or an application
 * uses them too, a name would be looked for in the wrong session: there nothing has a name.
 */
export class NamedStatements {
  readonly #names: Map<string, string>;
  readonly #findOut: (() => Promise<boolean>) | null;
  readonly #stale = new WeakSet<PoolClient>();
  /** Null until it is found out. */
  #isOwn: boolean | null;
  #isRefused = false;
  #sent = 0;
  #finding: Promise<void> | null = null;

  /** @param isOwn Whether each connection is a session of its own, and nobody else's: as a fact, or to be found out. */
  constructor(sql: Pick<Statements, (typeof VERBS)[number]>, isOwn: boolean | (() => Promise<boolean>)) {
    this.#names = new Map(VERBS.map((verb) => [sql[verb], `rowlock.${verb}.${digest(sql[verb])}`]));
    this.#findOut = typeof isOwn === 'boolean' ? null : isOwn;
    this.#isOwn = typeof isOwn === 'boolean' ? isOwn : null;
  }

  /** Whether each connection is a session of its own, and nobody else's. */
  get isOwn(): boolean {
    return this.#isOwn === true;
  }

  /** It has been found out. */
  know(isOwn: boolean): void {
    this.#isOwn = isOwn;
  }

  /**
   * The name under which a statement is prepared; undefined for one that is not.
   *
   * @param rows How many rows it is given. With many, a plan that does for any number would compare each with each: to settle 500
   * jobs took ten times as long.
   */
  nameOf(text: string, rows: number): string | undefined {
    return this.isOwn && rows <= FEW ? this.#names.get(text) : undefined;
  }

  /** Sends a statement that is committed by itself, prepared where that is possible. @throws DriverError */
  async query<Row extends QueryResultRow>(
    on: PostgresTransaction,
    text: string,
    values: unknown[],
  ): Promise<Row[]> {
    if (this.#isOwn === null) this.#count();
    if (!this.isOwn || this.#isRefused) return query<Row>(on, text, values);
    try {
      return await query<Row>(on, text, values, this.#named(text));
    } catch (error) {
      const code = refusal(error);
      if (code === undefined) throw error;
      // A changed table has a new plan on a new connection.
      if (code !== '0A000') this.#isRefused = true;
      // It was refused before anything was done.
      return query<Row>(on, text, values);
    }
  }

  /** Notes whether a statement failed by its name: the client would send that name again and again. */
  blame(client: PoolClient, error: unknown): void {
    if (refusal(error) !== undefined) this.#stale.add(client);
  }

  /** Whether what is prepared on a connection is not what its client takes it for. */
  isStale(client: PoolClient): boolean {
    return this.#stale.has(client);
  }

  /** Resolves when nothing is being found out any more. */
  async rest(): Promise<void> {
    this.#sent = Number.NEGATIVE_INFINITY;
    await this.#finding;
  }

  /** A process that sends a few statements and ends need not find out. */
  #count(): void {
    this.#sent += 1;
    if (this.#sent < WORTH_IT || this.#findOut === null) return;
    const note = (isOwn: boolean): void => {
      this.#isOwn ??= isOwn;
    };
    this.#finding ??= this.#findOut().then(note, () => note(false));
  }

  #named(text: string): string {
    const known = this.#names.get(text) ?? `rowlock.${digest(text)}`;
    this.#names.set(text, known);
    return known;
  }
}

/** What makes a name that of a text: no statement of somebody else's, and no other version's, has it. */
function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 24);
}

/** How the server refuses a statement's name; undefined for other errors. */
function refusal(error: unknown): unknown {
  const { code } = Object(Object(error).cause);
  return REFUSALS.has(code) ? code : undefined;
}
