import { backoffMs } from './backoff.js';

/** A delay that grows with each use and is short again after `reset`. Always jittered. */
export class GrowingDelay {
  #count = 0;

  constructor(
    readonly baseMs: number,
    readonly capMs: number,
  ) {}

  /** The next one, in milliseconds. */
  next(): number {
    this.#count += 1;
    return backoffMs({ baseMs: this.baseMs, factor: 2, capMs: this.capMs }, Math.min(this.#count, 32));
  }

  reset(): void {
    this.#count = 0;
  }
}
