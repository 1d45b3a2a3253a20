/** Shares out the time that a measure has among its plays, by what they need besides what is measured. */
export class Pace {
  #end;
  #left;
  #overheadMs;
  #leastMs;
  #mostMs;

  /** @param overheadMs A first guess */
  constructor({ budgetMs, plays, overheadMs, leastMs, mostMs }) {
    this.#end = performance.now() + budgetMs;
    this.#left = plays;
    this.#overheadMs = overheadMs;
    this.#leastMs = leastMs;
    this.#mostMs = mostMs;
  }

  /** How long the next play may measure, in milliseconds. */
  next() {
    const shareMs = (this.#end - performance.now()) / Math.max(1, this.#left);
    return Math.min(this.#mostMs, Math.max(this.#leastMs, shareMs - this.#overheadMs));
  }

  /** A play has taken so long for what was to take `measuredMs`. */
  played(tookMs, measuredMs) {
    this.#left -= 1;
    this.#overheadMs += (Math.max(0, tookMs - measuredMs) - this.#overheadMs) / 10;
  }
}
