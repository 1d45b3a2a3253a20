import { mayBeOfOne } from '../../driver/apart.js';
import type { Uses } from '../../driver/driver.js';
import { isDriverError } from '../../driver/driver-error.js';
import type { WakeUp } from '../../driver/wake-up.js';
import { publicIdOf } from '../../job/public-id.js';
import type { Part, PartContext } from '../part.js';
import type { LiveRun } from '../run/live-run.js';

const MOST = 10_000;
const KEPT_MS = 3_600_000;

/** How many are retried at once: the look for work waits for them. */
const AT_ONCE = 20;

/** How many are retried when the worker stops: few, so that the stop is quick. */
const AT_STOP = 500;

export interface CancellationsParts
  extends Pick<PartContext, 'clock' | 'log' | 'worker' | 'alarm' | 'watchMs' | 'live'> {
  readonly driver: Uses<{ jobs: 'move' }>;
}

interface Pending {
  /** How often the job had been redriven when it was cancelled. */
  readonly redrives: number | undefined;
  readonly until: number;
}

/**
 * The cancellations that a worker has received for locked jobs. A run that has the job is cancelled at once. But a
 * locked job may have no run. A key's lock locks all of its jobs. A claim locks jobs before it begins their runs. So a
 * cancellation stays pending until the job has ended or a run here has it. Every worker that has received the
 * cancellation retries it.
 */
export class Cancellations implements Part {
  readonly #parts: CancellationsParts;
  /** By public id; the one that was retried last comes last. */
  readonly #pending = new Map<string, Pending>();
  #retryAt = 0;

  constructor(parts: CancellationsParts) {
    this.#parts = parts;
  }

  wakeUp(wakeUp: WakeUp): void {
    if (!('cancel' in wakeUp)) return;
    const { cancel, redrives } = wakeUp;
    const publicId = publicIdOf(cancel);
    if (publicId === undefined) return;
    for (const run of this.#parts.live) run.cancel(publicId, redrives);
    this.#pending.set(publicId, { redrives, until: this.#parts.clock.now() + KEPT_MS });
    const [oldest] = this.#pending.keys();
    if (this.#pending.size > MOST && oldest !== undefined) this.#pending.delete(oldest);
    // A transaction other than a run may hold the job.
    this.#parts.alarm.within(this.#parts.watchMs);
  }

  began(runs: readonly LiveRun[]): void {
    if (this.#pending.size === 0) return;
    for (const run of runs) {
      for (const publicId of run.redrives.keys()) {
        const pending = this.#pending.get(publicId);
        if (pending !== undefined) run.cancel(publicId, pending.redrives);
      }
    }
  }

  /** Cancels the jobs that are no longer locked. Watches again while some are still pending. */
  async watch(): Promise<boolean> {
    const now = this.#parts.clock.now();
    if (this.#pending.size === 0 || now < this.#retryAt) return this.#pending.size > 0;
    this.#retryAt = now + this.#parts.watchMs;
    return this.#retry(AT_ONCE);
  }

  /** Cancels all such jobs: no other worker may have received the cancellations. */
  async stop(): Promise<void> {
    const { log, worker } = this.#parts;
    await this.#retry(AT_STOP).catch((error: unknown) => {
      log.warn({ err: error, worker }, 'cancellations may have been lost');
    });
  }

  async #retry(most: number): Promise<boolean> {
    const { clock } = this.#parts;
    for (const [publicId, pending] of [...this.#pending].slice(0, most)) {
      const isLocked = pending.until > clock.now() && !(await this.#isOver(publicId, pending));
      // The job may have been cancelled anew meanwhile.
      if (this.#pending.get(publicId) !== pending) continue;
      this.#pending.delete(publicId);
      if (isLocked) this.#pending.set(publicId, pending);
    }
    return this.#pending.size > 0;
  }

  /** Cancels a job. Returns false while it is locked. One that the database refuses to change is no other one's harm. */
  async #isOver(publicId: string, { redrives }: Pending): Promise<boolean> {
    const { driver, log, worker } = this.#parts;
    try {
      const [moved] = await driver.jobs.move('cancel', [publicId], { redrives });
      return moved?.outcome !== 'running';
    } catch (error) {
      if (!isDriverError(error) || !mayBeOfOne(error)) throw error;
      if (error.isRetryable) return false;
      log.warn({ err: error, job: publicId, worker }, 'the database refuses to cancel a job');
      return true;
    }
  }
}
