/** What has a slot: a claim's transaction, or a lease by its run's id. */
type Holder = object | string;

/** Who has slots of the scenario's limit, and whether its queue is paused. Says what is admitted, or refused, against that. */
export class Admissions {
  readonly #say: (violation: string) => void;
  readonly #inside = new Map<Holder, string>();
  #size: number;
  #isPaused = false;

  constructor(size: number, say: (violation: string) => void) {
    this.#size = size;
    this.#say = say;
  }

  /** A claim has found jobs. */
  claims(actor: string): void {
    if (this.#isPaused) this.#say(`${actor} claimed while the queue was paused`);
  }

  enters(actor: string, holder: Holder): void {
    if (this.#inside.size >= this.#size) this.#say(`${actor} was admitted though ${this.#told}`);
    this.#inside.set(holder, actor);
  }

  refused(actor: string): void {
    if (this.#inside.size < this.#size) this.#say(`${actor} was refused though ${this.#told}`);
  }

  /** What a transaction has is a lease's from now on. */
  leases(holder: Holder, runId: string): void {
    const actor = this.#inside.get(holder);
    if (actor === undefined) return;
    this.#inside.delete(holder);
    this.#inside.set(runId, actor);
  }

  leaves(holder: Holder): void {
    this.#inside.delete(holder);
  }

  /** All that the actor's connections hold is given back. */
  disconnects(actor: string): void {
    for (const [holder, who] of this.#inside)
      if (who === actor && typeof holder !== 'string') this.#inside.delete(holder);
  }

  resizes(size: number): void {
    this.#size = size;
  }

  pauses(isPaused: boolean): void {
    this.#isPaused = isPaused;
  }

  get #told(): string {
    return `${this.#inside.size} of ${this.#size} slots were taken`;
  }
}
