import type { CaptureStore, CheckedCapture } from '../driver/capture-store.js';
import type { Part, PartContext } from '../worker/part.js';
import { Alarm } from '../worker/time/alarm.js';
import type { Capture } from './capture.js';

/** How often a worker looks, in milliseconds. */
const EVERY_MS = 60_000;

/** How often the same problems are reported at most, and how long a capture without changes is not checked, in milliseconds. */
const AGAIN_MS = 3_600_000;

export interface UncapturedParts
  extends Pick<PartContext, 'clock' | 'log' | 'events' | 'worker' | 'kinds' | 'stopping'> {
  readonly driver: { readonly captures?: Pick<CaptureStore, 'check' | 'states'> };
  readonly captures: readonly Checked[];
}

type Checked = Pick<Capture, 'name' | 'plan'>;

/** What was found of a capture, and in which state. */
interface Seen {
  readonly state: string;
  readonly found: CheckedCapture;
  readonly at: number;
}

/** Warns of captures whose triggers are not as they should be. A worker looks at those whose kinds it serves. */
export class Uncaptured implements Part {
  readonly #parts: UncapturedParts;
  readonly #served: UncapturedParts['captures'];
  readonly #alarm: Alarm;
  /** By name, what was told of a capture, and when. */
  readonly #told = new Map<string, { readonly problems: string; readonly at: number }>();
  /** By name. A check takes many statements. */
  readonly #seen = new Map<string, Seen>();
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
    const { log, stopping, driver } = this.#parts;
    const plans = this.#served.map(({ plan }) => plan);
    const states = await driver.captures?.states(plans).catch((error: unknown) => {
      log.debug({ err: error }, 'the look at the state of captures failed');
    });
    for (const [place, capture] of this.#served.entries()) {
      if (stopping.aborted) return;
      await this.#lookAt(capture, states?.[place]).catch((error: unknown) => {
        log.debug({ err: error, capture: capture.name }, 'the look at the triggers of a capture failed');
      });
    }
    if (!stopping.aborted) this.#alarm.within(EVERY_MS);
  }

  async #check({ name, plan }: Checked, state: string | undefined): Promise<CheckedCapture | undefined> {
    const { driver, clock } = this.#parts;
    const seen = this.#seen.get(name);
    const now = clock.now();
    if (seen !== undefined && seen.state === state && now < seen.at + AGAIN_MS) return seen.found;
    const found = await driver.captures?.check(plan);
    if (found !== undefined && state !== undefined) this.#seen.set(name, { state, found, at: now });
    return found;
  }

  async #lookAt(capture: Checked, state: string | undefined): Promise<void> {
    const { clock, log, events, worker } = this.#parts;
    const { name } = capture;
    const found = await this.#check(capture, state);
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
