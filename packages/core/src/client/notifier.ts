import type { Clock } from '../clock.js';
import type { Store } from '../driver/store.js';
import type { WakeUp } from '../driver/wake-up.js';
import type { Enqueued } from '../job/job.js';
import type { Logger } from '../logger.js';
import type { LocalWorkers } from './local-workers.js';

/**
 * How many times as long as it took to enqueue with a wake-up along, the next wake-ups of the queue go behind. Postgres lets commits
 * that notify wait for each other, each for the disk as well: with fifty producers that did so all the time it committed a
 * seventh of what it did without. So nobody spends more than a fifth of his time on it, and less of his enqueues when it is slow.
 */
const TIMES = 4;

/**
 * How many workers a wake-up names at most. A notification of Postgres has less than 8,000 bytes, and one that is longer fails
 * the enqueue that it goes along with. Who is not named is called a second time, which does no harm.
 */
const MOST_NAMED = 100;

/** The workers of this process. */
type Here = Pick<LocalWorkers, 'serving' | 'wake'>;

/**
 * Sends wake-ups. The one of a queue that has been quiet goes along with the enqueue that causes it, others behind it. While
 * one is on its way the next are gathered into one: a worker that is awake needs no second call.
 */
export class Notifier {
  readonly #store: Pick<Store, 'notify'>;
  readonly #here: Here;
  readonly #log: Logger;
  readonly #clock: Clock;
  /** Until when each queue's wake-ups go behind. */
  readonly #behindUntil = new Map<string, number>();
  readonly #queues = new Set<string>();
  #isSending = false;
  #sent: Promise<void> = Promise.resolve();

  constructor(store: Pick<Store, 'notify'>, here: Here, log: Logger, clock: Clock) {
    this.#store = store;
    this.#here = here;
    this.#log = log;
    this.#clock = clock;
  }

  /** Enqueues into some queues, and wakes their workers. @param enqueue Is given the wake-ups that go along. */
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

  /** Sends wake-ups now. What they tell of is in the table already, so a failure is logged and no more. */
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

  /** Wakes those who are here when jobs are in the table, or may be: it is not known after an error. */
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
    // In the turn in which nothing was left: whoever comes later begins anew.
    this.#isSending = false;
  }
}

function isAny(enqueued: readonly Enqueued[]): boolean {
  return enqueued.some(({ outcome }) => outcome === 'enqueued');
}
