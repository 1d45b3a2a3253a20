import { createHash } from 'node:crypto';
import type { PoolClient, QueryResultRow } from 'pg';
import { type PostgresTransaction, query } from '../query.js';
import type { Statements } from '../statements.js';

/** The statements of each job, or of each batch of jobs, and those that a busy worker sends four times a second. */
export const frequent = ({
  claims,
  siblings,
  runs,
  leases,
  settlements,
  surveys,
  limits,
  rates,
  bell,
}: Statements) => ({
  claim: claims.claim,
  claimOne: claims.claimOne,
  claimLimited: claims.claimLimited,
  claimWithSlot: claims.claimWithSlot,
  checkSlot: claims.checkSlot,
  lockSiblings: siblings.lockSiblings,
  lockKey: siblings.lockKey,
  firstOutstanding: siblings.firstOutstanding,
  startRuns: runs.startRuns,
  startTogether: runs.startTogether,
  flush: runs.flush,
  lease: leases.lease,
  lockLeased: leases.lockLeased,
  settle: settlements.settle,
  settleAll: settlements.settleAll,
  complete: settlements.complete,
  completeAll: settlements.completeAll,
  settleAlike: settlements.settleAlike,
  survey: surveys.survey,
  dueQueues: surveys.dueQueues,
  reclaim: leases.reclaim,
  limitedParts: limits.limitedParts,
  takeStarts: rates.takeStarts,
  giveBackStarts: rates.giveBackStarts,
  notifySoon: bell.notifySoon,
});

/** The most rows that a prepared statement is given. */
const FEW = 40;

/** Connections are compared after so many single statements: earlier, the comparison would cost more than it saves. */
const WORTH_IT = 20;

/** SQLSTATEs: no statement has this name, a statement has it already, or a named object has changed. */
const REFUSALS: ReadonlySet<unknown> = new Set(['26000', '42P05', '0A000']);

/**
 * The names of prepared statements. The server plans a prepared statement once for each connection.
 * Without prepared statements, planning a claim and its settlement for each job took two thirds of the server's time for them.
 * Nothing is prepared where connections share the server's sessions, or an application uses them too:
 * the server would look for a name in the wrong session.
 */
export class NamedStatements {
  readonly #names: Map<string, string>;
  readonly #findOut: (() => Promise<boolean>) | null;
  readonly #stale = new WeakSet<PoolClient>();
  /** Null while it is unknown. */
  #isOwn: boolean | null;
  #isRefused = false;
  #sent = 0;
  #finding: Promise<void> | null = null;

  /** @param isOwn Whether each connection is a session of its own and unshared: as a fact, or as a function that finds out. */
  constructor(sql: Statements, isOwn: boolean | (() => Promise<boolean>)) {
    this.#names = new Map(
      Object.entries(frequent(sql)).map(([verb, text]) => [text, `rowlock.${verb}.${digest(text)}`]),
    );
    this.#findOut = typeof isOwn === 'boolean' ? null : isOwn;
    this.#isOwn = typeof isOwn === 'boolean' ? isOwn : null;
  }

  /** Whether each connection is a session of its own and unshared. */
  get isOwn(): boolean {
    return this.#isOwn === true;
  }

  /** Sets whether each connection is a session of its own and unshared. */
  setOwn(isOwn: boolean): void {
    this.#isOwn = isOwn;
  }

  /**
   * The name under which a statement is prepared. Undefined for a statement that is not prepared.
   *
   * @param rows How many rows the statement is given. For many rows a generic plan compares each row with each:
   * the settlement of 500 jobs took ten times as long.
   */
  nameOf(text: string, rows: number): string | undefined {
    return this.isOwn && rows <= FEW ? this.#names.get(text) : undefined;
  }

  /** Sends a statement that is committed by itself. Prepares the statement where that is possible. @throws DriverError */
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
      // A changed table gets a new plan on a new connection.
      if (code !== '0A000') this.#isRefused = true;
      // The server refused the statement before it did anything.
      return query<Row>(on, text, values);
    }
  }

  /** Marks the connection as stale when a statement failed by its name. The client would send the same name again. */
  blame(client: PoolClient, error: unknown): void {
    if (refusal(error) !== undefined) this.#stale.add(client);
  }

  /** Whether the client's record of prepared statements differs from the server's. */
  isStale(client: PoolClient): boolean {
    return this.#stale.has(client);
  }

  /** Resolves when no comparison of connections is running, and starts no more. */
  async rest(): Promise<void> {
    this.#sent = Number.NEGATIVE_INFINITY;
    await this.#finding;
  }

  /** Starts the comparison of connections late: a process that sends a few statements and ends does not need it. */
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

/** Makes a name unique to a text, so that other libraries and other versions never use it. */
function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 24);
}

/** The SQLSTATE with which the server refuses a statement's name. Undefined for other errors. */
function refusal(error: unknown): unknown {
  const { code } = Object(Object(error).cause);
  return REFUSALS.has(code) ? code : undefined;
}
