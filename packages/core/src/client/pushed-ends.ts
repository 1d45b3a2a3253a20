import type { Clock } from '../clock.js';
import type { Driver } from '../driver/driver.js';

/** After how long workers are called again for the same job, in milliseconds: they may have started since. */
const AGAIN_MS = 30_000;

/** How long the connection is kept when nobody waits any more, in milliseconds. */
const KEEP_MS = 5_000;

export interface PushedEndsParts {
  readonly driver: Pick<Driver, 'listen' | 'notify'>;
  readonly clock: Clock;
  /** Called when a watched job has ended, or may have. */
  readonly ended: (publicId: string | undefined) => void;
}

/**
 * The ends of jobs as workers of other processes push them. Workers are called to watch a job, and tell of its end. Where
 * nothing is pushed, this does nothing: whoever waits looks by himself in any case.
 */
export class PushedEnds {
  readonly #parts: PushedEndsParts;
  /** When workers were called last, by public id. */
  readonly #called = new Map<string, number>();
  #listening: AbortController | null = null;
  #isSubscribed = false;
  #cancelEnd: () => void = () => {};

  constructor(parts: PushedEndsParts) {
    this.#parts = parts;
  }

  /** Has workers watch these jobs, and no others any more. */
  watch(publicIds: readonly string[]): void {
    const { driver, clock } = this.#parts;
    if (driver.listen === undefined) return;
    this.#cancelEnd();
    this.#listen();
    if (!this.#isSubscribed) return;
    const now = clock.now();
    const due = publicIds.filter(
      (id) => (this.#called.get(id) ?? Number.NEGATIVE_INFINITY) + AGAIN_MS <= now,
    );
    const wanted = new Set(publicIds);
    for (const id of this.#called.keys()) if (!wanted.has(id)) this.#called.delete(id);
    for (const id of due) this.#called.set(id, now);
    if (due.length > 0) driver.notify(due.map((watch) => ({ watch }))).catch(() => {});
  }

  /** Nobody waits. The connection is closed, unless somebody waits again soon. */
  rest(): void {
    this.#called.clear();
    if (this.#listening !== null) this.#cancelEnd = this.#parts.clock.after(KEEP_MS, () => this.end());
  }

  end(): void {
    this.#cancelEnd();
    this.#listening?.abort();
  }

  #listen(): void {
    if (this.#listening !== null) return;
    const { driver, ended } = this.#parts;
    const listening = new AbortController();
    this.#listening = listening;
    const over = (): void => {
      if (this.#listening !== listening) return;
      this.#listening = null;
      this.#isSubscribed = false;
      this.#called.clear();
    };
    const received = driver.listen?.({
      signal: listening.signal,
      received: ({ settled }) => settled !== undefined && ended(settled),
      subscribed: () => {
        this.#isSubscribed = true;
        ended(undefined);
      },
    });
    received?.then(over, over);
  }
}
