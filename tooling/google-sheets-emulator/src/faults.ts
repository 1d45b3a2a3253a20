/** A fault to come: which calls it hits, how many of them, and what happens to them. */
export interface Fault {
  /** HTTP method; any if absent. */
  readonly method?: string;
  /** Matched against path and query, e.g. `values:batchGet`; any if absent. */
  readonly path?: RegExp | string;
  /** How many matching calls are hit; default 1. */
  readonly times?: number;
  /** Answer with this status and Google's body for it, without doing what was asked. */
  readonly status?: number;
  /** Drive's `reason` in that body, e.g. `userRateLimitExceeded`. */
  readonly reason?: string;
  /** Google's words in it. */
  readonly message?: string;
  /** Answer with this text in the place of Google's: with `status` and nothing done, or else with 200 after the work was done. */
  readonly body?: string;
  /** Headers that the answer has beside its own, or in their place, e.g. `retry-after`. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Hold the call back for so many ms first. */
  readonly delayMs?: number;
  /** Hold it back until this is settled. Not over HTTP. */
  readonly until?: Promise<unknown>;
  /** Cut the connection without an answer: `before` anything is done, or `after` it was done. */
  readonly cut?: 'before' | 'after';
}

/** The faults still to come, in the order in which they were set. */
export class Faults {
  #pending: { fault: Fault; path: RegExp | undefined; left: number }[] = [];

  /** @throws TypeError for a fault that does nothing, or whose members make no sense */
  add(fault: Fault): void {
    const { status, body, delayMs, until, cut, times = 1 } = fault;
    if ([status, body, delayMs, until, cut].every((member) => member === undefined)) {
      throw new TypeError('A fault needs a status, a body, a delayMs, an until or a cut.');
    }
    if (status !== undefined && !(Number.isInteger(status) && status >= 400 && status <= 599)) {
      throw new TypeError(`The status of a fault is a number from 400 to 599, not ${status}.`);
    }
    if (!(times >= 1)) throw new TypeError(`The times of a fault is a number from 1 on, not ${times}.`);
    if (delayMs !== undefined && !(delayMs >= 0 && delayMs <= 600_000)) {
      throw new TypeError(`The delayMs of a fault is a number from 0 to 600000, not ${delayMs}.`);
    }
    const path = fault.path === undefined ? undefined : new RegExp(fault.path);
    this.#pending.push({ fault, path, left: times });
  }

  /** The fault that hits this call, used up by one; undefined if the call is spared. */
  take(method: string, path: string): Fault | undefined {
    const hit = this.#pending.find(
      (each) => (each.fault.method?.toUpperCase() ?? method) === method && (each.path?.test(path) ?? true),
    );
    if (!hit) return undefined;
    hit.left -= 1;
    if (hit.left <= 0) this.#pending = this.#pending.filter((each) => each !== hit);
    return hit.fault;
  }

  /** What is still to come, for a look at the state. */
  pending(): readonly { method?: string; path?: string; left: number }[] {
    return this.#pending.map(({ fault, path, left }) => ({
      ...(fault.method && { method: fault.method }),
      ...(path && { path: path.source }),
      left,
    }));
  }

  clear(): void {
    this.#pending = [];
  }
}
