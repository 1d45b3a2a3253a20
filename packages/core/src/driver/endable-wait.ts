import { LONGEST_TIMER_MS } from '../clock.js';

/** A wait, one at a time, that this process can end early. */
export class EndableWait {
  #end: () => void = () => {};

  end(): void {
    this.#end();
  }

  /** Resolves after `ms` milliseconds, or at `end`. */
  pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, Math.min(Math.max(0, ms), LONGEST_TIMER_MS));
      this.#end = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}
