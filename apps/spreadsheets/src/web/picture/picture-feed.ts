import type { JobView } from '@rowlock/core';
import type { WorkerView } from '@rowlock/core/types';
import type { Logger } from 'pino';
import type { Label } from '../../data/spreadsheet-store.js';

/** What the lock picture is drawn from: the state of the database at one moment. */
export interface Snapshot {
  /** Newest first. */
  readonly jobs: readonly JobView[];
  readonly hasOlder: boolean;
  readonly workers: readonly WorkerView[];
  /** By the jobs' keys. */
  readonly labels: ReadonlyMap<string, Label>;
}

/** `undefined`: the database is away at the moment. */
export type Watcher = (snapshot: Snapshot | undefined) => void;

/**
 * Looks at the database while somebody watches, once for all of them, and tells them each look.
 */
export class PictureFeed {
  readonly #look: () => Promise<Snapshot>;
  readonly #log: Logger;
  readonly #everyMs: number;
  readonly #watchers = new Set<Watcher>();
  #last: { readonly snapshot: Snapshot | undefined } | null = null;
  #timer: NodeJS.Timeout | null = null;

  constructor(look: () => Promise<Snapshot>, log: Logger, everyMs = 250) {
    this.#look = look;
    this.#log = log;
    this.#everyMs = everyMs;
  }

  /** @returns what ends the watch. */
  watch(watcher: Watcher): () => void {
    this.#watchers.add(watcher);
    if (this.#last !== null) watcher(this.#last.snapshot);
    this.#timer ??= setTimeout(() => void this.#round(), 0);
    return () => {
      this.#watchers.delete(watcher);
    };
  }

  async #round(): Promise<void> {
    const wasAway = this.#last !== null && this.#last.snapshot === undefined;
    const snapshot = await this.#look().catch((error: unknown) => {
      // Once, and not four times a second.
      if (!wasAway) this.#log.warn({ err: error }, 'the lock picture cannot be read');
      return undefined;
    });
    if (wasAway && snapshot) this.#log.info('the lock picture can be read again');
    this.#last = { snapshot };
    for (const watcher of this.#watchers) watcher(snapshot);
    if (this.#watchers.size > 0) {
      this.#timer = setTimeout(() => void this.#round(), this.#everyMs);
    } else {
      this.#timer = null;
      this.#last = null;
    }
  }
}
