import type { Line } from '../driver/driver.js';

/** Before every job: the lowest priority, and no id is as low as 0. */
export const START: Line = { priority: -32_768, id: 0n };

/** What a look may take that has nothing out of the way, in milliseconds. */
const USUAL_MS = 2;

/** How many times as long as a look took beyond that until the next one: looking back takes a tenth of a slot's time. */
const REST = 9;

/**
 * Where the sweeps of one worker through one queue begin. At the first job, if that costs nothing: ids become visible out of order, and
 * jobs come back behind the line. But before what can be claimed there may lie any number of rows that cannot: of a busy
 * key, or dead ones that an old snapshot keeps in the index. Then one slot looks there now and then, and the other sweeps begin
 * where the worker has got to.
 */
export class LowWater {
  readonly #mostMs: number;
  /** The furthest place that was claimed. */
  #reached = START;
  #restUntil = 0;
  /** Since when a slot looks from the start on. */
  #lookingSince: number | null = null;

  /** @param mostMs How long one rests from looking at the start at most, in milliseconds, whatever the last look took. */
  constructor(mostMs: number) {
    this.#mostMs = mostMs;
  }

  get reached(): Line {
    return this.#reached;
  }

  /** Where a sweep may begin now. At the start, one at a time, until `looked` tells what came of it, or `leave`. */
  begin(now: number): Line {
    if (this.#lookingSince !== null || now < this.#restUntil) return this.#reached;
    this.#lookingSince = now;
    return START;
  }

  /** A look from the start on took so long until it came to a job that can be run, or to the end. */
  looked(place: Line | undefined, tookMs: number, now: number): void {
    this.#lookingSince = null;
    this.rest(tookMs, now);
    if (place === undefined) return;
    // Also back: what took long lies before the place, and what comes after it is for all slots.
    this.#reached = tookMs > USUAL_MS ? place : this.beyond(place);
  }

  /** A look from the start on has not come to its end. */
  leave(): void {
    this.#lookingSince = null;
  }

  /** A sweep that looks at what comes next has got to this place. */
  reach(place: Line): void {
    this.#reached = this.beyond(place);
  }

  /** The furthest place that was claimed, or this one, if that is further. */
  beyond(line: Line): Line {
    return isBefore(line, this.#reached) ? this.#reached : line;
  }

  /** Something that looks at what lies behind has taken so long. */
  rest(tookMs: number, now: number): void {
    const restMs = Math.min(REST * Math.max(0, tookMs - USUAL_MS), this.#mostMs);
    this.#restUntil = Math.max(this.#restUntil, now + restMs);
  }

  /** How long until a sweep may begin at the start, in milliseconds. While one looks there, as long again as it has looked already. */
  restMs(now: number): number {
    const since = this.#lookingSince;
    const lookMs = since === null ? 0 : Math.min(Math.max(USUAL_MS, now - since), this.#mostMs);
    return Math.max(lookMs, this.#restUntil - now);
  }
}

/** How long until a sweep may begin at the start of each queue, in milliseconds. */
export function longestRestMs(low: ReadonlyMap<string, LowWater>, now: number): number {
  return Math.max(...[...low.values()].map((each) => each.restMs(now)));
}

/** Whether a claim comes to one place before the other. */
export function isBefore(one: Line, other: Line): boolean {
  return one.priority === other.priority ? one.id < other.id : one.priority < other.priority;
}
