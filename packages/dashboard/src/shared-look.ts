import { Problem } from './http/problem.js';

/** How long a look is new enough for others, in milliseconds. */
const NEW_MS = 2_000;

/** How long a viewer waits for a look, in milliseconds. */
const WAIT_MS = 10_000;

/** One look at the database for all viewers. It is made when somebody wants it, so nothing is read when nobody looks. */
export class SharedLook<Found> {
  readonly #look: () => Promise<Found>;
  #found: { readonly value: Found; readonly at: number } | null = null;
  #pending: Promise<Found> | null = null;

  constructor(look: () => Promise<Found>) {
    this.#look = look;
  }

  /** @throws Problem 503 when it takes too long; what the look throws. */
  async get(): Promise<Found> {
    if (this.#found !== null && performance.now() - this.#found.at < NEW_MS) return this.#found.value;
    // A look that takes too long is not made a second time beside it.
    this.#pending ??= this.#begin();
    return within(this.#pending);
  }

  /** The next look is a new one, as something was changed. */
  forget(): void {
    this.#found = null;
    this.#pending = null;
  }

  #begin(): Promise<Found> {
    const pending = this.#look().then(
      (value) => {
        if (this.#pending === pending) this.#found = { value, at: performance.now() };
        this.#end(pending);
        return value;
      },
      (error: unknown) => {
        this.#end(pending);
        throw error;
      },
    );
    return pending;
  }

  #end(pending: Promise<Found>): void {
    if (this.#pending === pending) this.#pending = null;
  }
}

async function within<Found>(look: Promise<Found>): Promise<Found> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(
      () => reject(new Problem(503, `The database gave no answer within ${WAIT_MS / 1000} s.`)),
      WAIT_MS,
    );
    timer.unref();
  });
  try {
    return await Promise.race([look, late]);
  } finally {
    clearTimeout(timer);
  }
}
