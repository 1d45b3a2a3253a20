import { backoffMs } from './backoff.js';

/** A pause that grows with each use and is short again after `reset`. Always jittered. */
export class Pause {
  #count = 0;

  constructor(
    readonly baseMs: number,
    readonly capMs: number,
  ) {}

  /** The next pause, in milliseconds. */
  next(): number {
    this.#count += 1;
    return backoffMs({ baseMs: this.baseMs, factor: 2, capMs: this.capMs }, Math.min(this.#count, 32));
  }

  reset(): void {
    this.#count = 0;
  }
}
