import type { CaptureStore } from '../driver/capture-store.js';
import type { Part, PartContext } from '../worker/part.js';
import { Alarm } from '../worker/time/alarm.js';
import type { Capture } from './capture.js';

/** How often a worker looks, in milliseconds. */
const EVERY_MS = 60_000;

/** How often the same problems are told of at most, in milliseconds. */
const AGAIN_MS = 3_600_000;

export interface UncapturedParts
  extends Pick<PartContext, 'clock' | 'log' | 'events' | 'worker' | 'kinds' | 'stopping'> {
  readonly driver: { readonly captures?: Pick<CaptureStore, 'check'> };
  readonly captures: readonly Pick<Capture, 'name' | 'plan'>[];
}

/** Warns of captures whose triggers are not as they should be. A worker looks at those whose kinds it serves. */
export class Uncaptured implements Part {
  readonly #parts: UncapturedParts;
  readonly #served: UncapturedParts['captures'];
  readonly #alarm: Alarm;
  /** By name, what was told of a capture, and when. */
  readonly #told = new Map<string, { readonly problems: string; readonly at: number }>();
  #look: Promise<void> = Promise.resolve();

  constructor(parts: UncapturedParts) {
    this.#parts = parts;
    this.#served = parts.captures.filter(({ plan }) => parts.kinds.includes(plan.job.kind));
    this.#alarm = new Alarm(parts.clock, () => {
      this.#look = this.#lookAtAll();
    });
  }

  /** The first look comes later: a program may be about to apply its captures. */
  start(): void {
    if (this.#served.length > 0 && this.#parts.driver.captures !== undefined) this.#alarm.within(EVERY_MS);
  }

  async stop(): Promise<void> {
    this.#alarm.stop();
    await this.#look;
  }

  /** One after the other, so that a look takes one connection. */
  async #lookAtAll(): Promise<void> {
    const { log, stopping } = this.#parts;
    for (const capture of this.#served) {
      if (stopping.aborted) return;
      await this.#lookAt(capture).catch((error: unknown) => {
        log.debug({ err: error, capture: capture.name }, 'the look at the triggers of a capture failed');
      });
    }
    if (!stopping.aborted) this.#alarm.within(EVERY_MS);
  }

  async #lookAt({ name, plan }: Pick<Capture, 'name' | 'plan'>): Promise<void> {
    const { driver, clock, log, events, worker } = this.#parts;
    const found = await driver.captures?.check(plan);
    if (found === undefined || found.problems.length === 0) {
      this.#told.delete(name);
      return;
    }
    const problems = found.problems.map(({ message }) => message);
    const told = this.#told.get(name);
    const now = clock.now();
    if (told?.problems === problems.join() && now < told.at + AGAIN_MS) return;
    this.#told.set(name, { problems: problems.join(), at: now });
    log.warn(
      { capture: name, problems, worker },
      'changes of a captured table may not become jobs: call captures.apply()',
    );
    events.emit('uncaptured', { name, ...found });
  }
}
