import { type Queryable, query } from '../query.js';

/**
 * Waits until the server's commits are durable. Calls during a flush share the next one.
 * The next flush covers everything that was committed before the calls.
 */
export class WalFlush {
  readonly #send: () => Promise<unknown>;
  #going: Promise<void> = Promise.resolve();
  #next: Promise<void> | null = null;

  /** @param on Commits each statement by itself. */
  constructor(on: Queryable, text: string, name: () => string | undefined) {
    this.#send = () => query(on, text, [], name());
  }

  /** @throws DriverError */
  flush(): Promise<void> {
    this.#next ??= this.#behind(this.#going);
    return this.#next;
  }

  #behind(before: Promise<void>): Promise<void> {
    const flushed = before.then(async () => {
      this.#next = null;
      await this.#send();
    });
    this.#going = flushed.catch(() => {});
    return flushed;
  }
}
