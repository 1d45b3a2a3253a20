import type { Clock } from '../clock.js';
import type { WakeUp } from '../driver/wake-up.js';
import type { JoinableWorkers } from '../driver/workers.js';
import type { Enqueued } from '../job/job.js';
import type { Logger } from '../logger.js';
import type { LocalWorkers } from './local-workers.js';

/**
 * After a wake-up went with an enqueue, the queue's next wake-ups go separately for a while. The pause is this many
 * times the enqueue's duration. Postgres commits transactions that notify one after the other, each with its own flush.
 * With fifty producers that always notified, its rate of commits fell to a seventh. So a producer spends at most a
 * fifth of its time on enqueues with wake-ups, and fewer enqueues have one when Postgres is slow.
 */
const TIMES = 4;

/**
 * The most workers that a wake-up names. A notification of Postgres has less than 8,000 bytes, and a longer one fails
 * its enqueue. A worker that is not named is woken twice, which does no harm.
 */
const MOST_NAMED = 100;

/** The workers of this process. */
type Here = Pick<LocalWorkers, 'serving' | 'wake'>;

/**
 * Sends wake-ups. The first one of a quiet queue goes with the enqueue that causes it, and later ones go separately.
 * While a wake-up is on its way, the next ones are gathered into one: a worker that is awake needs no second one.
 */
export class Notifier {
  readonly #store: JoinableWorkers;
  readonly #here: Here;
  readonly #log: Logger;
  readonly #clock: Clock;
  /** Until when each queue's wake-ups go separately. */
  readonly #behindUntil = new Map<string, number>();
  readonly #queues = new Set<string>();
  #isSending = false;
  #sent: Promise<void> = Promise.resolve();

  constructor(store: JoinableWorkers, here: Here, log: Logger, clock: Clock) {
    this.#store = store;
    this.#here = here;
    this.#log = log;
    this.#clock = clock;
  }

  /**
   * Enqueues into some queues, and wakes their workers.
   *
   * @param enqueue Gets the wake-ups to send with the jobs.
   */
  async with(
    queues: readonly string[],
    enqueue: (wakeUps: readonly WakeUp[]) => Promise<readonly Enqueued[]>,
  ): Promise<readonly Enqueued[]> {
    const began = this.#clock.now();
    const along = queues.filter(
      (queue) => began > (this.#behindUntil.get(queue) ?? Number.NEGATIVE_INFINITY),
    );
    for (const queue of along) this.#behindUntil.set(queue, Number.POSITIVE_INFINITY);
    try {
      const wakeUps = along.map((queue) => this.#wakeUp(queue));
      const enqueued = await this.#wakeHere(queues, enqueue(wakeUps));
      if (isAny(enqueued)) for (const queue of queues) if (!along.includes(queue)) this.wake(queue);
      return enqueued;
    } finally {
      const ended = this.#clock.now();
      for (const queue of along) this.#behindUntil.set(queue, ended + TIMES * (ended - began));
    }
  }

  /** Wakes the workers of a queue soon. */
  wake(queue: string): void {
    this.#queues.add(queue);
    if (!this.#isSending) this.#sent = this.#sendGathered();
  }

  /** Sends wake-ups now. Only logs a failure, as their jobs are in the table already. */
  async send(wakeUps: readonly WakeUp[]): Promise<void> {
    try {
      await this.#store.notify(wakeUps);
    } catch (error) {
      this.#log.warn({ err: error }, 'a wake-up was not sent; the workers find the job at their next look');
    }
  }

  /** Resolves when everything gathered so far has been sent. */
  async flush(): Promise<void> {
    await this.#sent;
  }

  /** Wakes the workers of this process when jobs are in the table. Also after an error: the jobs may be in the table. */
  async #wakeHere(
    queues: readonly string[],
    enqueuing: Promise<readonly Enqueued[]>,
  ): Promise<readonly Enqueued[]> {
    let mayBe = true;
    try {
      const enqueued = await enqueuing;
      mayBe = isAny(enqueued);
      return enqueued;
    } finally {
      if (mayBe) for (const queue of queues) this.#here.wake(queue);
    }
  }

  #wakeUp(queue: string): WakeUp {
    const except = this.#here.serving(queue);
    return except.length > 0 && except.length <= MOST_NAMED ? { queue, except } : { queue };
  }

  async #sendGathered(): Promise<void> {
    this.#isSending = true;
    while (this.#queues.size > 0) {
      const wakeUps: WakeUp[] = [...this.#queues].map((queue) => this.#wakeUp(queue));
      this.#queues.clear();
      await this.send(wakeUps);
    }
    // Synchronously after the check for more: a later `wake` starts a new loop.
    this.#isSending = false;
  }
}

function isAny(enqueued: readonly Enqueued[]): boolean {
  return enqueued.some(({ outcome }) => outcome === 'enqueued');
}
