import type { PoolClient } from 'pg';
import type { NamedStatements } from './named-statements.js';

/**
 * For how long the sizes of the tables that were read first are taken for the present ones, in milliseconds. Each later time is
 * twice as long, up to `READ_MS`, which is longer than a worker's poll, as a survey reads them too.
 * The planner reads a table's current size as well as its statistics. A plan for an empty table is therefore soon wrong, long before
 * the table is analyzed. Behind an ANALYZE the server plans anew by itself.
 */
const FIRST_READ_MS = 1_000;
const READ_MS = 6_000;

/** What a session is sent ahead of a statement. */
export interface Ahead {
  readonly text: string;
  readonly read?: (answer: unknown) => void;
}

const DISCARD: Ahead = { text: 'DISCARD PLANS' };

interface Settings {
  limitMs: number | null;
  /** The statements that have set the bounds. */
  bounds: string;
  /** Of the tables and their indexes, when the session's plans were made. */
  sizes: string | null;
}

/** The driver's lasting settings in the sessions of its own pool: the bounds of a claim, and plans. */
export class SessionSettings {
  readonly #names: Pick<NamedStatements, 'isOwn'>;
  readonly #reading: Ahead;
  readonly #settings = new WeakMap<PoolClient, Settings>();
  /** As they were read last. Null before they are read. */
  #sizes: string | null = null;
  #readAt = performance.now() + FIRST_READ_MS;
  #readMs = FIRST_READ_MS;

  /** @param sizes The statement that reads the sizes. */
  constructor(names: Pick<NamedStatements, 'isOwn'>, sizes: string) {
    this.#names = names;
    this.#reading = { text: sizes, read: (answer) => this.read(String(Object(answer).rows?.[0]?.sizes)) };
  }

  /** Whether a session needs no statement ahead of a claim. */
  isCurrent(client: PoolClient, limitMs: number): boolean {
    const settings = this.#of(client);
    return settings.limitMs === limitMs && !this.#isOld(settings) && !this.#isReadDue();
  }

  /** The statements that a session needs ahead of a claim. Marks the statements as done. */
  ahead(client: PoolClient, limitMs: number, bounds: () => string): readonly Ahead[] {
    const settings = this.#of(client);
    const ahead = this.renewal(client);
    if (settings.limitMs === limitMs) return ahead;
    settings.limitMs = limitMs;
    settings.bounds = bounds();
    return [{ text: settings.bounds }, ...ahead];
  }

  /** The statements that reset the bounds of a claim. Null if a session has none. Marks the bounds as reset. */
  unbind(client: PoolClient): string | null {
    const settings = this.#of(client);
    const isBound = settings.limitMs !== null;
    settings.limitMs = null;
    // RESET ALL would also undo the settings that an application makes in `onConnect`.
    return isBound ? settings.bounds.replaceAll(/SET SESSION (\w+) = \w+/g, 'RESET $1') : null;
  }

  /**
   * The statements that keep a session's plans right: plans for other sizes are dropped, and now and then the sizes are read.
   * When plans were dropped every five seconds, most statements of a connection that was seldom used were planned anew, for up to 10 ms.
   * Marks the statements as done.
   */
  renewal(client: PoolClient): readonly Ahead[] {
    const settings = this.#of(client);
    const ahead = this.#isOld(settings) ? [DISCARD] : [];
    settings.sizes = this.#sizes;
    if (!this.#isReadDue()) return ahead;
    this.#readMs = Math.min(READ_MS, 2 * this.#readMs);
    this.#readAt = performance.now() + this.#readMs;
    return [...ahead, this.#reading];
  }

  /** Takes what was read of the sizes, here or by a survey. */
  read(sizes: string): void {
    this.#sizes = sizes;
    this.#readAt = performance.now() + this.#readMs;
  }

  #isOld({ sizes }: Settings): boolean {
    return this.#names.isOwn && sizes !== this.#sizes;
  }

  #isReadDue(): boolean {
    return this.#names.isOwn && performance.now() >= this.#readAt;
  }

  #of(client: PoolClient): Settings {
    const settings = this.#settings.get(client) ?? { limitMs: null, bounds: '', sizes: this.#sizes };
    this.#settings.set(client, settings);
    return settings;
  }
}
