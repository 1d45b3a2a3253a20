import type { Clock } from '../../clock.js';
import type { Settlement } from '../../driver/claim-session.js';
import type { Driver } from '../../driver/driver.js';
import type { Job } from '../../job/job.js';
import { isSettled, TRANSITIONS } from '../../job/lifecycle.js';

/** How long a job is watched after the last call for it, in milliseconds. Those who wait call again before. */
const FOR_MS = 60_000;

/** The most jobs that are watched. */
const MOST = 10_000;

/** The jobs for whose end somebody waits in another process. Without any, a settlement pays a look at a number. */
export class Watched {
  readonly #driver: Pick<Driver, 'notify'>;
  readonly #clock: Clock;
  readonly #until = new Map<string, number>();

  constructor(driver: Pick<Driver, 'notify'>, clock: Clock) {
    this.#driver = driver;
    this.#clock = clock;
  }

  add(publicId: string): void {
    const now = this.#clock.now();
    for (const [id, until] of this.#until)
      if (until <= now || this.#until.size >= MOST) this.#until.delete(id);
      else break;
    this.#until.delete(publicId);
    this.#until.set(publicId, now + FOR_MS);
  }

  /** These jobs are settled, in this order. Tells those who wait for one of them. */
  settled(jobs: readonly Job[], settlements: readonly Settlement[]): void {
    if (this.#until.size === 0) return;
    const ended = jobs.filter(({ publicId }, place) => {
      const event = settlements[place]?.event;
      return event !== undefined && isSettled(TRANSITIONS[event].to) && this.#until.delete(publicId);
    });
    if (ended.length === 0) return;
    // They look by themselves too.
    this.#driver.notify(ended.map(({ publicId }) => ({ settled: publicId }))).catch(() => {});
  }
}
