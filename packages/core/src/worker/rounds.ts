import { isDriverError } from '../driver/driver-error.js';
import type { Alarm } from './alarm.js';
import { type Flow, sweep } from './flow.js';
import { type LowWater, longestRestMs } from './low-water.js';
import { Pause } from './pause.js';
import type { Slot, Slots } from './slots.js';
import type { Surveyor } from './surveyor.js';
import { Sweep } from './sweep.js';

export interface RoundsParts<Tx> {
  readonly flow: Omit<Flow<Tx>, 'claimed'>;
  /** By queue. */
  readonly low: ReadonlyMap<string, LowWater>;
  readonly slots: Pick<Slots, 'woken' | 'atRest'>;
  readonly surveyor: Surveyor;
  readonly alarm: Alarm;
  /** Called when a round has found nothing wrong. */
  readonly onDone: () => void;
  readonly onFault: (error: unknown) => void;
}

/** What a slot does: rounds through all queues, again and again until there is nothing that it could do. */
export class Rounds<Tx> {
  readonly #parts: RoundsParts<Tx>;
  readonly #skipPause = new Pause(10, 500);

  constructor(parts: RoundsParts<Tx>) {
    this.#parts = parts;
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
      do {
        slot.look();
        passes = await this.#round(flow);
        slot.rest();
      } while (!flow.stopping.aborted && (await this.#isMore(passes)));
      // Two workers that hold a job each of one key refuse each other: both come back, at different times.
      if (passes.some(({ skipped }) => skipped)) alarm.within(this.#skipPause.next());
    } catch (error) {
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
    for (const [queue, low] of this.#parts.low) {
      const pass = new Sweep(queue, low, flow.clock.now());
      passes.push(pass);
      try {
        await sweep(flow, pass);
      } catch (error) {
        errors.push(error);
        if (isDriverError(error, 'ConnectionLost')) break;
      } finally {
        pass.end();
      }
    }
    const last = errors.pop();
    if (last === undefined) return passes;
    for (const error of errors) this.#parts.onFault(error);
    // In the other queues there may be what a survey brings about.
    if (!isDriverError(last, 'ConnectionLost')) this.#parts.surveyor.soon();
    throw last;
  }

  /** Whether there is to be another round. The last slot that goes to rest asks what there is to wait for. */
  async #isMore(passes: readonly Sweep[]): Promise<boolean> {
    const { flow, low, slots, surveyor, alarm, onDone } = this.#parts;
    const worked = passes.some((pass) => pass.worked);
    if (worked) this.#skipPause.reset();
    if (slots.woken || passes.some(({ isUnfinished }) => isUnfinished)) {
      surveyor.soon();
      return true;
    }
    // Nobody is idle who has not looked at all jobs.
    if (!passes.every(({ isWhole }) => isWhole)) {
      alarm.within(longestRestMs(low, flow.clock.now()));
      await surveyor.meanwhile();
      onDone();
      return worked;
    }
    if (!slots.atRest) {
      surveyor.soon();
      // Ids become visible behind the line.
      return worked;
    }
    // What is waiting is also found by whoever has begun to look meanwhile.
    return (await surveyor.now()) && worked && slots.atRest;
  }
}
