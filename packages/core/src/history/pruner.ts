import type { Refused } from '../driver/apart.js';
import type { Uses } from '../driver/driver.js';
import type { JobEntry } from '../driver/job-filter.js';
import type { JobId } from '../job/job.js';
import type { Part, PartContext } from '../worker/part.js';
import { type PruneStep, prune, pruneAudit, pruneSlots, refusalOf } from './prune.js';
import type { RetentionLimits } from './retention.js';

/** The least pause between two passes, in milliseconds. Another worker may take the turn after this time of silence. */
const TURN_MS = 60_000;

/** Pruning takes at most a fifth of the time during a pass, and at most a fiftieth of all time. */
const STEP_REST = 4;
const PASS_REST = 50;

/**
 * How often a pass by age begins at the first job again, and slots of limits are pruned, in milliseconds. Jobs that were
 * outstanding at the earlier pass may be settled now.
 */
const FROM_START_MS = 3_600_000;

export interface PrunerParts extends Pick<PartContext, 'clock' | 'log' | 'workerId' | 'stopping'> {
  readonly driver: Uses<{
    jobs: 'entries';
    history: 'prune' | 'takePruneTurn';
    admission: 'prune';
    audit: 'prune';
  }>;
  readonly limits: RetentionLimits;
}

/** Prunes in the background while its worker runs. One worker of a database prunes at a time. */
export class Pruner implements Part {
  readonly #parts: PrunerParts;
  #line: JobId = 0n;
  #fromStartAt = 0;
  #running: Promise<void> = Promise.resolve();

  constructor(parts: PrunerParts) {
    this.#parts = parts;
  }

  start(): void {
    this.#running = this.#run();
  }

  stop(): Promise<void> {
    return this.#running;
  }

  async #run(): Promise<void> {
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
    const { clock, log, stopping } = this.#parts;
    if (!(await this.#takeTurn(TURN_MS))) return TURN_MS;
    const began = clock.now();
    const isFromStart = began >= this.#fromStartAt;
    if (isFromStart) {
      this.#line = 0n;
      this.#fromStartAt = began + FROM_START_MS;
    }
    let pruned = 0;
    const refused: Refused<JobEntry>[] = [];
    const slots: Refused<string>[] = [];
    let stepBegan = began;
    for await (const step of this.#steps(isFromStart)) {
      pruned += step.pruned;
      refused.push(...(step.refused ?? []));
      slots.push(...(step.slots ?? []));
      this.#line = step.line ?? this.#line;
      await this.#pause(STEP_REST * (clock.now() - stepBegan));
      // Another worker that has the turn by now goes on. Two at once do no harm.
      if (stopping.aborted || !(await this.#takeTurn(TURN_MS))) break;
      stepBegan = clock.now();
    }
    if (pruned > 0) log.info({ pruned }, 'settled jobs were pruned');
    const [first] = refused;
    if (first !== undefined)
      log.warn({ err: refusalOf(first, refused.length) }, 'settled jobs were not pruned');
    const [stuck] = slots;
    if (stuck !== undefined)
      log.warn(
        { err: stuck.error, limit: stuck.member, limits: slots.length },
        'slots of limits were not pruned',
      );
    const restMs = Math.max(TURN_MS, PASS_REST * ((clock.now() - began) / (1 + STEP_REST)));
    if (!stopping.aborted) await this.#takeTurn(restMs);
    return restMs;
  }

  async *#steps(isFromStart: boolean): AsyncGenerator<PruneStep> {
    const { driver, limits } = this.#parts;
    yield* prune(driver, limits, this.#line);
    if (!isFromStart) return;
    yield* pruneSlots(driver);
    yield* pruneAudit(driver, limits.auditMs);
  }

  #takeTurn(forMs: number): Promise<boolean> {
    return this.#parts.driver.history.takePruneTurn(this.#parts.workerId, forMs);
  }

  /** Waits `ms` milliseconds, or until the worker stops. */
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
