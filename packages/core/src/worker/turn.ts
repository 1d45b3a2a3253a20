/** One at a time: whoever takes a turn has it until they give it back, and the next one's begins. */
export class Turn {
  #last: Promise<void> = Promise.resolve();

  /** Resolves when it is the caller's turn. @returns gives it back */
  take(): Promise<() => void> {
    const before = this.#last;
    let giveBack = (): void => {};
    this.#last = new Promise((resolve) => {
      giveBack = resolve;
    });
    return before.then(() => giveBack);
  }
}
