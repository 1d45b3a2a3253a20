import { GrowingDelay } from '../../job/growing-delay.js';
import type { PartContext } from '../part.js';
import { kindOf, News } from './news.js';

/** How long no fault must occur before they count as over, in milliseconds. Longer than the longest pause. */
const OVER_MS = 3_000;

/** A look that fails so long after a pause has found a server meanwhile, in milliseconds: the fault is a new one. */
const NEW_MS = 250;

export type FaultsParts = Pick<PartContext, 'clock' | 'log' | 'events' | 'alarm' | 'worker' | 'stopping'>;

/**
 * Faults while a worker looks for work. The look is tried again after a pause, which grows while each look behind a pause fails
 * too. All slots lose their connections together, so what fails in a pause is the same fault. An outage has a line at its
 * beginning, one a minute while it lasts, and one at its end, although every slot and every part of the worker meets it.
 */
export class Faults {
  readonly #parts: FaultsParts;
  readonly #pause = new GrowingDelay(50, 1_000);
  readonly #news: News;
  /** When the last pause ends, or has ended. */
  #pausedUntil = Number.NEGATIVE_INFINITY;
  #since = 0;
  #count = 0;
  #answeredAt = Number.NEGATIVE_INFINITY;
  #cancelEnd = (): void => {};

  constructor(parts: FaultsParts) {
    this.#parts = parts;
    this.#news = new News(parts.clock);
  }

  readonly meet = (error: unknown): void => {
    const { clock, log, events, worker } = this.#parts;
    const now = clock.now();
    if (this.#count === 0) this.#since = now;
    this.#count += 1;
    this.#cancelEnd();
    this.#cancelEnd = clock.after(OVER_MS, () => this.#end(now));
    if (this.#news.isNew(kindOf(error)))
      log.warn({ err: error, worker }, 'looking for work failed; trying again');
    events.emit('fault', error);
    this.#lookAgain(now);
  };

  /** A look has ended well. Looks that hang do not fail either. */
  readonly answered = (): void => {
    this.#answeredAt = this.#parts.clock.now();
  };

  #lookAgain(now: number): void {
    if (now >= this.#pausedUntil) {
      if (now >= this.#pausedUntil + NEW_MS) this.#pause.reset();
      this.#pausedUntil = now + this.#pause.next();
    }
    this.#parts.alarm.within(this.#pausedUntil - now);
  }

  /** @param last When the last fault was. */
  #end(last: number): void {
    const { clock, log, worker, stopping } = this.#parts;
    if (this.#answeredAt < last) {
      this.#cancelEnd = clock.after(OVER_MS, () => this.#end(last));
      return;
    }
    const facts = { worker, faults: this.#count, tookMs: Math.round(last - this.#since) };
    this.#count = 0;
    this.#news.clear();
    if (!stopping.aborted) log.warn(facts, 'looking for work has not failed for 3 s; it goes on');
  }
}
