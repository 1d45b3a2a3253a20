/** A wait, one at a time, that this process can end early. */
export class EndableWait {
  #end: () => void = () => {};

  end(): void {
    this.#end();
  }

  /** Resolves after `ms` milliseconds, or at `end`. */
  pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ms);
      this.#end = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  /** Resolves at `end`. */
  ended(): Promise<void> {
    return new Promise((resolve) => {
      this.#end = resolve;
    });
  }
}
