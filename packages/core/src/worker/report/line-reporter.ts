import type { Anchor } from '../../driver/anchor.js';
import type { Job } from '../../job/job.js';
import type { Logger } from '../../logger.js';
import type { Part, PartContext } from '../part.js';
import { Throttle } from '../time/throttle.js';

/** The least time between two writes, in milliseconds. The line is for people to look at. */
const EVERY_MS = 200;

export interface LineReporterParts extends Pick<PartContext, 'clock' | 'log'> {
  readonly anchor: Pick<Anchor, 'report'>;
}

/** Shows others how far the worker's sweeps have come. */
export class LineReporter implements Part {
  readonly #anchor: Pick<Anchor, 'report'>;
  readonly #log: Logger;
  readonly #lines: Record<string, string | null> = Object.create(null);
  readonly #throttle: Throttle<Readonly<Record<string, string | null>>>;
  #reported = '{}';

  constructor({ anchor, clock, log }: LineReporterParts) {
    this.#anchor = anchor;
    this.#log = log;
    this.#throttle = new Throttle(clock, EVERY_MS, (lines) => this.#write(lines));
  }

  reached({ queue, publicId }: Job): void {
    this.#move(queue, publicId);
  }

  idle(): void {
    for (const queue of Object.keys(this.#lines)) this.#move(queue, null);
  }

  async stop(): Promise<void> {
    void this.#throttle.stop();
  }

  /** The newest sweep of `queue` has come to this job. Null: it is idle. */
  #move(queue: string, publicId: string | null): void {
    if (this.#lines[queue] === publicId) return;
    this.#lines[queue] = publicId;
    this.#throttle.put(this.#lines);
  }

  async #write(lines: Readonly<Record<string, string | null>>): Promise<void> {
    const reported = JSON.stringify(lines);
    // A quick job that came and went between two writes needs none: each write delays the commits of other
    // transactions.
    if (reported === this.#reported) return;
    this.#reported = reported;
    try {
      await this.#anchor.report({ ...lines });
    } catch (error) {
      this.#reported = '';
      this.#log.debug({ err: error }, 'the line was not reported');
    }
  }
}
