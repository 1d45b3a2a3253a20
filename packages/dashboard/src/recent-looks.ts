import { SharedLook } from './shared-look.js';

/** How many looks are kept: of so many questions at the same time. */
const MOST = 100;

/** The looks that viewers share, by what they look at. */
export class RecentLooks<Found> {
  readonly #looks = new Map<string, SharedLook<Found>>();

  /** @param look Made where nobody has looked at this lately. */
  of(name: string, look: () => Promise<Found>): SharedLook<Found> {
    const found = this.#looks.get(name) ?? new SharedLook(look);
    // The one that was used last is at the end.
    this.#looks.delete(name);
    this.#looks.set(name, found);
    const [oldest] = this.#looks.keys();
    if (this.#looks.size > MOST && oldest !== undefined) this.#looks.delete(oldest);
    return found;
  }

  forget(): void {
    this.#looks.clear();
  }
}
