import type { Acting } from '../audit/acting.js';
import type { Driver } from '../driver/driver.js';
import { checkName } from '../input.js';
import { checkLimit, type LimitNumbers } from '../job/limits-text.js';
import { type LimitView, limitsInUse } from './in-use.js';
import { type DeclaredLimits, type LimitOptions, namedLimit } from './limit.js';
import { Slots, type SlotsParts, type SlotsSize } from './slots.js';

interface SettingsParts<Tx> extends SlotsParts, Acting<Tx> {
  readonly driver: Driver<Tx>;
  readonly declared: { readonly limits?: DeclaredLimits };
}

/** The limits that are in use, and their numbers at run time. */
export class LimitSettings<Tx = unknown> {
  readonly #calls: SettingsParts<Tx>;

  constructor(calls: SettingsParts<Tx>) {
    this.#calls = calls;
  }

  /**
   * Sets the numbers of a limit for all, in place of what handlers and callers say, and of what was set before. What is
   * left out is as these say: `{ max: 3 }` leaves the starts alone. Workers take the numbers up at once. Those who have
   * slots keep them, and earlier starts count on.
   *
   * @throws InvalidInputError
   * @example
   * await rowlock.limits.set('maps', { max: 5, starts: 60, per: '1m' });
   */
  async set(name: string, options: LimitOptions): Promise<void> {
    const limit = namedLimit(name, options);
    checkLimit(limit);
    const { name: _, ...numbers } = limit;
    await this.#set(name, numbers);
  }

  /** What handlers and callers say are the numbers again. */
  async reset(name: string): Promise<void> {
    checkName('The name of a limit', name);
    await this.#set(name, null);
  }

  /**
   * The limits that are in use, and those whose numbers were set, up to 1,000 in the order of their names. Each has its
   * numbers, the slots that are taken with their jobs, the next start, and how many jobs wait. Reads indexes, never the
   * history.
   *
   * A limit is in use while jobs with it are due or run. One with `max` is until its slots have been free for about an
   * hour, and one with `starts` for ever. Looks at up to 1,000 different sets of limits.
   */
  async list(): Promise<readonly LimitView[]> {
    const { driver, declared } = this.#calls;
    return limitsInUse(driver, declared.limits);
  }

  /**
   * The slots of a limit, for work that is no job. Handlers with a limit of this name share them.
   *
   * @example
   * await using slot = await rowlock.limits.slots('reports', { max: 3 }).acquire({ wait: '5s' });
   * if (slot.outcome === 'full') return;
   *
   * @param size The size as this caller sees it. The `max` that `limits.set` has set takes its place.
   * @throws InvalidInputError, ClosedError
   */
  slots(name: string, size: SlotsSize): Slots {
    return new Slots(this.#calls, name, size);
  }

  #set(name: string, numbers: LimitNumbers | null): Promise<void> {
    return this.#calls.acting({}, async (tx, note) => {
      await this.#calls.on(tx).admission.set(name, numbers, this.#calls.by);
      const action = numbers === null ? 'reset' : 'set';
      await note?.({ action, scope: 'limit', name, details: { ...numbers } });
    });
  }
}
