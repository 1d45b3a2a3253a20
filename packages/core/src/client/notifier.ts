import type { Store, WakeUp } from '../driver/driver.js';
import type { Logger } from '../logger.js';

/**
 * Sends wake-ups behind the enqueues that cause them. While one is on its way the next are gathered into one: a
 * notification makes commits wait for each other, and a worker that is awake needs no second call.
 */
export class Notifier {
  readonly #store: Pick<Store, 'notify'>;
  readonly #log: Logger;
  readonly #queues = new Set<string>();
  #sending: Promise<void> | null = null;

  constructor(store: Pick<Store, 'notify'>, log: Logger) {
    this.#store = store;
    this.#log = log;
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
      this.#queues.clear();
      await this.#store.notify(wakeUps).catch((error: unknown) => {
        this.#log.warn({ error }, 'a wake-up was not sent; the workers find the job at their next look');
      });
    }
  }
}
