import type { Clock } from '../../clock.js';
import { GrowingDelay } from '../../job/growing-delay.js';
import type { Logger } from '../../logger.js';
import type { Alarm } from '../time/alarm.js';
import type { WorkerEmitter } from './events.js';

/** How long no fault must occur before the pauses are short again, in milliseconds. Longer than the longest pause. */
const OVER_MS = 3_000;

export interface FaultsParts {
  readonly clock: Clock;
  readonly log: Logger;
  readonly events: WorkerEmitter;
  /** Is set for the next try. */
  readonly alarm: Alarm;
  /** The worker's name. */
  readonly worker: string;
}

/** Faults while a worker looks for work. The look is tried again after a pause, which grows while the faults go on. */
export class Faults {
  readonly #parts: FaultsParts;
  readonly #pause = new GrowingDelay(50, 1_000);
  #last = Number.NEGATIVE_INFINITY;
  #told = '';
  #quietUntil = Number.NEGATIVE_INFINITY;

  constructor(parts: FaultsParts) {
    this.#parts = parts;
  }

  readonly meet = (error: unknown): void => {
    const { clock, log, events, alarm, worker } = this.#parts;
    const now = clock.now();
    if (now - this.#last > OVER_MS) this.#pause.reset();
    this.#last = now;
    const pauseMs = this.#pause.next();
    // Wake-ups are tried at once, and producers may send hundreds in a second.
    if (now >= this.#quietUntil || String(error) !== this.#told) {
      this.#told = String(error);
      this.#quietUntil = now + pauseMs;
      log.warn({ err: error, worker }, 'looking for work failed; trying again');
    }
    events.emit('fault', error);
    alarm.within(pauseMs);
  };
}
