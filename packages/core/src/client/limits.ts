import { hostname } from 'node:os';
import type { Driver } from '../driver/driver.js';
import type { DeclaredSizes } from '../handler/job-limits.js';
import { checkName, checkWhole } from '../input.js';
import { MOST_SLOTS } from '../job/limits.js';
import { type LimitView, limitsInUse } from './limits-in-use.js';

type Limiting = Pick<Driver, 'setLimit' | 'limits' | 'limitedJobs' | 'takenSlots'>;

/** The limits that are in use, and their sizes at run time. */
export class LimitSizes {
  readonly #driver: () => Limiting;
  readonly #declared: DeclaredSizes | undefined;

  /**
   * @param driver Throws when calls are refused.
   * @param declared The sizes that plugins declare.
   */
  constructor(driver: () => Limiting, declared?: DeclaredSizes) {
    this.#driver = driver;
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
    await this.#driver().setLimit(name, max, by);
  }

  /** What handlers and callers say is the size again. */
  async reset(name: string): Promise<void> {
    checkName('The name of a limit', name);
    await this.#driver().setLimit(name, null, hostname());
  }

  /**
   * The limits that are in use, and those whose size was set, in the order of their names, up to 1,000: their sizes, how
   * many slots are taken and by which jobs, and how many jobs wait. Reads indexes, never the history.
   *
   * A limit is in use while jobs with it are due or run, and until its slots have been free for about an hour. Looks at
   * up to 1,000 different sets of limits.
   */
  async list(): Promise<readonly LimitView[]> {
    return limitsInUse(this.#driver(), this.#declared);
  }
}
