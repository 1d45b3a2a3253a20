import type { Move, Step } from './step.js';

/** A worker may look for jobs that wait for others, and wake their workers, while it is idle. */
const BESIDE: ReadonlySet<Step> = new Set(['admit', 'notify']);

/**
 * A worker or a producer, each of whose steps waits for its turn. It does one step at a time: where a worker looks for jobs
 * while it asks what there is to wait for, the one waits for the other.
 */
export class Actor {
  /** Whether it is between two steps, or in one. */
  busy = false;
  /** Whether the server says that its step waits for a lock. */
  waiting = false;
  /** Whether its step has waited for one. */
  waited = false;
  readonly #parked: { readonly step: Step; readonly go: () => void }[] = [];
  /** Whether it has come to rest since its last step, other than those that it makes beside its work. */
  #rests = false;
  /** Whether it is in a step, or in what comes right after it. */
  #going = false;
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
    const [first] = this.#parked;
    if (first === undefined || this.#going || this.#dead) return undefined;
    return { actor: this.letter, step: first.step };
  }

  /** Whether it waits for its turn, or has nothing to do. */
  get still(): boolean {
    return this.#dead || (!this.#going && (this.#parked.length > 0 || !this.busy));
  }

  /** Does its next step when its turn has come. */
  async step<Result>(step: Step, work: () => Promise<Result>): Promise<Result> {
    this.busy = true;
    if (!BESIDE.has(step)) this.#rests = false;
    if (!this.#free) {
      await new Promise<void>((go) => {
        this.#park({ step, go });
        this.#goesNoMore();
      });
    }
    // Not all that it does goes on after the step. What does, parks within one turn of the event loop or is still going.
    return work().finally(() =>
      setImmediate(() => {
        if (this.#parked.length > 0) this.#goesNoMore();
        else if (this.#rests) this.rest();
      }),
    );
  }

  /** Its turn has come. */
  go(): void {
    this.waited = false;
    const first = this.#parked.shift();
    this.#going = first !== undefined;
    first?.go();
  }

  /** It has nothing to do until somebody wakes it, or for good. */
  rest(): void {
    this.busy = false;
    this.#rests = true;
    this.#goesNoMore();
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

  /** What it does beside its work comes last, as the two begin in no order. */
  #park(parked: { readonly step: Step; readonly go: () => void }): void {
    const beside = this.#parked.findIndex(({ step }) => BESIDE.has(step));
    if (beside === -1 || BESIDE.has(parked.step)) this.#parked.push(parked);
    else this.#parked.splice(beside, 0, parked);
  }

  #goesNoMore(): void {
    this.#going = false;
    this.#changed();
  }
}
