import type { Calls } from './calls.js';
import { limitsLook } from './routes/limits.js';
import { overviewLook } from './routes/overview.js';
import { pictureLook } from './routes/picture.js';
import { SharedLook } from './shared-look.js';
import type { LimitsView, OverviewView, PictureView } from './views.js';

/** How many pictures are kept: of so many queues at the same time. */
const MOST_PICTURES = 20;

/** The looks that viewers share. */
export class Looks {
  readonly overview: SharedLook<OverviewView>;
  readonly limits: SharedLook<LimitsView>;
  readonly #rowlock: Calls;
  readonly #pictures = new Map<string, SharedLook<PictureView>>();

  constructor(rowlock: Calls) {
    this.#rowlock = rowlock;
    this.overview = new SharedLook(overviewLook(rowlock));
    this.limits = new SharedLook(limitsLook(rowlock));
  }

  picture(queue: string, limit: number): SharedLook<PictureView> {
    const name = `${limit} ${queue}`;
    const found = this.#pictures.get(name) ?? new SharedLook(pictureLook(this.#rowlock, queue, limit));
    // The one that was used last is at the end.
    this.#pictures.delete(name);
    this.#pictures.set(name, found);
    const [oldest] = this.#pictures.keys();
    if (this.#pictures.size > MOST_PICTURES && oldest !== undefined) this.#pictures.delete(oldest);
    return found;
  }

  /** The next looks are new ones, as something was changed. */
  forget(): void {
    this.overview.forget();
    this.limits.forget();
    this.#pictures.clear();
  }
}
