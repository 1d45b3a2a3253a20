import { setImmediate } from 'node:timers/promises';

/** The calls through a run's transaction that have begun and not ended. */
export class OpenCalls {
  readonly #open = new Set<Promise<unknown>>();

  get isEmpty(): boolean {
    return this.#open.size === 0;
  }

  add<Answer>(call: Promise<Answer>): Promise<Answer> {
    const end = (): void => void this.#open.delete(call);
    this.#open.add(call);
    call.then(end, end);
    return call;
  }

  /** Resolves when every call has ended, with the calls that code makes right after an answer. */
  async rest(): Promise<void> {
    while (!this.isEmpty) {
      await Promise.allSettled(this.#open);
      await setImmediate();
    }
  }
}
