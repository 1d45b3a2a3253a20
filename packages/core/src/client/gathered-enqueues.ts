import type { Clock } from '../clock.js';
import { isDriverError } from '../driver/driver-error.js';
import type { Enqueued, NewJob } from '../job/job.js';

/**
 * How many statements are on their way at once. Jobs a second, with 50 calls at once:
 *
 * | Statements | Postgres | MySQL |
 * |---|---|---|
 * | one for each call | 5,600 | 4,800 |
 * | 1 | 30,000 | 17,000 |
 * | 2 | 35,000 | 18,000 |
 * | 4 | 27,000 | 14,000 |
 */
const AT_ONCE = 2;

/** A call with more jobs gets a statement of its own. */
const FEW = 50;

/** The most jobs of one statement that several calls share. */
const MOST = 500;

/**
 * How long a statement keeps the next ones waiting, in milliseconds. After that, its connection may be dead. The
 * driver's own timeout is much longer.
 */
const HANGS_MS = 200;

type Write = (jobs: readonly NewJob[]) => Promise<readonly Enqueued[]>;

interface Call {
  readonly jobs: readonly NewJob[];
  readonly resolve: (enqueued: readonly Enqueued[]) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Gathers the enqueues of many callers. While statements are on their way, new calls are gathered into the next one, to
 * share its round trip, its commit and its flush. A single call does not wait. Each call is all or nothing, and
 * resolves when its jobs are committed, as if it had its own statement.
 */
export class GatheredEnqueues {
  readonly #write: Write;
  readonly #clock: Clock;
  readonly #waiting: Call[] = [];
  readonly #sent = new Set<Promise<void>>();
  /** The statements that are sent, without those that hang. */
  #underWay = 0;

  constructor(write: Write, clock: Clock) {
    this.#write = write;
    this.#clock = clock;
  }

  /** @throws DriverError */
  enqueue(jobs: readonly NewJob[]): Promise<readonly Enqueued[]> {
    // A job with a unique key may wait for another transaction, and so would all calls that share its statement.
    if (jobs.length > FEW || jobs.some(({ unique }) => unique !== null)) return this.#write(jobs);
    return new Promise((resolve, reject) => {
      this.#waiting.push({ jobs, resolve, reject });
      this.#next();
    });
  }

  /** Resolves when all calls so far are over. */
  async flush(): Promise<void> {
    while (this.#sent.size > 0) await Promise.all(this.#sent);
  }

  #next(): void {
    while (this.#underWay < AT_ONCE && this.#waiting.length > 0) this.#begin(this.#take());
  }

  #begin(calls: readonly Call[]): void {
    this.#underWay += 1;
    let isInTheWay = true;
    const makeWay = (): void => {
      if (!isInTheWay) return;
      isInTheWay = false;
      this.#underWay -= 1;
      this.#next();
    };
    const stopTimer = this.#clock.after(HANGS_MS, makeWay);
    const sending = this.#send(calls).then(() => {
      stopTimer();
      this.#sent.delete(sending);
      makeWay();
    });
    this.#sent.add(sending);
  }

  #take(): readonly Call[] {
    let jobs = 0;
    const calls = this.#waiting.findIndex((call) => {
      jobs += call.jobs.length;
      return jobs > MOST;
    });
    return this.#waiting.splice(0, calls === -1 ? this.#waiting.length : calls);
  }

  /** Never rejects. */
  async #send(calls: readonly Call[]): Promise<void> {
    const jobs = calls.flatMap((call) => call.jobs);
    try {
      const enqueued = await this.#write(jobs);
      let place = 0;
      for (const { jobs: own, resolve } of calls) {
        resolve(enqueued.slice(place, place + own.length));
        place += own.length;
      }
    } catch (error) {
      if (calls.length > 1 && mayBeOfOne(error)) await Promise.all(calls.map((call) => this.#send([call])));
      else for (const call of calls) call.reject(error);
    }
  }
}

/**
 * Whether the jobs of one call may have failed the statement, and nothing was written. A trigger of the application may
 * refuse jobs.
 */
function mayBeOfOne(error: unknown): boolean {
  return isDriverError(error, 'InvalidInput') || isDriverError(error, 'Unknown');
}
