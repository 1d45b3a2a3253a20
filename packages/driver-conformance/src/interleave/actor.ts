import type { Move, Step } from './step.js';

/** A worker or a producer, each of whose steps waits for its turn. */
export class Actor {
  /** Whether it is between two steps, or in one. */
  busy = false;
  /** Whether the server says that its step waits for a lock. */
  waiting = false;
  /** Whether its step has waited for one. */
  waited = false;
  #parked: { readonly step: Step; readonly go: () => void } | null = null;
  #free = false;
  #dead = false;
  #changed: () => void = () => {};

  /** @param hasCallers Whether its steps may be made on the callers' connections. */
  constructor(
    readonly letter: string,
    readonly hasCallers: boolean,
  ) {}

  /** Has `changed` called whenever it has come to its next step, or to rest. */
  onChange(changed: () => void): void {
    this.#changed = changed;
  }

  /** What it would do next; undefined while it does something, or rests. */
  get next(): Move | undefined {
    return this.#parked === null || this.#dead ? undefined : { actor: this.letter, step: this.#parked.step };
  }

  /** Whether it waits for its turn, or has nothing to do. */
  get still(): boolean {
    return this.#parked !== null || !this.busy || this.#dead;
  }

  /** Does its next step when its turn has come. */
  async step<Result>(step: Step, work: () => Promise<Result>): Promise<Result> {
    this.busy = true;
    if (!this.#free) {
      await new Promise<void>((go) => {
        this.#parked = { step, go };
        this.#changed();
      });
    }
    return work();
  }

  /** Its turn has come. */
  go(): void {
    const parked = this.#parked;
    this.#parked = null;
    this.waited = false;
    parked?.go();
  }

  /** It has nothing to do until somebody wakes it, or for good. */
  rest(): void {
    this.busy = false;
    this.#changed();
  }

  /** Its turn does not come again. */
  die(): void {
    this.#dead = true;
  }

  get isDead(): boolean {
    return this.#dead;
  }

  /** From now on nothing waits for a turn. */
  free(): void {
    this.#free = true;
    this.go();
  }
}
