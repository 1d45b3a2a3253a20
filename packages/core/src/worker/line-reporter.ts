import type { Clock } from '../clock.js';
import type { Anchor } from '../driver/driver.js';
import type { Logger } from '../logger.js';

/** At most one write in this time, in milliseconds. The line is for people to look at. */
const EVERY_MS = 200;

/** Shows others how far the worker's sweeps have come. */
export class LineReporter {
  readonly #anchor: Pick<Anchor, 'report'>;
  readonly #clock: Clock;
  readonly #log: Logger;
  readonly #lines: Record<string, string | null> = Object.create(null);
  #cancelTimer: (() => void) | null = null;
  #reported = '{}';

  constructor(anchor: Pick<Anchor, 'report'>, clock: Clock, log: Logger) {
    this.#anchor = anchor;
    this.#clock = clock;
    this.#log = log;
  }

  /** The newest sweep of `queue` has come to this job; null: it is at rest. */
  move(queue: string, publicId: string | null): void {
    if (this.#lines[queue] === publicId) return;
    this.#lines[queue] = publicId;
    this.#cancelTimer ??= this.#clock.after(EVERY_MS, () => this.#write());
  }

  rest(): void {
    for (const queue of Object.keys(this.#lines)) this.move(queue, null);
  }

  stop(): void {
    this.#cancelTimer?.();
  }

  #write(): void {
    this.#cancelTimer = null;
    const lines = JSON.stringify(this.#lines);
    // A quick job has come and gone between two writes, and each would keep a commit of somebody else's waiting.
    if (lines === this.#reported) return;
    this.#reported = lines;
    this.#anchor.report({ ...this.#lines }).catch((error: unknown) => {
      this.#reported = '';
      this.#log.debug({ err: error }, 'the line was not reported');
    });
  }
}
