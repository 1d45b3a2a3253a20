import { HANGS_MS } from '../../hangs.js';
import type { PartContext } from '../part.js';
import { Alarm } from '../time/alarm.js';

/** One of the places in which a worker looks for work and runs it, one run at a time. */
export interface Slot {
  /** A look begins, and answers every wake-up that came before. */
  look(): void;
  /** A run begins: where one job was, more may be. */
  work(): void;
  /** The look, and the run that it led to, is over. */
  rest(): void;
  /** The look, or the run that it led to, has failed. Another look follows after a pause. */
  fail(): void;
}

interface State {
  is: 'looking' | 'working' | 'resting';
  since: number;
  ended: Promise<void>;
}

export interface SlotsParts extends Pick<PartContext, 'clock' | 'stopping'> {
  readonly concurrency: number;
  /** The work of a slot, until there is nothing more to do. Never rejects. */
  readonly serve: (slot: Slot) => Promise<void>;
  readonly idle: () => void;
}

/**
 * The slots of a worker: as many are open as there is work for. As many may look for work as are working, and one always.
 * So a single job causes few looks, and a thousand jobs soon have all slots.
 *
 * A wake-up that comes while enough slots look waits until one of these looks is over. Then another look begins.
 */
export class Slots {
  readonly #parts: SlotsParts;
  readonly #open = new Set<State>();
  /** Opens a slot for a wake-up that waits for a look which hangs. */
  readonly #alarm: Alarm;
  #woken = false;
  /** Whether something has failed since the last wake-up. A run that begins opens no further slot then. */
  #isPaused = false;
  /** Whether a look that has not failed began after the last wake-up and after the last run began. */
  #isAnswered = false;

  constructor(parts: SlotsParts) {
    this.#parts = parts;
    this.#alarm = new Alarm(parts.clock, () => this.#openSlots(1));
  }

  /** Whether a wake-up came after the last look began. */
  get woken(): boolean {
    return this.#woken;
  }

  /**
   * Whether a look that does not hang began after the last call for one. A slot that has worked need not look again
   * then.
   */
  get isAnswered(): boolean {
    return this.#isAnswered && this.#looks().every(({ since }) => since > this.#hangsSince());
  }

  /** Whether no slot looks or works. */
  get atRest(): boolean {
    return this.#count('resting') === this.#open.size;
  }

  /** Whether no slot looks, works or waits for a survey. */
  get areAllClosed(): boolean {
    return this.#open.size === 0;
  }

  /** Whether a wake-up can open no further slot. */
  get areAllOpen(): boolean {
    return this.#open.size === this.#parts.concurrency;
  }

  wake(): void {
    this.#woken = true;
    this.#isPaused = false;
    this.#isAnswered = false;
    this.#openSlots(1);
  }

  /** Resolves when all slots are closed. None may be opened meanwhile. */
  async stop(): Promise<void> {
    this.#alarm.stop();
    await Promise.all([...this.#open].map(({ ended }) => ended));
  }

  #openSlots(most: number, isBacklog = false): void {
    const { concurrency, stopping } = this.#parts;
    if (!this.#woken || stopping.aborted) return;
    for (let left = most; left > 0 && this.#open.size < concurrency; left--) {
      const enoughForMs = this.#enoughForMs();
      if (enoughForMs > 0) {
        this.#alarm.within(enoughForMs);
        return;
      }
      this.#openSlot(isBacklog);
    }
  }

  /** @param isBacklog Whether it is opened as a job was found. If it finds another one, it opens two: slots double. */
  #openSlot(isBacklog: boolean): void {
    const { clock, concurrency, serve, idle } = this.#parts;
    const state: State = { is: 'resting', since: 0, ended: Promise.resolve() };
    this.#open.add(state);
    state.ended = serve({
      look: () => {
        this.#woken = false;
        this.#isAnswered = true;
        state.is = 'looking';
        state.since = clock.now();
      },
      work: () => {
        state.is = 'working';
        this.#isAnswered = false;
        // Another slot would meet the same fault.
        if (this.#isPaused) return;
        // If all slots work, each of them looks again by itself.
        if (this.#count('working') < concurrency) this.#woken = true;
        this.#openSlots(isBacklog ? 2 : 1, true);
      },
      rest: () => {
        state.is = 'resting';
      },
      fail: () => {
        this.#isAnswered = false;
        this.#isPaused = true;
      },
    }).then(() => {
      this.#open.delete(state);
      // While all slots were open, a wake-up may have come that none of them has seen.
      this.#openSlots(1);
      if (this.areAllClosed) idle();
    });
  }

  /** For how long enough slots look, in milliseconds; 0 when another one may. */
  #enoughForMs(): number {
    const began = this.#looks().filter(({ since }) => since > this.#hangsSince());
    if (began.length < Math.max(1, this.#count('working'))) return 0;
    return Math.min(...began.map(({ since }) => since)) - this.#hangsSince();
  }

  /** A look that began then or earlier hangs. */
  #hangsSince(): number {
    return this.#parts.clock.now() - HANGS_MS.look;
  }

  #looks(): readonly State[] {
    return [...this.#open].filter(({ is }) => is === 'looking');
  }

  #count(wanted: State['is']): number {
    return [...this.#open].filter(({ is }) => is === wanted).length;
  }
}
