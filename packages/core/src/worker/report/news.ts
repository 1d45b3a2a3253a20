import type { Clock } from '../../clock.js';
import { isDriverError } from '../../driver/driver-error.js';

/** What many meet at once, and what lasts: each kind of it is told once, and again after a while. */
export class News {
  readonly #clock: Pick<Clock, 'now'>;
  readonly #againMs: number;
  readonly #quietUntil = new Map<string, number>();

  constructor(clock: Pick<Clock, 'now'>, againMs = 60_000) {
    this.#clock = clock;
    this.#againMs = againMs;
  }

  /** Whether to tell of it now. */
  isNew(kind: string): boolean {
    const now = this.#clock.now();
    if (now < (this.#quietUntil.get(kind) ?? now)) return false;
    this.#quietUntil.set(kind, now + this.#againMs);
    return true;
  }

  /** All of it is over, and news when it comes again. */
  clear(): void {
    this.#quietUntil.clear();
  }
}

/** What errors of one cause have in common. */
export function kindOf(error: unknown): string {
  return isDriverError(error) ? error.code : String(error);
}
