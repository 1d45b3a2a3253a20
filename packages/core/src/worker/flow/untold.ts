/** So many settlements of a slot may be on their way to the disk while it goes on. */
const MOST = 4;

/** What a slot has committed, and not told of: that is done when it is on the disk. */
export class Untold {
  #ends: readonly Promise<void>[] = [];

  /** @param ended Of one more. Waits for the first of them where there are too many; rejects as it does. */
  async add(ended: Promise<void>): Promise<void> {
    // Others are waited for later.
    ended.catch(() => {});
    this.#ends = [...this.#ends, ended];
    if (this.#ends.length <= MOST) return;
    const [first, ...rest] = this.#ends;
    this.#ends = rest;
    await first;
  }

  /** Resolves when all are told of; rejects as the first of them that does. */
  async rest(): Promise<void> {
    await Promise.all(this.#ends);
  }
}
