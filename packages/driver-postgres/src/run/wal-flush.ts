import { type Asked, query } from '../query.js';

/**
 * Waits until the server has on its disk what it has committed. Who asks while it is being done shares the next one: it covers all that
 * was committed before it was asked for.
 */
export class WalFlush {
  readonly #ask: () => Promise<unknown>;
  #going: Promise<void> = Promise.resolve();
  #next: Promise<void> | null = null;

  /** @param on Where each statement is committed by itself. */
  constructor(on: Asked, text: string, name: () => string | undefined) {
    this.#ask = () => query(on, text, [], name());
  }

  /** @throws DriverError */
  flush(): Promise<void> {
    this.#next ??= this.#behind(this.#going);
    return this.#next;
  }

  #behind(before: Promise<void>): Promise<void> {
    const flushed = before.then(async () => {
      this.#next = null;
      await this.#ask();
    });
    this.#going = flushed.catch(() => {});
    return flushed;
  }
}
