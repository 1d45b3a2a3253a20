import { isDriverError } from '../../driver/driver-error.js';
import { Pause } from '../../job/pause.js';
import type { Flow } from '../flow/context.js';
import { sweep } from '../flow/turn.js';
import type { Alarm } from '../time/alarm.js';
import { longestRestMs, type ScanPosition } from './scan-position.js';
import type { Slot, Slots } from './slots.js';
import type { Surveyor } from './surveyor.js';
import { Sweep } from './sweep.js';

export interface RoundsParts<Tx> {
  readonly flow: Omit<Flow<Tx>, 'claimed'>;
  /** By queue. */
  readonly low: ReadonlyMap<string, ScanPosition>;
  readonly slots: Pick<Slots, 'woken' | 'atRest'>;
  readonly surveyor: Surveyor;
  readonly alarm: Alarm;
  readonly onFault: (error: unknown) => void;
}

/** What a slot does: rounds through all queues, again and again until there is nothing that it could do. */
export class Rounds<Tx> {
  readonly #parts: RoundsParts<Tx>;
  readonly #skipPause = new Pause(10, 500);
  /** Where the next round begins. */
  #first = '';
  /** How many rounds have begun. */
  #begun = 0;
  /** The last round that had begun when one was over that had not looked at all jobs: one that begins later is to do so. */
  #owedAfter = 0;
  /** The last round that has. */
  #whole = 0;

  constructor(parts: RoundsParts<Tx>) {
    this.#parts = parts;
  }

  /** The next round is to look there first, for this queue was called. */
  beginAt(queue: string): void {
    this.#first = queue;
  }

  /** Whether there is still to be a look at all jobs, when looking back has rested or what has failed is tried again. */
  get owesLook(): boolean {
    return this.#whole <= this.#owedAfter;
  }

  /** Never rejects. */
  async serve(slot: Slot): Promise<void> {
    const { alarm, surveyor, onFault } = this.#parts;
    const claimed = (): void => {
      slot.work();
      surveyor.watch();
    };
    const flow: Flow<Tx> = { ...this.#parts.flow, claimed };
    try {
      let passes: readonly Sweep[];
      let round: number;
      do {
        slot.look();
        round = ++this.#begun;
        passes = await this.#round(flow);
        slot.rest();
      } while (!flow.stopping.aborted && (await this.#isMore(passes, round)));
      // Two workers that hold a job each of one key refuse each other: both come back, at different times.
      if (passes.some(({ skipped }) => skipped)) alarm.within(this.#skipPause.next());
    } catch (error) {
      this.#owedAfter = this.#begun;
      slot.fail();
      onFault(error);
    } finally {
      slot.rest();
      surveyor.unwatch();
    }
  }

  /** @throws what went wrong last, when the other queues have been looked at, unless it is the connection */
  async #round(flow: Flow<Tx>): Promise<readonly Sweep[]> {
    const passes: Sweep[] = [];
    const errors: unknown[] = [];
    let isLost = false;
    for (const [queue, low] of this.#queues()) {
      if (isLost) {
        // A claim in that queue may always take too long.
        this.#first = queue;
        break;
      }
      const pass = new Sweep(queue, low, flow.clock.now());
      try {
        await sweep(flow, pass);
        passes.push(pass);
        if (pass.isAnswered) break;
      } catch (error) {
        errors.push(error);
        isLost = isDriverError(error, 'ConnectionLost');
      } finally {
        pass.end(flow.clock.now());
      }
    }
    const last = errors.pop();
    if (last === undefined) return passes;
    for (const error of errors) this.#parts.onFault(error);
    // In the others there may be what a survey brings about.
    if (passes.length > 0) this.#parts.surveyor.soon();
    throw last;
  }

  /** All of them, once: from the one on that is to be the first. */
  #queues(): readonly (readonly [string, ScanPosition])[] {
    const all = [...this.#parts.low];
    const place = Math.max(
      0,
      all.findIndex(([queue]) => queue === this.#first),
    );
    this.#first = '';
    return [...all.slice(place), ...all.slice(0, place)];
  }

  /** Whether there is to be another round. The last slot that goes to rest asks what there is to wait for. */
  async #isMore(passes: readonly Sweep[], round: number): Promise<boolean> {
    const { flow, low, slots, surveyor, alarm } = this.#parts;
    const worked = passes.some((pass) => pass.worked);
    if (worked) this.#skipPause.reset();
    if (slots.woken || passes.some(({ isUnfinished }) => isUnfinished)) {
      surveyor.soon();
      return true;
    }
    const isAnswered = passes.some((pass) => pass.isAnswered);
    if (!isAnswered && !passes.every(({ isWhole }) => isWhole)) {
      this.#owedAfter = this.#begun;
      alarm.within(longestRestMs(low, flow.clock.now()));
      await surveyor.meanwhile();
      return worked;
    }
    if (!isAnswered) this.#whole = Math.max(this.#whole, round);
    const mayWait = isAnswered || !worked;
    if (!slots.atRest || (surveyor.isRecent && (mayWait || surveyor.isSlow))) {
      surveyor.soon(worked);
      // Ids become visible behind the line.
      return !mayWait;
    }
    // What is waiting is also found by whoever has begun to look meanwhile.
    return (await surveyor.now()) && worked && slots.atRest;
  }
}
