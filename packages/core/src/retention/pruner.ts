import type { Clock } from '../clock.js';
import type { Driver } from '../driver/driver.js';
import type { JobId } from '../job/job.js';
import type { Logger } from '../logger.js';
import { type PrunedDriver, prune } from './prune.js';
import type { RetentionLimits } from './retention.js';

/** How long at least after one pass until the next, and how long a worker that prunes may be silent, in milliseconds. */
const TURN_MS = 60_000;

/** Pruning takes at most a fifth of the time while a pass goes on, and all in all a fiftieth. */
const STEP_REST = 4;
const PASS_REST = 50;

/** How often a pass by age begins at the first job again, in milliseconds: some were not settled when the line came by. */
const FROM_START_MS = 3_600_000;

/** What a pruner stands on. */
export interface PrunerParts {
  readonly driver: PrunedDriver & Pick<Driver, 'takePruneTurn'>;
  readonly limits: RetentionLimits;
  readonly clock: Clock;
  readonly log: Logger;
  readonly workerId: string;
  readonly stopping: AbortSignal;
}

/** Prunes in the background, as long as its worker runs. Of all workers of a database one does so at a time. */
export class Pruner {
  readonly #parts: PrunerParts;
  #line: JobId = 0n;
  #fromStartAt = 0;

  constructor(parts: PrunerParts) {
    this.#parts = parts;
  }

  /** Resolves when the worker stops. */
  async run(): Promise<void> {
    const { log, stopping } = this.#parts;
    while (!stopping.aborted) {
      const restMs = await this.#pass().catch((error: unknown) => {
        log.warn({ err: error }, 'pruning failed; trying again');
        return TURN_MS;
      });
      await this.#pause(restMs);
    }
  }

  /** One pass, if it is this worker's turn. Returns how long to rest, in milliseconds. */
  async #pass(): Promise<number> {
    const { driver, limits, clock, log, stopping } = this.#parts;
    if (!(await this.#takeTurn(TURN_MS))) return TURN_MS;
    const began = clock.now();
    if (began >= this.#fromStartAt) {
      this.#line = 0n;
      this.#fromStartAt = began + FROM_START_MS;
    }
    let pruned = 0;
    let stepBegan = began;
    for await (const step of prune(driver, limits, this.#line)) {
      pruned += step.pruned;
      this.#line = step.line ?? this.#line;
      await this.#pause(STEP_REST * (clock.now() - stepBegan));
      // Whoever else has it by now goes on: two at once do no harm.
      if (stopping.aborted || !(await this.#takeTurn(TURN_MS))) break;
      stepBegan = clock.now();
    }
    if (pruned > 0) log.info({ pruned }, 'settled jobs were pruned');
    const restMs = Math.max(TURN_MS, PASS_REST * ((clock.now() - began) / (1 + STEP_REST)));
    if (!stopping.aborted) await this.#takeTurn(restMs);
    return restMs;
  }

  #takeTurn(forMs: number): Promise<boolean> {
    return this.#parts.driver.takePruneTurn(this.#parts.workerId, forMs);
  }

  /** Until then, or until the worker stops. */
  #pause(ms: number): Promise<void> {
    const { clock, stopping } = this.#parts;
    return new Promise((resolve) => {
      if (stopping.aborted) return resolve();
      const end = (): void => {
        cancelTimer();
        stopping.removeEventListener('abort', end);
        resolve();
      };
      const cancelTimer = clock.after(ms, end);
      stopping.addEventListener('abort', end, { once: true });
    });
  }
}
