import type { Clock } from '../clock.js';
import type { Store, WakeUp } from '../driver/driver.js';
import type { Logger } from '../logger.js';

/**
 * How long after a queue's wake-up the next one may go along with an enqueue, in milliseconds. Postgres lets commits that notify
 * wait for each other, each for the disk as well: where many processes enqueue all the time, few of their commits should.
 */
const QUIET_MS = 10;

/**
 * Sends wake-ups. The one of a queue that has been quiet goes along with the enqueue that causes it, others behind it. While
 * one is on its way the next are gathered into one: a worker that is awake needs no second call.
 */
export class Notifier {
  readonly #store: Pick<Store, 'notify'>;
  readonly #log: Logger;
  readonly #clock: Clock;
  /** When each queue's last wake-up was sent. */
  readonly #sent = new Map<string, number>();
  readonly #queues = new Set<string>();
  #sending: Promise<void> | null = null;

  constructor(store: Pick<Store, 'notify'>, log: Logger, clock: Clock) {
    this.#store = store;
    this.#log = log;
    this.#clock = clock;
  }

  /** Whether the wake-up of a queue is to go along with an enqueue, now. */
  mayGoAlong(queue: string): boolean {
    const now = this.#clock.now();
    if (now - (this.#sent.get(queue) ?? Number.NEGATIVE_INFINITY) < QUIET_MS) return false;
    this.#sent.set(queue, now);
    return true;
  }

  /** Wakes the workers of a queue soon. */
  wake(queue: string): void {
    this.#queues.add(queue);
    this.#sending ??= this.#send().finally(() => {
      this.#sending = null;
    });
  }

  /** Resolves when everything gathered so far has been sent. */
  async flush(): Promise<void> {
    await this.#sending;
  }

  async #send(): Promise<void> {
    while (this.#queues.size > 0) {
      const wakeUps: WakeUp[] = [...this.#queues].map((queue) => ({ queue }));
      for (const queue of this.#queues) this.#sent.set(queue, this.#clock.now());
      this.#queues.clear();
      await this.#store.notify(wakeUps).catch((error: unknown) => {
        this.#log.warn({ error }, 'a wake-up was not sent; the workers find the job at their next look');
      });
    }
  }
}
