import type { RefusedJob } from '../driver/refused-job.js';
import type { PartContext } from './part.js';
import { SetAside } from './set-aside.js';

export type RefusedJobsParts = Pick<PartContext, 'clock' | 'log' | 'worker'>;

/** The jobs whose rows the database refuses to change in one way. Each is named in the log, and left out for a while. */
export class RefusedJobs {
  readonly #parts: RefusedJobsParts;
  readonly #what: string;
  readonly #aside: SetAside<string>;

  /** @param what A sentence for the log. */
  constructor(parts: RefusedJobsParts, what: string) {
    this.#parts = parts;
    this.#what = what;
    this.#aside = new SetAside(parts.clock);
  }

  /** The public ids to leave out. */
  get except(): readonly string[] {
    return this.#aside.members;
  }

  /** Milliseconds until the first of them is tried again. Null: there is none. */
  get nextMs(): number | null {
    return this.#aside.nextMs;
  }

  add(refused: readonly RefusedJob[]): void {
    const { log, worker } = this.#parts;
    for (const { publicId, error } of refused)
      if (this.#aside.add(publicId)) log.error({ err: error, job: publicId, worker }, this.#what);
  }
}
