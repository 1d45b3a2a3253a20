import type { QueuePart } from '../driver/queue-parts.js';
import { ratesOf } from '../job/limits-text.js';
import type { PartContext } from '../worker/part.js';
import { nameOf } from './closed-parts.js';
import { type PartLook, PartPages, type PartPagesParts } from './next-parts.js';

/** The most parts that are swept without a look. */
const MOST_LEFT = 1_000;

export interface DuePartsParts extends PartPagesParts, Pick<PartContext, 'clock' | 'alarm' | 'watchMs'> {}

/**
 * The parts of a worker's queues that have due jobs. A look at them takes a step for each. Where there are rates, it comes
 * once in a watch interval, and not with each start.
 */
export class DueParts {
  readonly #parts: DuePartsParts;
  readonly #pages: PartPages;
  /** Where there are rates: the parts that the last looks have found, without those swept to their last job since. */
  readonly #unfinished = new Map<string, QueuePart>();
  /** Until when these are swept without another look. */
  #lookAt = Number.NEGATIVE_INFINITY;

  constructor(parts: DuePartsParts) {
    this.#parts = parts;
    this.#pages = new PartPages(parts);
  }

  /** The texts of all parts, as `PartPages` has them. */
  get all(): ReadonlySet<string> | null {
    return this.#pages.all;
  }

  /** @throws DriverError */
  async look(): Promise<PartLook> {
    const { clock, watchMs, alarm } = this.#parts;
    const leftMs = this.#lookAt - clock.now();
    if (this.#unfinished.size > 0 && leftMs > 0) {
      alarm.within(leftMs);
      return {
        ...{ parts: [...this.#unfinished.values()], isAnew: false, isWhole: true, isFirst: true },
        ...{ reached: () => {}, end: () => false },
      };
    }
    this.#lookAt = clock.now() + watchMs;
    const look = await this.#pages.look();
    if (look.isFirst || this.#unfinished.size > MOST_LEFT) this.#unfinished.clear();
    if (look.parts.some(({ limits }) => ratesOf(limits).length > 0))
      for (const part of look.parts) this.#unfinished.set(nameOf(part), part);
    return look;
  }

  /** The next look is at the rows. */
  looksAnew(): void {
    this.#lookAt = Number.NEGATIVE_INFINITY;
  }

  /** A sweep has come to the last job of the part. */
  finished(part: QueuePart): void {
    this.#unfinished.delete(nameOf(part));
  }
}
