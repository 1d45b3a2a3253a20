import type { Anchor, SessionListener, WakeUpOptions, WorkerLines } from './anchor.js';
import { answerWithin } from './answer-within.js';
import { Heartbeat } from './heartbeat.js';
import type { WakeUp } from './wake-up.js';
import { concerns } from './wake-up.js';

/** Pauses between two polls for wake-ups, in milliseconds: short after a wake-up, longer when idle. The last repeats. */
const LOOK_MS = [5, 5, 10, 20, 50, 100, 250];

/** The timeout of a poll, in milliseconds. */
const ANSWER_MS = 2_000;

/** The driver's part of an anchor that has no session of its own. Each verb may fail, and is then repeated. */
export interface Pulse {
  readonly workerId: string;
  /** Writes that the worker is alive for `forMs` milliseconds from now, by the database's clock. */
  beat(forMs: number): Promise<void>;
  /** The wake-ups since the last call; none the first time. */
  hear(): Promise<readonly WakeUp[]>;
  report(lines: WorkerLines): Promise<void>;
  /** Drops a connection that may be dead. The next verb takes another one. */
  drop(): void;
  /** Writes that the worker has stopped, and ends the connection. */
  stop(): Promise<void>;
}

/**
 * An anchor where a session cannot be kept, for example behind a pooler that shares connections among clients. A
 * heartbeat in the worker's row proves the worker alive, and wake-ups are polled.
 */
export class BeatingAnchor implements Anchor {
  readonly proof = 'heartbeat';
  readonly pushed = false;
  readonly #pulse: Pulse;
  readonly #heartbeat: Heartbeat;
  #released = false;
  #endPause: () => void = () => {};

  private constructor(pulse: Pulse, heartbeat: Heartbeat) {
    this.#pulse = pulse;
    this.#heartbeat = heartbeat;
  }

  /** @throws DriverError when the first beat fails. */
  static async open(pulse: Pulse, session?: SessionListener): Promise<BeatingAnchor> {
    try {
      const beat = (forMs: number, answerMs: number): Promise<void> =>
        ask(pulse, pulse.beat(forMs), answerMs);
      const heartbeat = await Heartbeat.start(beat, session);
      // Subscribed from here on. If this poll fails, the first one of `wakeUps` makes up for it.
      await look(pulse);
      return new BeatingAnchor(pulse, heartbeat);
    } catch (error) {
      await pulse.stop();
      throw error;
    }
  }

  get workerId(): string {
    return this.#pulse.workerId;
  }

  async *wakeUps({ queues, everyMs, signal }: WakeUpOptions): AsyncGenerator<WakeUp> {
    const stop = (): void => this.#endPause();
    const isOver = (): boolean => signal.aborted || this.#released;
    signal.addEventListener('abort', stop);
    try {
      yield {};
      let due = performance.now() + everyMs;
      let hasMissed = false;
      for (let looks = 0; !isOver(); looks++) {
        const pauseMs = LOOK_MS[Math.min(looks, LOOK_MS.length - 1)] ?? 0;
        await this.#pause(Math.min(pauseMs, due - performance.now()));
        if (isOver()) return;
        const heard = await look(this.#pulse);
        if (isOver()) return;
        // Polls have failed before this one, and wake-ups may have been deleted meanwhile: look for work.
        const wanted = heard?.filter((each) => concerns(each, queues, this.workerId)) ?? [];
        if (heard !== undefined && hasMissed) wanted.push({});
        hasMissed = heard === undefined;
        const isDue = performance.now() >= due;
        if (wanted.length === 0 && !isDue) continue;
        looks = 0;
        for (const wakeUp of wanted) if ((wakeUp.cancel ?? wakeUp.schedule) !== undefined) yield wakeUp;
        if (isDue || wanted.some(({ cancel, schedule }) => (cancel ?? schedule) === undefined)) yield {};
        due = performance.now() + everyMs;
      }
    } finally {
      signal.removeEventListener('abort', stop);
    }
  }

  report(lines: WorkerLines): Promise<void> {
    return this.#pulse.report(lines);
  }

  async release(): Promise<void> {
    if (this.#released) return;
    this.#released = true;
    this.#endPause();
    await this.#heartbeat.stop();
    await this.#pulse.stop();
  }

  #pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, Math.max(0, ms));
      this.#endPause = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}

/** The wake-ups since the last poll, or undefined if the poll failed. */
function look(pulse: Pulse): Promise<readonly WakeUp[] | undefined> {
  return ask(pulse, pulse.hear(), ANSWER_MS).catch(() => undefined);
}

async function ask<Answer>(pulse: Pulse, answer: Promise<Answer>, answerMs: number): Promise<Answer> {
  try {
    return await answerWithin(answerMs, answer);
  } catch (error) {
    pulse.drop();
    throw error;
  }
}
