import type { Clock } from '../../clock.js';
import type { Driver } from '../../driver/driver.js';
import type { WakeUp } from '../../driver/wake-up.js';
import { publicIdOf } from '../../job/public-id.js';
import type { LiveRun } from '../run/live-run.js';

/** How many are kept in mind, and for how long, in milliseconds. */
const MOST = 10_000;
const KEPT_MS = 3_600_000;

/** How many jobs are asked about at once: the look for work waits for it. */
const AT_ONCE = 20;

/** How many when the worker stops, which is to take no more than a moment. */
const AT_LAST = 500;

export interface CancellationsParts {
  readonly driver: Pick<Driver, 'move'>;
  readonly clock: Clock;
  /** How often one asks. */
  readonly everyMs: number;
  /** The runs going on in this process. */
  readonly live: ReadonlySet<LiveRun>;
}

interface Heard {
  /** How often the job was redriven, as whoever cancelled it saw it. */
  readonly redrives: number | undefined;
  readonly until: number;
}

/**
 * The cancellations that a worker has heard of. A run that has the job is told at once. But a job may be locked that nobody runs: the
 * lock of a key is that of all its jobs, and a claim has its locks before its runs are known. So a cancellation is kept in mind until the
 * database says that the job has ended, which all who have heard of it see to, or a run here comes upon it.
 */
export class Cancellations {
  readonly #parts: CancellationsParts;
  /** By public id; who was asked about last comes last. */
  readonly #heard = new Map<string, Heard>();
  #askAt = 0;

  constructor(parts: CancellationsParts) {
    this.#parts = parts;
  }

  hear({ cancel = '', redrives }: WakeUp): void {
    const publicId = publicIdOf(cancel);
    if (publicId === undefined) return;
    for (const run of this.#parts.live) run.cancel(publicId, redrives);
    this.#heard.set(publicId, { redrives, until: this.#parts.clock.now() + KEPT_MS });
    const [oldest] = this.#heard.keys();
    if (this.#heard.size > MOST && oldest !== undefined) this.#heard.delete(oldest);
  }

  /** Tells runs that have not begun, and are live, of their jobs that were cancelled before. */
  reach(runs: readonly LiveRun[]): void {
    if (this.#heard.size === 0) return;
    for (const run of runs) {
      for (const publicId of run.redrives.keys()) {
        const heard = this.#heard.get(publicId);
        if (heard !== undefined) run.cancel(publicId, heard.redrives);
      }
    }
  }

  /** Cancels what nobody holds any more. @returns whether some are held still, or were not asked about @throws DriverError */
  async ask(): Promise<boolean> {
    const now = this.#parts.clock.now();
    if (this.#heard.size === 0 || now < this.#askAt) return this.#heard.size > 0;
    this.#askAt = now + this.#parts.everyMs;
    return this.#ask(AT_ONCE);
  }

  /** The same when the worker has given back what it had: of some jobs nobody else may know. @throws DriverError */
  async askAtLast(): Promise<void> {
    await this.#ask(AT_LAST);
  }

  async #ask(most: number): Promise<boolean> {
    const { driver, clock } = this.#parts;
    for (const [publicId, heard] of [...this.#heard].slice(0, most)) {
      const isHeld =
        heard.until > clock.now() &&
        (await driver.move('cancel', publicId, heard.redrives)).outcome === 'running';
      // It may have been cancelled anew meanwhile.
      if (this.#heard.get(publicId) !== heard) continue;
      this.#heard.delete(publicId);
      if (isHeld) this.#heard.set(publicId, heard);
    }
    return this.#heard.size > 0;
  }
}
