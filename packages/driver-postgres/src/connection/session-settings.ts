import type { PoolClient } from 'pg';
import type { NamedStatements } from './named-statements.js';

/**
 * How long a session's first plans are kept, in milliseconds. Each later time is twice as long, up to `PLANS_MS`.
 * The planner reads the table's current size as well as its statistics.
 * A plan for an empty table is therefore soon wrong, long before the table is analyzed.
 */
const FIRST_PLANS_MS = 1_000;
const PLANS_MS = 5_000;

interface Settings {
  limitMs: number | null;
  /** The statements that have set the bounds. */
  bounds: string;
  plannedAt: number;
  keepsMs: number;
  /** When a short statement was sent last. */
  usedAt: number;
}

/** The driver's lasting settings in the sessions of its own pool: the bounds of a claim, and plans. */
export class SessionSettings {
  readonly #names: Pick<NamedStatements, 'isOwn'>;
  readonly #settings = new WeakMap<PoolClient, Settings>();

  constructor(names: Pick<NamedStatements, 'isOwn'>) {
    this.#names = names;
  }

  /** Whether a session needs no statement ahead of a claim. */
  isCurrent(client: PoolClient, limitMs: number): boolean {
    const settings = this.#of(client);
    return settings.limitMs === limitMs && !this.#isDue(settings);
  }

  /** The statements that a session needs ahead of a claim. Marks the statements as done. */
  ahead(client: PoolClient, limitMs: number, bounds: () => string): readonly string[] {
    const settings = this.#of(client);
    const ahead = this.replans(client) ? ['DISCARD PLANS'] : [];
    if (settings.limitMs === limitMs) return ahead;
    settings.limitMs = limitMs;
    settings.bounds = bounds();
    return [settings.bounds, ...ahead];
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
   * Whether a short statement is to be planned for itself, as plans are too old and would be by the next statement too. Marks the
   * session as used.
   */
  isSeldomUsed(client: PoolClient): boolean {
    const settings = this.#of(client);
    const idleMs = performance.now() - settings.usedAt;
    settings.usedAt = performance.now();
    return this.#isDue(settings) && idleMs >= settings.keepsMs;
  }

  /** Whether a session's plans are too old. Marks old ones as renewed. */
  replans(client: PoolClient): boolean {
    const settings = this.#of(client);
    if (!this.#isDue(settings)) return false;
    settings.plannedAt = performance.now();
    settings.keepsMs = Math.min(PLANS_MS, 2 * settings.keepsMs);
    return true;
  }

  #isDue({ plannedAt, keepsMs }: Settings): boolean {
    return this.#names.isOwn && performance.now() - plannedAt >= keepsMs;
  }

  #of(client: PoolClient): Settings {
    const settings = this.#settings.get(client) ?? {
      limitMs: null,
      bounds: '',
      plannedAt: performance.now(),
      keepsMs: FIRST_PLANS_MS,
      usedAt: Number.NEGATIVE_INFINITY,
    };
    this.#settings.set(client, settings);
    return settings;
  }
}
