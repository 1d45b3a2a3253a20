import { mayBeOfOne, type Refused } from '../driver/apart.js';
import type { PartContext } from './part.js';
import { News } from './report/news.js';
import { SetAside } from './set-aside.js';

/** How often an error that may pass comes to a job until it counts as a refusal. */
const PASSING = 3;

/** Of how many jobs such errors are counted. Beyond that the count begins anew. */
const MOST = 10_000;

export type RefusedJobsParts = Pick<PartContext, 'clock' | 'log' | 'worker'>;

/** The jobs, by public id, whose rows the database refuses to change in one way. Each is named in the log. */
export class RefusedJobs extends SetAside {
  readonly #parts: RefusedJobsParts;
  readonly #what: string;
  readonly #passing = new Map<string, number>();
  readonly #news: News;

  /** @param what A sentence for the log. */
  constructor(parts: RefusedJobsParts, what: string) {
    super(parts.clock);
    this.#parts = parts;
    this.#what = what;
    this.#news = new News(parts.clock);
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

  add(refused: readonly Refused<string>[]): void {
    const { log, worker } = this.#parts;
    // What comes to all jobs, as a full disk, is logged once for all of them.
    for (const { member: job, error } of refused)
      if (this.leave(job) && (mayBeOfOne(error) || this.#news.isNew('of all')))
        log.error({ err: error, job, worker }, this.#what);
  }
}
