/** How many are kept. */
const MOST = 100;

/** What was used last, by names. */
export class Recent<Kept> {
  readonly #kept = new Map<string, Kept>();

  /** @param make Called where there is none of this name. */
  of(name: string, make: () => Kept): Kept {
    const found = this.#kept.get(name) ?? make();
    // The one that was used last is at the end.
    this.#kept.delete(name);
    this.#kept.set(name, found);
    const [oldest] = this.#kept.keys();
    if (this.#kept.size > MOST && oldest !== undefined) this.#kept.delete(oldest);
    return found;
  }

  forget(): void {
    this.#kept.clear();
  }
}
