import type { JobView, WorkerView } from '@rowlock/core';
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
  readonly #everyMs: number;
  readonly #watchers = new Set<Watcher>();
  #last: { readonly snapshot: Snapshot | undefined } | null = null;
  #timer: NodeJS.Timeout | null = null;

  constructor(look: () => Promise<Snapshot>, everyMs = 250) {
    this.#look = look;
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
    const snapshot = await this.#look().catch(() => undefined);
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
