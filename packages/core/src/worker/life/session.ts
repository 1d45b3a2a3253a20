import type { Clock } from '../../clock.js';
import type { SessionListener } from '../../driver/anchor.js';
import { ClaimLostError } from '../../errors.js';
import type { LiveRun } from '../run/live-run.js';

/**
 * How long a lease is kept without the worker's session, in milliseconds. Shorter than the time after which others
 * count the worker as dead: a key never has two runs.
 */
const SESSION_MS = 800;

/** Whether a worker has its session. Without a session for too long, the worker stops its leased runs. */
export class Session implements SessionListener {
  readonly #clock: Clock;
  readonly #live: ReadonlySet<LiveRun>;
  #isOpen = true;
  #hasEnded = false;
  #cancelTimer: (() => void) | null = null;

  constructor(clock: Clock, live: ReadonlySet<LiveRun>) {
    this.#clock = clock;
    this.#live = live;
  }

  get isOpen(): boolean {
    return this.#isOpen;
  }

  lost(agoMs = 0): void {
    if (this.#hasEnded) return;
    this.#isOpen = false;
    // This process was blocked for so long that another worker may have put the leases back: stop at once.
    if (agoMs >= SESSION_MS) this.#giveUp();
    else this.#cancelTimer ??= this.#clock.after(SESSION_MS - agoMs, () => this.#giveUp());
  }

  back(): void {
    this.#isOpen = true;
    this.#stopTimer();
  }

  /** The session is no longer in use: the worker has another one, or none. */
  end(): void {
    this.#hasEnded = true;
    this.#stopTimer();
  }

  #giveUp(): void {
    for (const run of this.#live) if (run.leased) run.stop(new ClaimLostError(run.runId));
  }

  #stopTimer(): void {
    this.#cancelTimer?.();
    this.#cancelTimer = null;
  }
}
