import type { QueuePart } from '../driver/queue-parts.js';
import { sizesOf } from '../job/limits-text.js';
import type { PartContext } from '../worker/part.js';
import type { RatedStarts } from './rated-starts.js';

/**
 * How many limits that were reached are looked up in a watch interval, and how many parts are claimed while it is not
 * known whether they have room. A claim in vain takes several statements, and meets those of the other workers.
 */
export const VAIN_CLAIMS = 10;

/** The most texts of limits that are remembered. */
const MOST_TEXTS = 10_000;

export interface ClosedPartsParts extends Pick<PartContext, 'clock' | 'alarm' | 'watchMs' | 'pollMs'> {
  readonly starts: Pick<RatedStarts, 'leftMs'>;
}

/** The parts that a worker leaves alone for a while, because a claim there would be in vain, and those that had room. */
export class ClosedParts {
  readonly #parts: ClosedPartsParts;
  /** The texts of limits whose parts are left alone, because one of the limits was reached. */
  readonly #full = new Set<string>();
  /** When all of these are looked up by one statement, which costs less than a claim in vain. */
  #lookAt = 0;
  /** Until when a part is left alone because others have all of its jobs, by the part's name. */
  readonly #busy = new Map<string, number>();
  /** Texts of limits that need slots and whose last sweep has had them, and of those without slots whose last sweep has run no job. */
  readonly #unusual = new Set<string>();

  constructor(parts: ClosedPartsParts) {
    this.#parts = parts;
  }

  /** Those that may be swept now. One whose rate is used up rings the worker's alarm at its time. */
  open<P extends QueuePart>(parts: Iterable<P>): readonly P[] {
    for (const [part, until] of this.#busy) if (until <= this.#parts.clock.now()) this.#busy.delete(part);
    return [...parts].filter((part) => this.isOpen(part));
  }

  isOpen(part: QueuePart): boolean {
    return !this.#full.has(part.limits) && !this.#busy.has(nameOf(part)) && !this.#waitsForStart(part.limits);
  }

  #waitsForStart(limits: string): boolean {
    const { starts, alarm } = this.#parts;
    const leftMs = starts.leftMs(limits);
    if (leftMs > 0) alarm.within(leftMs);
    return leftMs > 0;
  }

  /** Whether a job with these limits is likely to be run: one was in the last sweep. Default: if no slots are needed. */
  hasRoom(limits: string): boolean {
    return (sizesOf(limits).length === 0) !== this.#unusual.has(limits);
  }

  /** @param had Whether the last sweep has run a job, and found a slot for the next. */
  hadRoom(limits: string, had: boolean): void {
    if (this.hasRoom(limits) === had) return;
    if (!this.#unusual.delete(limits)) this.#unusual.add(limits);
    if (this.#unusual.size > MOST_TEXTS) this.#unusual.clear();
  }

  /** All slots of a limit of each text are taken. */
  full(texts: readonly string[]): void {
    const { clock, watchMs } = this.#parts;
    if (this.#full.size === 0) this.#lookAt = Math.max(this.#lookAt, clock.now() + watchMs);
    for (const limits of texts) this.#full.add(limits);
  }

  /** The texts to look up, for one slot of the worker, of these parts. None before their time. Many are looked up less often. */
  toLookUp(parts: readonly QueuePart[]): readonly string[] {
    const { clock, watchMs, pollMs } = this.#parts;
    const now = clock.now();
    if (this.#full.size === 0 || now < this.#lookAt) return [];
    const due = new Set(parts.map(({ limits }) => limits));
    for (const limits of this.#full) if (!due.has(limits)) this.#full.delete(limits);
    this.#lookAt = now + Math.max(watchMs, Math.min(pollMs, (watchMs * this.#full.size) / VAIN_CLAIMS));
    return [...this.#full];
  }

  /** These limits may have room. */
  reopen(limits: string): void {
    this.#full.delete(limits);
  }

  /** Other workers have all jobs of the part. */
  taken(part: QueuePart): void {
    const { clock, watchMs } = this.#parts;
    this.#busy.set(nameOf(part), clock.now() + watchMs);
  }

  /** Jobs may have come to these parts. @param queue Default: to any queue. */
  added(queue?: string): void {
    if (queue === undefined) this.#busy.clear();
    else for (const name of this.#busy.keys()) if (name.startsWith(`${queue}\n`)) this.#busy.delete(name);
  }

  /** These limits may have a free slot, or another size. @returns whether a part was left alone because of one of them */
  freed(names: readonly string[]): boolean {
    const texts = [...this.#full].filter((text) => sizesOf(text).some(({ name }) => names.includes(name)));
    for (const text of texts) this.#full.delete(text);
    return texts.length > 0;
  }

  /** Rings the worker's alarm when limits that were reached are to be looked up. */
  ring(): void {
    const { clock, alarm } = this.#parts;
    if (this.#full.size > 0) alarm.within(Math.max(1, this.#lookAt - clock.now()));
  }
}

/** A part as the key of a map. */
export function nameOf({ queue, limits }: QueuePart): string {
  return `${queue}\n${limits}`;
}
