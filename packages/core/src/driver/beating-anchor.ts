import type { Anchor, SessionListener, WakeUpOptions, WorkerLines } from './anchor.js';
import { answerWithin } from './answer-within.js';
import { EndableWait } from './endable-wait.js';
import { Heartbeat } from './heartbeat.js';
import type { WakeUp } from './wake-up.js';
import { concerns, isHint } from './wake-up.js';
import { wakeUpsOf } from './wake-ups-of.js';

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
  receive(): Promise<readonly WakeUp[]>;
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
  readonly #wait = new EndableWait();
  #heartbeat: Heartbeat | undefined;
  #released = false;
  /** Whether a poll or a beat has failed since the last poll that was answered: the server was away, and its wake-ups may be gone. */
  #hasMissed = false;

  private constructor(pulse: Pulse) {
    this.#pulse = pulse;
  }

  /** @throws DriverError when the first beat fails. */
  static async open(pulse: Pulse, session?: SessionListener): Promise<BeatingAnchor> {
    const anchor = new BeatingAnchor(pulse);
    try {
      anchor.#heartbeat = await Heartbeat.start(
        (forMs, answerMs) => anchor.#answer(pulse.beat(forMs), answerMs),
        session,
      );
      // Subscribed from here on. If this poll fails, the first one of `wakeUps` makes up for it.
      await anchor.#look();
      return anchor;
    } catch (error) {
      await pulse.stop();
      throw error;
    }
  }

  get workerId(): string {
    return this.#pulse.workerId;
  }

  wakeUps(options: WakeUpOptions): AsyncGenerator<WakeUp> {
    const { queues, signal } = options;
    const { workerId } = this;
    const receive = async (leftMs: number, vain: number): Promise<readonly WakeUp[]> => {
      await this.#wait.pause(Math.min(LOOK_MS[Math.min(vain, LOOK_MS.length - 1)] ?? 0, leftMs));
      if (signal.aborted || this.#released) return [];
      const wanted = (await this.#look()).filter((each) => concerns(each, queues, workerId));
      return wanted.map((each) => (isHint(each) ? {} : each));
    };
    return wakeUpsOf({ workerId, wait: this.#wait, isReleased: () => this.#released, receive }, options);
  }

  report(lines: WorkerLines): Promise<void> {
    return this.#pulse.report(lines);
  }

  async release(): Promise<void> {
    if (this.#released) return;
    this.#released = true;
    this.#wait.end();
    await this.#heartbeat?.stop();
    await this.#pulse.stop();
  }

  /** The wake-ups since the last poll, of which a failed one has none. The first poll after a failure adds a hint to look. */
  async #look(): Promise<readonly WakeUp[]> {
    const had = this.#hasMissed;
    this.#hasMissed = false;
    try {
      const received = await this.#answer(this.#pulse.receive(), ANSWER_MS);
      return had ? [...received, {}] : received;
    } catch {
      return [];
    }
  }

  async #answer<Answer>(answer: Promise<Answer>, answerMs: number): Promise<Answer> {
    try {
      return await answerWithin(answerMs, answer);
    } catch (error) {
      this.#hasMissed = true;
      this.#pulse.drop();
      throw error;
    }
  }
}
