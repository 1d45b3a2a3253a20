import type { PoolClient } from 'pg';
import { digest, refusal } from './prepared.js';
import type { Statements } from './statements.js';

/** Those that are asked for each job or each batch of them. */
const PREPARED = [
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
  'completeUnflushed',
  'settleAlikeUnflushed',
  'survey',
] as const satisfies readonly (keyof Statements)[];

/**
 * How long a session's first plans are kept, in milliseconds, and its later ones at most; each time twice as long as before. The
 * planner looks at how large a table is and not only at its statistics, so a plan made for an empty table is soon the wrong
 * one, long before the table is analyzed.
 */
const FIRST_PLANS_MS = 1_000;
const PLANS_MS = 5_000;

/** So many rows a prepared statement is given at most. */
const FEW = 40;

interface Session {
  limitMs: number | null;
  plannedAt: number;
  keepsMs: number;
}

/**
 * What the driver leaves behind on connections of its own pool, once it is known that each is a session of its own on the server:
 * settings, and prepared statements. To plan a claim and its settlement anew for each job took two thirds of the server's time
 * for them. On an application's pool, and behind a pooler, both would meet somebody else's statements.
 */
export class OwnSessions {
  readonly #sessions = new WeakMap<PoolClient, Session>();
  readonly #stale = new WeakSet<PoolClient>();
  readonly #names: ReadonlyMap<string, string>;
  #known = false;

  constructor(sql: Statements) {
    this.#names = new Map(PREPARED.map((verb) => [sql[verb], `rowlock.${verb}.${digest(sql[verb])}`]));
  }

  /** Whether connections are sessions of their own, and nobody else's. */
  get known(): boolean {
    return this.#known;
  }

  know(): void {
    this.#known = true;
  }

  /**
   * The name under which a statement is prepared; undefined for one that is not.
   *
   * @param rows How many rows it is given. Of many, a plan that does for any number would compare each with each: settling 500
   * jobs took ten times as long.
   */
  nameOf(text: string, rows: number): string | undefined {
    return this.#known && rows <= FEW ? this.#names.get(text) : undefined;
  }

  /** Looks whether a statement failed by its name: the client would ask by that name again and again. */
  blame(client: PoolClient, error: unknown): void {
    if (refusal(error) !== undefined) this.#stale.add(client);
  }

  /** Whether what is prepared in a session is not what its client takes it for. */
  isStale(client: PoolClient): boolean {
    return this.#stale.has(client);
  }

  /** What a session is to be asked ahead of a claim; empty where all is set already. */
  ahead(client: PoolClient, limitMs: number, bounds: () => string): readonly string[] {
    const session = this.#of(client);
    const ahead = this.replans(client) ? ['DISCARD PLANS'] : [];
    if (session.limitMs === limitMs) return ahead;
    session.limitMs = limitMs;
    return [bounds(), ...ahead];
  }

  /** Whether a session has the bounds of a claim; then they are taken as taken away. */
  unbind(client: PoolClient): boolean {
    const session = this.#of(client);
    const isBound = session.limitMs !== null;
    session.limitMs = null;
    return isBound;
  }

  /** Whether a session's plans are too old; then they are taken as renewed. */
  replans(client: PoolClient): boolean {
    const session = this.#of(client);
    const now = performance.now();
    if (!this.#known || now - session.plannedAt < session.keepsMs) return false;
    session.plannedAt = now;
    session.keepsMs = Math.min(PLANS_MS, 2 * session.keepsMs);
    return true;
  }

  #of(client: PoolClient): Session {
    const session = this.#sessions.get(client) ?? {
      limitMs: null,
      plannedAt: performance.now(),
      keepsMs: FIRST_PLANS_MS,
    };
    this.#sessions.set(client, session);
    return session;
  }
}
