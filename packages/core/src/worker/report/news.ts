import type { Clock } from '../../clock.js';
import { isDriverError } from '../../driver/driver-error.js';

/** Faults that many meet at once, or that last: each kind is logged once, and again after a while. */
export class News {
  readonly #clock: Pick<Clock, 'now'>;
  readonly #againMs: number;
  readonly #quietUntil = new Map<string, number>();

  constructor(clock: Pick<Clock, 'now'>, againMs = 60_000) {
    this.#clock = clock;
    this.#againMs = againMs;
  }

  /** Whether to log it now. */
  isNew(kind: string): boolean {
    const now = this.#clock.now();
    if (now < (this.#quietUntil.get(kind) ?? now)) return false;
    this.#quietUntil.set(kind, now + this.#againMs);
    return true;
  }

  /** The faults are over: each kind is logged again when it comes. */
  clear(): void {
    this.#quietUntil.clear();
  }
}

/** What errors of one cause have in common. */
export function kindOf(error: unknown): string {
  return isDriverError(error) ? error.code : String(error);
}
