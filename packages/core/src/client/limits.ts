import { hostname } from 'node:os';
import type { LimitView, Store } from '../driver/store.js';
import { checkName, checkWhole } from '../input.js';
import { MOST_SLOTS } from '../job/limits.js';

/** The sizes of limits, at run time. */
export class LimitSizes {
  readonly #store: () => Pick<Store, 'setLimit' | 'limits'>;

  /** @param store Throws when calls are refused. */
  constructor(store: () => Pick<Store, 'setLimit' | 'limits'>) {
    this.#store = store;
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
    await this.#store().setLimit(name, max, by);
  }

  /** What handlers and callers say is the size again. */
  async reset(name: string): Promise<void> {
    checkName('The name of a limit', name);
    await this.#store().setLimit(name, null, hostname());
  }

  /** The limits whose size was set, in the order of their names, up to 1,000. */
  async list(): Promise<readonly LimitView[]> {
    return this.#store().limits();
  }
}
