import type { QueuePart } from '../driver/queue-parts.js';
import { ScanPosition } from '../worker/look/scan-position.js';
import { nameOf } from './closed-parts.js';

interface Turn {
  readonly position: ScanPosition;
  /** Which sweep the last one of the part was. */
  readonly begun: number;
}

/** The turns of all slots of a worker, which go round its parts together. */
export class PartTurns {
  readonly #pollMs: number;
  readonly #turns = new Map<string, Turn>();
  #count = 0;
  #last = '';

  constructor(pollMs: number) {
    this.#pollMs = pollMs;
  }

  /** How many sweeps have begun. */
  get count(): number {
    return this.#count;
  }

  /** A slot begins with this part. @returns how far the sweeps of the part have come */
  begin(part: QueuePart): ScanPosition {
    const name = nameOf(part);
    const position = this.#turns.get(name)?.position ?? new ScanPosition(this.#pollMs);
    this.#turns.set(name, { position, begun: ++this.#count });
    this.#last = name;
    return position;
  }

  /** Whether a sweep of the part has begun after so many others. */
  hasBegunSince(part: QueuePart, count: number): boolean {
    return (this.#turns.get(nameOf(part))?.begun ?? 0) > count;
  }

  /** Those behind the last part that a sweep has begun with, and then those before it. */
  behindLast<P extends QueuePart>(parts: readonly P[]): readonly P[] {
    const named = parts.map((part) => [nameOf(part), part] as const);
    const all = named.toSorted(([one], [other]) => (one < other ? -1 : 1));
    const next = Math.max(
      0,
      all.findIndex(([name]) => name > this.#last),
    );
    return [...all.slice(next), ...all.slice(0, next)].map(([, part]) => part);
  }

  /** Forgets all other parts. */
  keep(parts: readonly QueuePart[]): void {
    const found = new Set(parts.map(nameOf));
    for (const name of this.#turns.keys()) if (!found.has(name)) this.#turns.delete(name);
  }
}
