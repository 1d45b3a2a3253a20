import type { Move } from './step.js';

/** How probable it is that one falls behind after a step. */
const FALLS_BEHIND = 0.1;

/**
 * Whom to prefer. Faults come of one that is late by many steps rather than of many that take turns, so the same goes on and
 * on, until now and then it falls behind all others (Burckhardt, Kothari, Musuvathi, Nagarakatte, "A randomized scheduler
 * with probabilistic guarantees of finding bugs", ASPLOS 2010).
 */
export class Ranks {
  readonly #random: () => number;
  readonly #ranks = new Map<string, number>();

  constructor(random: () => number) {
    this.#random = random;
  }

  /** Draws new ones. */
  begin(): void {
    this.#ranks.clear();
  }

  first(moves: readonly Move[]): Move | undefined {
    const [first] = moves.toSorted((one, other) => this.#rank(one) - this.#rank(other));
    if (first !== undefined && this.#random() < FALLS_BEHIND) {
      this.#ranks.set(first.actor, 1 + Math.max(...this.#ranks.values()));
    }
    return first;
  }

  #rank({ actor }: Move): number {
    const rank = this.#ranks.get(actor) ?? this.#random();
    this.#ranks.set(actor, rank);
    return rank;
  }
}
