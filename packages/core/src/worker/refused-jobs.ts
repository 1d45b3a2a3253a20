import type { Refused } from '../driver/apart.js';
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

  /** Whether a job is left out now. */
  has(publicId: string): boolean {
    return this.#aside.has(publicId);
  }

  /** Whether a job was refused before, alone or together with others. */
  wasRefused(publicId: string): boolean {
    return this.#aside.hasFailed(publicId);
  }

  /** Milliseconds until the first of them is tried again. Null: there is none. */
  get nextMs(): number | null {
    return this.#aside.nextMs;
  }

  /** These were refused together. */
  suspect(publicIds: readonly string[]): void {
    for (const publicId of publicIds) this.#aside.suspect(publicId);
  }

  /** @param refused Their public ids. */
  add(refused: readonly Refused<string>[]): void {
    const { log, worker } = this.#parts;
    for (const { member: job, error } of refused)
      if (this.#aside.add(job)) log.error({ err: error, job, worker }, this.#what);
  }
}
