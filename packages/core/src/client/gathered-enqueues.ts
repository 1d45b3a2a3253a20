import type { Clock } from '../clock.js';
import { isDriverError } from '../driver/driver-error.js';
import type { Enqueued, NewJob } from '../job/job.js';

/**
 * How many statements are on their way at once: with 50 calls at once Postgres took 30,000 jobs a second of one, 35,000 of two and
 * 27,000 of four, where each call was a statement 5,600; MySQL 17,000, 18,000, 14,000 and 4,800.
 */
const AT_ONCE = 2;

/** Of calls with more jobs each is worth a statement of its own. */
const FEW = 50;

/** How many jobs one statement has at most that are of several calls. */
const MOST = 500;

/**
 * How long a statement keeps those behind it waiting, in milliseconds: the connection of one that takes longer may be dead, and the
 * driver waits for its answer much longer.
 */
const HANGS_MS = 200;

type Write = (jobs: readonly NewJob[]) => Promise<readonly Enqueued[]>;

interface Call {
  readonly jobs: readonly NewJob[];
  readonly resolve: (enqueued: readonly Enqueued[]) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * What many callers enqueue at once. While some statements are on their way, the calls that come are gathered into
 * the next one, so that they share it, its commit and its flush; who comes alone waits for nobody. Each call is all or nothing, and
 * is over when its jobs are committed, as if it had been made by itself.
 */
export class GatheredEnqueues {
  readonly #write: Write;
  readonly #clock: Clock;
  readonly #waiting: Call[] = [];
  readonly #sent = new Set<Promise<void>>();
  /** Those that are sent, but for those that hang. */
  #underWay = 0;

  constructor(write: Write, clock: Clock) {
    this.#write = write;
    this.#clock = clock;
  }

  /** @throws DriverError */
  enqueue(jobs: readonly NewJob[]): Promise<readonly Enqueued[]> {
    // One with a unique key may have to wait for somebody's transaction, and all who share its statement with it.
    if (jobs.length > FEW || jobs.some(({ unique }) => unique !== null)) return this.#write(jobs);
    return new Promise((resolve, reject) => {
      this.#waiting.push({ jobs, resolve, reject });
      this.#next();
    });
  }

  /** Resolves when all that has been asked for so far is over. */
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

/** Whether one call's jobs may be at fault (a trigger of the application's may refuse them), and the server has written nothing. */
function mayBeOfOne(error: unknown): boolean {
  return isDriverError(error, 'InvalidInput') || isDriverError(error, 'Unknown');
}
