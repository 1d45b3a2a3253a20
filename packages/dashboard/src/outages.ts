import { isDriverError } from '@rowlock/core';
import type { Problem } from './http/problem.js';

/** How long faults of one kind go on before another one is logged, in milliseconds. */
const AGAIN_MS = 60_000;

/** Which faults are logged: all, but those of a database that is away. Each request meets these, and open pages ask again and again. */
export class Outages {
  readonly #quietUntil = new Map<string, number>();

  /** Whether to log it. A kind of fault of the database is logged once a minute. */
  isNews({ cause }: Problem): boolean {
    if (!isDriverError(cause)) return true;
    const now = performance.now();
    if (now < (this.#quietUntil.get(cause.code) ?? now)) return false;
    this.#quietUntil.set(cause.code, now + AGAIN_MS);
    return true;
  }
}
