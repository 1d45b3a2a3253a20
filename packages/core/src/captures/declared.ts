import { InvalidInputError } from '../errors.js';
import type { Capture } from './capture.js';

/** The captures of a program, by name. */
export class DeclaredCaptures {
  readonly #captures = new Map<string, Capture>();

  /** @throws InvalidInputError when two have one name, or one was not made by `defineCapture`. */
  constructor(declared: readonly Capture[]) {
    for (const capture of declared) {
      if (typeof Object(capture).plan !== 'object')
        throw new InvalidInputError('captures must be made by defineCapture().');
      if (this.#captures.has(capture.name))
        throw new InvalidInputError(
          `Two captures have the name ${JSON.stringify(capture.name)}. Rename one.`,
        );
      this.#captures.set(capture.name, capture);
    }
  }

  get all(): readonly Capture[] {
    return [...this.#captures.values()];
  }

  /** The kinds of their jobs. */
  get kinds(): ReadonlySet<string> {
    return new Set(this.all.map(({ plan }) => plan.job.kind));
  }

  /** @throws InvalidInputError */
  find(name: string): Capture {
    const found = this.#captures.get(name);
    if (found !== undefined) return found;
    throw new InvalidInputError(
      `There is no capture ${JSON.stringify(name)}. Pass it to createRowlock({ captures }), or in a plugin.`,
    );
  }
}
