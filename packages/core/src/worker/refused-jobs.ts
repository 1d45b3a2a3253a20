import { mayBeOfOne, type Refused } from '../driver/apart.js';
import type { PartContext } from './part.js';
import { AGAIN_MS } from './report/faults.js';
import { SetAside } from './set-aside.js';

/** How often an error that may pass comes to a job until it counts as a refusal. */
const PASSING = 3;

/** Of how many jobs such errors are counted. Beyond that the count begins anew. */
const MOST = 10_000;

export type RefusedJobsParts = Pick<PartContext, 'clock' | 'log' | 'worker'>;

/** The jobs whose rows the database refuses to change in one way. Each is named in the log, and left out for a while. */
export class RefusedJobs {
  readonly #parts: RefusedJobsParts;
  readonly #what: string;
  readonly #aside: SetAside<string>;
  /** How many errors that may pass have come, by the job. */
  readonly #passing = new Map<string, number>();
  /** Until when an error that comes to all jobs is not logged again. */
  #quietUntil = Number.NEGATIVE_INFINITY;

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

  /** An error that may pass has come to these. Whether it comes to one of them so often that it counts as a refusal. */
  isLasting(publicIds: readonly string[]): boolean {
    if (this.#passing.size > MOST) this.#passing.clear();
    const counts = publicIds.map((publicId) => {
      const count = (this.#passing.get(publicId) ?? 0) + 1;
      this.#passing.set(publicId, count);
      return count;
    });
    return counts.some((count) => count >= PASSING);
  }

  /** @param refused Their public ids. */
  add(refused: readonly Refused<string>[]): void {
    const { log, worker } = this.#parts;
    for (const { member: job, error } of refused)
      if (this.#aside.add(job) && this.#isNews(error)) log.error({ err: error, job, worker }, this.#what);
  }

  /** What comes to all jobs, as a full disk, has a line a minute. */
  #isNews(error: unknown): boolean {
    if (mayBeOfOne(error)) return true;
    const now = this.#parts.clock.now();
    const isNews = now >= this.#quietUntil;
    if (isNews) this.#quietUntil = now + AGAIN_MS;
    return isNews;
  }
}
