import type { Clock } from '../../clock.js';
import { Alarm } from '../time/alarm.js';

/** A slot that has been looking for so long no longer keeps others from it, in milliseconds: its connection may be dead. */
const HANGS_MS = 50;

/** One of the places in which a worker looks for work and runs it, one run at a time. */
export interface Slot {
  /** A look begins. It answers every wake-up that came before. */
  look(): void;
  /** A run begins: where one job was, more may be. */
  work(): void;
  /** The look, and what it brought, is over. */
  rest(): void;
  /** The look, or what it brought, has failed: others are not to rely on it. There is another one after a pause. */
  fail(): void;
}

interface State {
  is: 'looking' | 'working' | 'resting';
  since: number;
  ended: Promise<void>;
}

export interface SlotsParts {
  readonly clock: Clock;
  readonly concurrency: number;
  /** Aborted when no further slot is to be opened. */
  readonly stopping: AbortSignal;
  /** What a slot does, until it has nothing more to do. Never rejects. */
  readonly serve: (slot: Slot) => Promise<void>;
  /** Called when no slot is open any more. */
  readonly idle: () => void;
}

/**
 * The slots of a worker: as many as there is work for. As many may look for work as are working, but one always: a single job
 * causes few looks, and a thousand of them soon have all slots. A wake-up that comes while enough are looking waits for one of
 * them: when its look is over, there is another one, by this slot or by the next that is opened.
 */
export class Slots {
  readonly #parts: SlotsParts;
  readonly #open = new Set<State>();
  /** Looks again for a wake-up that has waited for a slot which hangs. */
  readonly #alarm: Alarm;
  #woken = false;
  /** Whether something has failed since it last came from outside: a run that begins opens no further slot. */
  #isPaused = false;
  /** Whether a look has begun since the last wake-up came and the last run began, and has not failed. */
  #isAnswered = false;

  constructor(parts: SlotsParts) {
    this.#parts = parts;
    this.#alarm = new Alarm(parts.clock, () => this.#openSlots(1));
  }

  /** Whether a wake-up came that no look has answered yet. */
  get woken(): boolean {
    return this.#woken;
  }

  /** Whether a look has begun after all that is known to call for one, and does not hang: a slot that has worked need not look again. */
  get isAnswered(): boolean {
    const hangs = this.#parts.clock.now() - HANGS_MS;
    return this.#isAnswered && this.#looks().every(({ since }) => since > hangs);
  }

  /** Whether no slot looks or works. */
  get atRest(): boolean {
    return this.#count('looking') + this.#count('working') === 0;
  }

  /** Whether nobody looks, works, or asks what there is to wait for. */
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

  /** Resolves when what is going on in the slots is over. None may be opened meanwhile. */
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

  /** @param isBacklog A slot that was opened for a job's sake and finds another one opens two: they double. */
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
        // It would meet the same fault.
        if (this.#isPaused) return;
        // Where all slots work, each of them looks again by itself.
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
      // While all slots were open a wake-up may have come to one that had ended already.
      this.#openSlots(1);
      if (this.areAllClosed) idle();
    });
  }

  /** For how long, in milliseconds, those that are looking are enough. */
  #enoughForMs(): number {
    const hangs = this.#parts.clock.now() - HANGS_MS;
    const began = this.#looks().filter(({ since }) => since > hangs);
    if (began.length < Math.max(1, this.#count('working'))) return 0;
    return Math.min(...began.map(({ since }) => since)) - hangs;
  }

  #looks(): readonly State[] {
    return [...this.#open].filter(({ is }) => is === 'looking');
  }

  #count(wanted: State['is']): number {
    return [...this.#open].filter(({ is }) => is === wanted).length;
  }
}
