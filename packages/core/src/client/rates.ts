import { hostname } from 'node:os';
import type { RateView, Store } from '../driver/store.js';
import { milliseconds } from '../duration.js';
import type { RateLimit } from '../handler/job-rates.js';
import { checkName } from '../input.js';
import { checkRate } from '../job/rates.js';

/** The numbers of rates, at run time. */
export class RateSettings {
  readonly #store: () => Pick<Store, 'setRate' | 'rates'>;

  /** @param store Throws when calls are refused. */
  constructor(store: () => Pick<Store, 'setRate' | 'rates'>) {
    this.#store = store;
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
    await this.#store().setRate(name, rate, by);
  }

  /** What handlers say are the numbers again. */
  async reset(name: string): Promise<void> {
    checkName('The name of a rate', name);
    await this.#store().setRate(name, null, hostname());
  }

  /** The rates whose numbers were set, in the order of their names, up to 1,000. */
  async list(): Promise<readonly RateView[]> {
    return this.#store().rates();
  }
}
