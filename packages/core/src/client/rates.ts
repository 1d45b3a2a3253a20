import { hostname } from 'node:os';
import type { Driver } from '../driver/driver.js';
import { milliseconds } from '../duration.js';
import type { RateLimit } from '../handler/job-rates.js';
import { checkName } from '../input.js';
import { checkRate } from '../job/rates.js';
import { type RateView, ratesInUse } from './rates-in-use.js';

type Rating = Pick<Driver, 'setRate' | 'rates' | 'limitedJobs' | 'rateTimes'>;

/** The rates that are in use, and their numbers at run time. */
export class RateSettings {
  readonly #driver: () => Rating;

  /** @param driver Throws when calls are refused. */
  constructor(driver: () => Rating) {
    this.#driver = driver;
  }

  /**
   * Sets the numbers of a rate for all, in place of what handlers say. Workers take them up at once. Earlier starts
   * count on.
   *
   * @param by Who sets it, for `list`. Default: the host.
   * @throws InvalidInputError
   */
  async set(
    name: string,
    { limit, per, burst = 1 }: Omit<RateLimit, 'name'>,
    { by = hostname() }: { readonly by?: string } = {},
  ): Promise<void> {
    const rate = { name, limit, perMs: milliseconds(per, 'per'), burst };
    checkRate(rate);
    checkName('by', by);
    await this.#driver().setRate(name, rate, by);
  }

  /** What handlers say are the numbers again. */
  async reset(name: string): Promise<void> {
    checkName('The name of a rate', name);
    await this.#driver().setRate(name, null, hostname());
  }

  /**
   * The rates that were ever used, and those whose numbers were set, in the order of their names, up to 1,000: their
   * numbers, the next start, and how many jobs wait. Looks at up to 1,000 different sets of limits and rates.
   */
  async list(): Promise<readonly RateView[]> {
    return ratesInUse(this.#driver());
  }
}
