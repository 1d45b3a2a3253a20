import { isDriverError } from '../../driver/driver-error.js';
import { GrowingDelay } from '../../job/growing-delay.js';
import type { PartContext } from '../part.js';
import type { DueQueues } from './due-queues.js';
import { longestPauseMs, type ScanPosition } from './scan-position.js';
import type { Slot, Slots } from './slots.js';
import type { Surveyor } from './surveyor.js';
import { Sweep } from './sweep.js';
import type { SweepSource } from './sweep-source.js';

export interface RoundsParts extends Pick<PartContext, 'clock' | 'stopping' | 'alarm' | 'onFault'> {
  /**
   * Passes through a queue.
   *
   * @param claimed Is called when a run is about to begin
   */
  readonly sweep: (pass: Sweep, claimed: () => void) => Promise<void>;
  readonly positions: ReadonlyMap<string, ScanPosition>;
  readonly dueQueues: Pick<DueQueues, 'round' | 'leftMs'>;
  readonly sources: readonly SweepSource[];
  readonly slots: Pick<Slots, 'woken' | 'atRest'>;
  readonly surveyor: Surveyor;
  /** Called when a round has ended without a fault. */
  readonly answered: () => void;
}

interface Round {
  readonly sweeps: readonly Sweep[];
  /** Whether it has come to all jobs, unless it has ended early. */
  readonly isWhole: boolean;
  /** How many rounds had begun with it. */
  readonly place: number;
}

/** The work of a slot: rounds through all queues, until the slot can do nothing more. */
export class Rounds {
  readonly #parts: RoundsParts;
  readonly #skipPause = new GrowingDelay(10, 500);
  #first = '';
  #begun = 0;
  /** A round that begins after this many others is to come to all jobs. Null when one has. */
  #wholeAfter: number | null = 0;

  constructor(parts: RoundsParts) {
    this.#parts = parts;
  }

  beginAt(queue: string): void {
    this.#first = queue;
  }

  /** Whether another look at all jobs is to come, after a pause between two looks back or after a fault. */
  get mustLookAgain(): boolean {
    return this.#wholeAfter !== null;
  }

  /** Never rejects. */
  async serve(slot: Slot): Promise<void> {
    const { alarm, surveyor, stopping, onFault } = this.#parts;
    const claimed = (): void => {
      slot.work();
      surveyor.watch.start();
    };
    try {
      let round: Round;
      do {
        slot.look();
        const place = ++this.#begun;
        round = { ...(await this.#round(claimed)), place };
        this.#parts.answered();
        slot.rest();
      } while (!stopping.aborted && (await this.#isMore(round)));
      // Two workers that hold a job each of one key refuse each other: both come back, at different times.
      if (round.sweeps.some(({ skipped }) => skipped)) alarm.within(this.#skipPause.next());
    } catch (error) {
      this.#wholeAfter = this.#begun;
      slot.fail();
      onFault(error);
    } finally {
      slot.rest();
      surveyor.watch.stop();
    }
  }

  /**
   * Sweeps each queue that may have a due job. A fault in one of them does not keep the slot from the others, unless there
   * is no connection.
   */
  async #round(claimed: () => void): Promise<Omit<Round, 'place'>> {
    const { clock, dueQueues, sources } = this.#parts;
    const sweeps: Sweep[] = [];
    const errors: unknown[] = [];
    const due = dueQueues.round(this.#first);
    for (const [queue, position] of this.#queues()) {
      if (isWithoutConnection(errors.at(-1))) {
        // Claims in the queue before may always take too long.
        this.#first = queue;
        break;
      }
      try {
        if (due !== null && !(await due.includes(queue))) continue;
        const pass = await this.#sweep(new Sweep({ queue }, position, clock.now()), claimed);
        sweeps.push(pass);
        if (pass.end === 'early') break;
      } catch (error) {
        errors.push(error);
      }
    }
    const isWhole = due?.isWhole !== false && sweeps.every(({ looksBack }) => looksBack);
    for (const source of sources) {
      if (!source.isExpected || isWithoutConnection(errors.at(-1))) continue;
      await source.round((pass) => this.#sweep(pass, claimed), sweeps).catch((error) => errors.push(error));
    }
    if (errors.length === 0) return { sweeps, isWhole };
    const last = errors.pop();
    for (const error of errors) this.#parts.onFault(error);
    // A survey may make jobs of the other queues due.
    if (sweeps.length > 0) this.#parts.surveyor.soon();
    throw last;
  }

  async #sweep(pass: Sweep, claimed: () => void): Promise<Sweep> {
    const { clock, sweep } = this.#parts;
    try {
      await sweep(pass, claimed);
      return pass;
    } finally {
      pass.close(clock.now());
    }
  }

  #queues(): readonly (readonly [string, ScanPosition])[] {
    const all = [...this.#parts.positions];
    const first = all.findIndex(([queue]) => queue === this.#first);
    this.#first = '';
    return first === -1 ? all : [...all.slice(first), ...all.slice(0, first)];
  }

  /** Whether the slot makes another round. The last slot that goes to rest makes the survey. */
  async #isMore({ sweeps, isWhole, place }: Round): Promise<boolean> {
    const { clock, positions, dueQueues, slots, surveyor, alarm } = this.#parts;
    const worked = sweeps.some((pass) => pass.worked);
    if (worked) this.#skipPause.reset();
    if (slots.woken || sweeps.some((pass) => pass.end === 'timed out' && !pass.worked)) {
      surveyor.soon();
      return true;
    }
    const isEarly = sweeps.some(({ end }) => end === 'early');
    if (!isEarly && !isWhole) {
      this.#wholeAfter = this.#begun;
      const now = clock.now();
      alarm.within(Math.max(longestPauseMs(positions, now), dueQueues.leftMs(now)));
      await surveyor.between();
      return worked;
    }
    if (!isEarly && this.#wholeAfter !== null && place > this.#wholeAfter) this.#wholeAfter = null;
    // Ids become visible behind the line.
    const looksAgain = worked && !isEarly;
    if (!slots.atRest || (surveyor.isRecent && (!looksAgain || surveyor.isSlow))) {
      surveyor.soon(worked);
      return looksAgain;
    }
    // A slot that has begun to look meanwhile also finds the jobs of the survey.
    return (await surveyor.now()) && worked && slots.atRest;
  }
}

/** The claims in other queues would meet the same, and each may wait long for it. */
function isWithoutConnection(error: unknown): boolean {
  return isDriverError(error, 'ConnectionLost') || isDriverError(error, 'OutOfResources');
}
