const FOR_MS = 1_000;
const MOST = 1_000;

/**
 * Limits whose slots had to be counted: slots lay beyond the size, or leases had some. For a moment their claims count at
 * once, as to find out took two more messages.
 */
export class CountedLimits {
  readonly #until = new Map<string, number>();

  /** @param limits The text of a job's limits */
  has(limits: string): boolean {
    return (this.#until.get(limits) ?? 0) > performance.now();
  }

  add(limits: string): void {
    if (this.#until.size >= MOST) this.#until.clear();
    this.#until.set(limits, performance.now() + FOR_MS);
  }
}
