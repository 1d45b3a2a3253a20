import type { QueuePart } from '../driver/queue-parts.js';
import { ScanPosition } from '../worker/look/scan-position.js';
import { nameOf } from './closed-parts.js';

interface Turn {
  readonly position: ScanPosition;
  /** Which sweep the last one of the part was. Before its first one: how many had begun, less a fraction by chance. */
  readonly begun: number;
}

/**
 * The turns of all slots of a worker, which go round its parts together. Each worker has an order of its own, by chance:
 * in the same order ten workers met at each part, and nine of them claimed in vain.
 */
export class PartTurns {
  readonly #pollMs: number;
  readonly #turns = new Map<string, Turn>();
  #count = 0;

  constructor(pollMs: number) {
    this.#pollMs = pollMs;
  }

  /** How many sweeps have begun. */
  get count(): number {
    return this.#count;
  }

  /** A slot begins with this part. @returns how far the sweeps of the part have come */
  begin(part: QueuePart): ScanPosition {
    const { position } = this.#of(part);
    this.#turns.set(nameOf(part), { position, begun: ++this.#count });
    return position;
  }

  /** Whether a sweep of the part has begun after so many others. */
  hasBegunSince(part: QueuePart, count: number): boolean {
    return (this.#turns.get(nameOf(part))?.begun ?? 0) > count;
  }

  /** Those whose turn is longest ago first. */
  byLastTurn<P extends QueuePart>(parts: readonly P[]): readonly P[] {
    return parts.toSorted((one, other) => this.#of(one).begun - this.#of(other).begun);
  }

  #of(part: QueuePart): Turn {
    const begun = this.#count - Math.random();
    const turn = this.#turns.get(nameOf(part)) ?? { position: new ScanPosition(this.#pollMs), begun };
    this.#turns.set(nameOf(part), turn);
    return turn;
  }

  /** Forgets all other parts. */
  keep(parts: readonly QueuePart[]): void {
    const found = new Set(parts.map(nameOf));
    for (const name of this.#turns.keys()) if (!found.has(name)) this.#turns.delete(name);
  }
}
