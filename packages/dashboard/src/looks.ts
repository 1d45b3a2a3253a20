import type { LimitView, Trend, TrendOptions } from '@rowlock/core/types';
import type { Calls } from './calls.js';
import { overviewLook } from './overview-look.js';
import { pictureLook } from './picture-look.js';
import { RecentLooks } from './recent-looks.js';
import { SharedLook } from './shared-look.js';
import type { OverviewView, PictureView } from './views.js';

/** The looks that viewers share. */
export class Looks {
  readonly overview: SharedLook<OverviewView>;
  readonly limits: SharedLook<readonly LimitView[]>;
  readonly #rowlock: Calls;
  readonly #pictures = new RecentLooks<PictureView>();
  readonly #trends = new RecentLooks<Trend>();

  constructor(rowlock: Calls) {
    this.#rowlock = rowlock;
    this.overview = new SharedLook(overviewLook(rowlock));
    this.limits = new SharedLook(() => rowlock.limits.list());
  }

  picture(queue: string, limit: number): SharedLook<PictureView> {
    return this.#pictures.of(`${limit} ${queue}`, pictureLook(this.#rowlock, queue, limit));
  }

  trend(options: TrendOptions): SharedLook<Trend> {
    return this.#trends.of(`${options.last} ${options.queue ?? ''}`, () =>
      this.#rowlock.insight.trend(options),
    );
  }

  /** The next looks are new ones, as something was changed. */
  forget(): void {
    this.overview.forget();
    this.limits.forget();
    this.#pictures.forget();
    this.#trends.forget();
  }
}
