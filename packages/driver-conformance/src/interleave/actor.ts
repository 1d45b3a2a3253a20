import { AsyncLocalStorage } from 'node:async_hooks';
import type { Move, Step } from './step.js';

/** The call within which code runs. */
const within = new AsyncLocalStorage<object>();

/**
 * A worker or a producer, each of whose steps waits for its turn. It does one step at a time, in the order in which it has
 * come to them: a worker may come to one beside another.
 */
export class Actor {
  /** Whether the server says that its step waits for a lock. */
  waiting = false;
  /** Whether its step has waited for one. */
  waited = false;
  readonly #parked: { readonly step: Step; readonly go: () => void }[] = [];
  /** Its calls that go on. */
  readonly #calls = new Set<object>();
  /** Whether it follows a script, which comes to its next step by itself or ends. */
  #follows = false;
  #free = false;
  #dead = false;
  #changed: () => void = () => {};

  /** @param hasCallers Whether its steps may be made on the callers' connections. */
  constructor(
    readonly letter: string,
    readonly hasCallers: boolean,
  ) {}

  /** Has `changed` called whenever it has come to a step, and when a call of it begins or ends. */
  onChange(changed: () => void): void {
    this.#changed = changed;
  }

  /** What it would do next; undefined while it does something, or rests. */
  get next(): Move | undefined {
    const [first] = this.#parked;
    if (first === undefined || this.#calls.size > 0 || this.#dead) return undefined;
    return { actor: this.letter, step: first.step };
  }

  /** Whether it waits for its turn, or for somebody to wake it. */
  get still(): boolean {
    return this.#dead || (this.#calls.size === 0 && (this.#parked.length > 0 || !this.#follows));
  }

  /** Whether it does not wait for its turn either. */
  get rests(): boolean {
    return this.still && this.#parked.length === 0;
  }

  /** Makes its next step when its turn has come. */
  async step<Result>(step: Step, work: () => Promise<Result>): Promise<Result> {
    if (!this.#free) await this.#turn(step);
    return this.does(work);
  }

  /** Does some work, a step or what belongs to the step before: until its end it is not still. */
  async does<Result>(work: () => Promise<Result>): Promise<Result> {
    const call = {};
    this.#calls.add(call);
    this.#changed();
    try {
      return await within.run(call, work);
    } finally {
      this.#calls.delete(call);
      this.#changed();
    }
  }

  /** A step within a call holds that up: the first write of a lease's handler opens its transaction. */
  async #turn(step: Step): Promise<void> {
    const outer = within.getStore();
    const holdsUp = outer !== undefined && this.#calls.delete(outer);
    await new Promise<void>((go) => {
      this.#parked.push({ step, go });
      this.#changed();
    });
    if (holdsUp) this.#calls.add(outer);
  }

  /** Follows a script to its end. */
  async follow(script: () => Promise<void>): Promise<void> {
    this.#follows = true;
    try {
      await script();
    } finally {
      this.#follows = false;
      this.#changed();
    }
  }

  /** Its turn has come. */
  go(): void {
    this.waited = false;
    this.#parked.shift()?.go();
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
    for (const { go } of this.#parked.splice(0)) go();
  }
}
