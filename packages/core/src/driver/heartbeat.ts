import type { SessionListener } from './anchor.js';
import { EndableWait } from './endable-wait.js';

/** How often a heartbeat is renewed, in milliseconds. */
const BEAT_MS = 1_000;

/**
 * How long a beat proves the worker alive, in milliseconds. Others put its leases back a second after that. The worker
 * stops its own runs before that. A process that is blocked for `LASTS_MS - BEAT_MS` keeps its leases.
 */
const LASTS_MS = 4_000;

/** The timeout of a beat, in milliseconds. Two beats may fail before the worker loses anything. */
const ANSWER_MS = 1_200;

/** The timeout of the first beat, in milliseconds. It may wait for a connection as long as other verbs may. */
const FIRST_ANSWER_MS = 10_000;

/** The pause after a beat that failed, in milliseconds. */
const AGAIN_MS = 100;

/** Writes that the worker is alive for `forMs` milliseconds from now, by the database's clock, or fails after `answerMs`. */
export type Beat = (forMs: number, answerMs: number) => Promise<void>;

/** The substitute for a session that keeps a lock: a time in the worker's row, which each beat moves on. */
export class Heartbeat {
  readonly #beat: Beat;
  readonly #session: SessionListener | undefined;
  /**
   * Until when the last beat proves the worker alive, by this process's clock. Counted from the beat's start, so
   * earlier than on the server.
   */
  #until: number;
  #isLost = false;
  #isStopped = false;
  #endTimer: NodeJS.Timeout | undefined;
  readonly #wait = new EndableWait();
  readonly #beating: Promise<void>;

  private constructor(beat: Beat, session: SessionListener | undefined, until: number) {
    this.#beat = beat;
    this.#session = session;
    this.#until = until;
    this.#renew(until);
    this.#beating = this.#goOn();
  }

  /** Beats once, and then by itself until it is stopped. */
  static async start(beat: Beat, session?: SessionListener): Promise<Heartbeat> {
    const began = performance.now();
    await beat(LASTS_MS, FIRST_ANSWER_MS);
    return new Heartbeat(beat, session, began + LASTS_MS);
  }

  /** Resolves when no beat is on its way any more. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    clearTimeout(this.#endTimer);
    this.#wait.end();
    await this.#beating;
  }

  async #goOn(): Promise<void> {
    for (let pauseMs = BEAT_MS; ; ) {
      await this.#wait.pause(pauseMs);
      if (this.#isStopped) return;
      const began = performance.now();
      // A process that was blocked may come here before the timer.
      if (began >= this.#until) this.#lose();
      try {
        await this.#beat(LASTS_MS, ANSWER_MS);
        if (this.#isStopped) return;
        this.#renew(began + LASTS_MS);
        pauseMs = BEAT_MS;
      } catch {
        pauseMs = AGAIN_MS;
      }
    }
  }

  #renew(until: number): void {
    this.#until = until;
    clearTimeout(this.#endTimer);
    const leftMs = until - performance.now();
    // The answer came too late: other workers may have counted this one as dead.
    if (leftMs <= 0) this.#lose();
    else {
      this.#endTimer = setTimeout(() => this.#lose(), leftMs);
      if (this.#isLost) this.#session?.back();
      this.#isLost = false;
    }
  }

  #lose(): void {
    if (this.#isLost) return;
    this.#isLost = true;
    clearTimeout(this.#endTimer);
    this.#session?.lost(performance.now() - this.#until);
  }
}
