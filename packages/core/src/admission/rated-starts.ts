import { randomUUID } from 'node:crypto';
import type { Uses } from '../driver/driver.js';
import { ratesOf } from '../job/limits-text.js';
import type { Rate } from '../job/rate.js';
import type { Start } from '../worker/look/sweep.js';
import type { PartContext } from '../worker/part.js';

export interface RatedStartsParts extends Pick<PartContext, 'clock' | 'pollMs' | 'onFault'> {
  readonly driver: Uses<{ admission: 'take' | 'giveBack'; workers: 'notify' }>;
}

/**
 * The starts of rates that one worker takes. A rate that was used up is not looked at again before the time that the
 * database has said, by whichever slot.
 */
export class RatedStarts {
  readonly #parts: RatedStartsParts;
  /** Until when no start is expected, by the rate's name. */
  readonly #usedUp = new Map<string, number>();
  /** The rates of each take that is on its way, without those that have changed meanwhile. */
  readonly #current = new Set<Set<string>>();

  constructor(parts: RatedStartsParts) {
    this.#parts = parts;
  }

  /** How long no start is expected for jobs with these limits, in milliseconds. */
  leftMs(limits: string): number {
    const now = this.#parts.clock.now();
    return Math.max(0, ...ratesOf(limits).map(({ name }) => (this.#usedUp.get(name) ?? now) - now));
  }

  /** Takes a start of each rate of these limits. Null if a rate is used up. @throws DriverError */
  async take(limits: string): Promise<Start | null> {
    const { driver, onFault } = this.#parts;
    const rates = ratesOf(limits);
    const names = rates.map(({ name }) => name);
    const take = randomUUID();
    while (this.leftMs(limits) === 0) {
      const current = new Set(names);
      this.#current.add(current);
      const waitsMs = await driver.admission.take(rates, take).finally(() => this.#current.delete(current));
      if (waitsMs.every((waitMs) => waitMs === 0))
        return { giveBack: () => this.#giveBack(names, take).catch(onFault) };
      // The answer may be from before a change.
      if (current.size === rates.length) this.#remember(rates, waitsMs);
    }
    return null;
  }

  #remember(rates: readonly Rate[], waitsMs: readonly number[]): void {
    const { clock, pollMs } = this.#parts;
    const now = clock.now();
    for (const [place, { name }] of rates.entries()) {
      const waitMs = Math.min(pollMs, waitsMs[place] ?? 0);
      if (waitMs > 0) this.#usedUp.set(name, now + waitMs);
      else this.#usedUp.delete(name);
    }
  }

  /** Whoever was refused meanwhile would wait for the next start. */
  async #giveBack(names: readonly string[], take: string): Promise<void> {
    const { admission, workers } = this.#parts.driver;
    await admission.giveBack(names, take);
    await workers.notify(names.map((limit) => ({ limit })));
  }

  /** A limit may have other numbers, or a start that was given back. @returns whether a start was waited for */
  changed(name: string): boolean {
    for (const names of this.#current) names.delete(name);
    return this.#usedUp.delete(name);
  }
}
