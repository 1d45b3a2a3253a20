import type { Clock } from '../../clock.js';
import type { Driver } from '../../driver/driver.js';
import type { Lanes } from '../../driver/survey.js';
import { Pace } from './pace.js';

/** The sweeps of so many queues take no longer than a look at all of them. */
const FEW = 8;

/** How long the sweep of an empty queue takes, in milliseconds. */
const SWEEP_MS = 1;

/** How long the answer of a look counts, at least, in milliseconds. Jobs come to other queues while a round goes on. */
const COUNTS_MS = 100;

/** The factor from a look's duration to how long its answer counts: looks take a tenth of a round. */
const COUNTS = 9;

export interface DueQueuesParts {
  readonly driver: Pick<Driver, 'dueQueues'>;
  readonly lanes: Lanes;
  readonly clock: Clock;
  /** The longest pause between two looks, in milliseconds. */
  readonly mostMs: number;
}

/**
 * The queues that a round sweeps. With many queues, a look finds those with due jobs by one statement. It passes the rows
 * before each queue's first due job, whatever the scan positions are. So looks pause while they take longer than the
 * sweeps of all queues.
 */
export class DueQueues {
  readonly #parts: DueQueuesParts;
  readonly #pace: Pace;

  constructor(parts: DueQueuesParts) {
    this.#parts = parts;
    this.#pace = new Pace(parts.mostMs, parts.lanes.queues.length * SWEEP_MS);
  }

  /**
   * Begins a round.
   *
   * @param woken The queue of a wake-up, which is swept without a look.
   * @returns Whether the round sweeps a queue. Null if it sweeps all. Rejects with a DriverError when a look has failed,
   * and after that the round sweeps all.
   */
  round(woken: string): ((queue: string) => Promise<boolean>) | null {
    const { driver, lanes, clock } = this.#parts;
    if (lanes.queues.length <= FEW || this.#pace.leftMs(clock.now()) > 0) return null;
    let due: ReadonlySet<string> | null = null;
    let until = Number.NEGATIVE_INFINITY;
    const look = async (): Promise<void> => {
      const began = clock.now();
      due = null;
      until = Number.POSITIVE_INFINITY;
      due = new Set(await driver.dueQueues(lanes));
      const now = clock.now();
      this.#pace.took(now - began, now);
      until = now + Math.max(COUNTS_MS, COUNTS * (now - began));
    };
    return async (queue) => {
      if (queue === woken) return true;
      if (clock.now() >= until) await look();
      return due === null || due.has(queue);
    };
  }
}
