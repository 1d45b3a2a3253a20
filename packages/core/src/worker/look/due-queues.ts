import type { Clock } from '../../clock.js';
import type { Uses } from '../../driver/driver.js';
import type { Lanes } from '../../driver/survey.js';
import { Pace } from './pace.js';

/** The sweeps of so many queues take no longer than a look at all of them. */
const FEW = 8;

/** How long the sweep of an empty queue takes, in milliseconds. */
const SWEEP_MS = 1;

export interface DueQueuesParts {
  readonly driver: Uses<{ claims: 'dueQueues' }>;
  readonly lanes: Lanes;
  readonly clock: Clock;
  readonly mostMs: number;
}

export interface DueRound {
  /** Whether a queue that is not swept was looked at in this round. */
  readonly isWhole: boolean;
  /** Whether the round sweeps a queue. Rejects with a DriverError if a look fails. After that the round sweeps all. */
  includes(queue: string): Promise<boolean>;
}

/**
 * The queues that rounds sweep. With many queues, a look finds those with due jobs by one statement. Its answer counts for
 * nine times as long as looks typically take, so looks take a tenth of the time.
 *
 * A look passes the rows before each queue's first due job, whatever the scan positions are. So looks pause while they
 * take longer than the sweeps of all queues.
 */
export class DueQueues {
  readonly #parts: DueQueuesParts;
  /** While it pauses, rounds sweep all queues. */
  readonly #looks: Pace;
  /** While it pauses, the last answer counts. */
  readonly #answers: Pace;
  #due: ReadonlySet<string> = new Set();

  constructor(parts: DueQueuesParts) {
    const allMs = parts.lanes.queues.length * SWEEP_MS;
    this.#parts = parts;
    this.#looks = new Pace(parts.mostMs, allMs);
    this.#answers = new Pace(allMs);
  }

  /** How long the last answer still counts, in milliseconds. */
  leftMs(now: number): number {
    return this.#answers.leftMs(now);
  }

  /**
   * Begins a round.
   *
   * @param woken The queue of a wake-up, which is swept without a look.
   * @returns null if the round sweeps all queues
   */
  round(woken: string): DueRound | null {
    const { lanes, clock } = this.#parts;
    const now = clock.now();
    if (lanes.queues.length <= FEW || this.#looks.leftMs(now) > 0) return null;
    let due = this.leftMs(now) > 0 ? this.#due : null;
    let hasFailed = false;
    /** Whether a sweep has taken its time since the look. */
    let hasSwept = false;
    return {
      isWhole: due === null,
      includes: async (queue) => {
        if (queue === woken || hasFailed) return true;
        if (due === null || (hasSwept && this.leftMs(clock.now()) === 0)) {
          hasFailed = true;
          due = await this.#look();
          hasFailed = hasSwept = false;
        }
        const isDue = due.has(queue);
        hasSwept ||= isDue;
        return isDue;
      },
    };
  }

  async #look(): Promise<ReadonlySet<string>> {
    const { driver, lanes, clock } = this.#parts;
    const began = clock.now();
    const due = new Set(await driver.claims.dueQueues(lanes));
    const now = clock.now();
    this.#looks.took(now - began, now);
    this.#answers.took(now - began, now);
    this.#due = due;
    return due;
  }
}
