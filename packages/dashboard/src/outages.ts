import { isDriverError } from '@rowlock/core';
import type { Problem } from './http/problem.js';

/** How long faults of one kind go on before another one is logged, in milliseconds. */
const AGAIN_MS = 60_000;

/** Which faults are logged. Each request meets a database that is away or hangs, and open pages repeat their requests. */
export class Outages {
  readonly #quietUntil = new Map<string, number>();

  /** Whether to log it. A kind of those that pass by themselves is logged once a minute. */
  isNews({ status, message, cause }: Problem): boolean {
    if (status !== 503) return true;
    const [kind, now] = [isDriverError(cause) ? cause.code : message, performance.now()];
    if (now < (this.#quietUntil.get(kind) ?? now)) return false;
    this.#quietUntil.set(kind, now + AGAIN_MS);
    return true;
  }
}
