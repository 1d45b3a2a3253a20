import { hostname } from 'node:os';
import type { DeclaredSizes } from '../handler/job-limits.js';
import { checkName, checkWhole } from '../input.js';
import { MOST_SLOTS } from '../job/limits.js';
import type { Calls } from './calls.js';
import { type LimitView, limitsInUse } from './limits-in-use.js';
import { Slots, type SlotsSize } from './slots.js';

/** The limits that are in use, and their sizes at run time. */
export class LimitSizes {
  readonly #calls: Calls<unknown>;
  readonly #declared: DeclaredSizes | undefined;

  /** @param declared The sizes that plugins declare. */
  constructor(calls: Calls<unknown>, declared: DeclaredSizes | undefined) {
    this.#calls = calls;
    this.#declared = declared;
  }

  /**
   * Sets the size of a limit for all, in place of what handlers and callers say. Workers take it up at once. Those who
   * have slots keep them.
   *
   * @param max 1 to 1,000.
   * @param by Who sets it, for `list`. Default: the host.
   * @throws InvalidInputError
   */
  async set(name: string, max: number, { by = hostname() }: { readonly by?: string } = {}): Promise<void> {
    checkName('The name of a limit', name);
    checkWhole('max', max, 1, MOST_SLOTS);
    checkName('by', by);
    await this.#calls.driver.setLimit(name, max, by);
  }

  /** What handlers and callers say is the size again. */
  async reset(name: string): Promise<void> {
    checkName('The name of a limit', name);
    await this.#calls.driver.setLimit(name, null, hostname());
  }

  /**
   * The limits that are in use, and those whose size was set, in the order of their names, up to 1,000: their sizes, how
   * many slots are taken and by which jobs, and how many jobs wait. Reads indexes, never the history.
   *
   * A limit is in use while jobs with it are due or run, and until its slots have been free for about an hour. Looks at
   * up to 1,000 different sets of limits.
   */
  async list(): Promise<readonly LimitView[]> {
    return limitsInUse(this.#calls.driver, this.#declared);
  }

  /**
   * The slots of a limit, for work that is no job. Handlers with a limit of this name share them.
   *
   * @example
   * await using slot = await rowlock.limits.slots('reports', { max: 3 }).acquire({ wait: '5s' });
   * if (slot.outcome === 'full') return;
   *
   * @param size The size as this caller sees it. A size that `limits.set` has set takes its place.
   * @throws InvalidInputError, ClosedError
   */
  slots(name: string, size: SlotsSize): Slots {
    return new Slots(this.#calls, name, size);
  }
}
