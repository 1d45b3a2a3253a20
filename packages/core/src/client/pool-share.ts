import type { Clock } from '../clock.js';
import type { ConnectionPool } from '../driver/connection-pool.js';
import type { Driver } from '../driver/driver.js';
import { isDriverError } from '../driver/driver-error.js';

/** A statement without an answer for so long, in milliseconds, shows that the server is silent. */
const SILENT_MS = 5_000;

interface Waiting {
  readonly since: number;
  readonly begin: () => void;
  readonly refuse: (error: unknown) => void;
}

const shares = new WeakMap<ConnectionPool, PoolShare>();

/** The share of all clients on the driver's pool. */
export function shareOf({ pool }: Pick<Driver, 'pool'>, clock: Clock): PoolShare {
  if (pool === null) return new PoolShare(null, clock);
  const share = shares.get(pool) ?? new PoolShare(pool.most, clock);
  shares.set(pool, share);
  return share;
}

/**
 * The clients' part of a pool's connections: half of them. Calls beyond that wait here, and not in the pool. So the
 * pool's timeout for a free connection does not end them, and the workers of this process find a connection soon.
 *
 * A silent server ends the waiting too. A call that has waited longer than a statement without an answer fails with it,
 * unless the server has answered another statement meanwhile.
 */
export class PoolShare {
  readonly #clock: Clock;
  #free: number;
  #waiting: Waiting[] = [];
  /** How many statements the server has answered. */
  #answers = 0;

  /** @param connections The most connections of the pool. Null if there is no limit. */
  constructor(connections: number | null, clock: Clock) {
    this.#free = connections === null ? Number.POSITIVE_INFINITY : Math.max(1, Math.floor(connections / 2));
    this.#clock = clock;
  }

  /** Does work that takes one connection at a time. @throws whatever `work` does */
  async run<Result>(work: () => Promise<Result>): Promise<Result> {
    const since = this.#clock.now();
    if (this.#free > 0) this.#free -= 1;
    else await new Promise<void>((begin, refuse) => this.#waiting.push({ since, begin, refuse }));
    const [began, answers] = [this.#clock.now(), this.#answers];
    try {
      const result = await work();
      this.#answers += 1;
      return result;
    } catch (error) {
      if (!isDriverError(error, 'ConnectionLost')) this.#answers += 1;
      else if (answers === this.#answers && this.#clock.now() - began >= SILENT_MS)
        this.#refuse(began, error);
      throw error;
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#free += 1;
      else next.begin();
    }
  }

  /** Refuses the calls that have waited since this time, or longer. */
  #refuse(began: number, error: unknown): void {
    const refused = this.#waiting.filter(({ since }) => since <= began);
    this.#waiting = this.#waiting.slice(refused.length);
    for (const { refuse } of refused) refuse(error);
  }
}
