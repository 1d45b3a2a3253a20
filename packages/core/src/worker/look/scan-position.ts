import type { Line } from '../../driver/claim-session.js';
import { UsualTime } from './usual-time.js';

/** Before every job: the lowest priority, and no id is as low as 0. */
export const START: Line = { priority: -32_768, id: 0n };

/** What a look may take that has nothing out of the way, in milliseconds. */
const USUAL_MS = 2;

/**
 * How many times as long as looks take beyond that until the next one: looking back takes a tenth of a slot's time. What becomes visible
 * late waits for the next one, so what one of them took beyond the usual counts once.
 */
const REST = 9;

/** After so long a look, or a part of one, keeps no other from it, in milliseconds: it may be on a dead connection. */
const HANGS_MS = 2_000;

/** So many looks go on at once at most. It may be no connection that is dead but the place: every slot would come to sit in it. */
const MOST_LOOKS = 2;

/** How long a look is gone on with at least until the next begins at the first job, in milliseconds. */
const AGAIN_MS = 5_000;

/** A look at what lies before where the worker has got to. */
export interface Look {
  /** Where it begins: at the first job, or where an earlier part of it was left off. */
  readonly line: Line;
  readonly since: number;
  /** What it has taken, with its earlier parts, in milliseconds. */
  tookMs: number;
}

/**
 * Where the sweeps of one worker through one queue begin. At the first job, if that costs nothing: ids become visible out of order, and
 * jobs come back behind the line. But before what can be claimed there may lie any number of rows that cannot: of a busy
 * key, or dead ones that an old snapshot keeps in the index. Then one slot looks there now and then, and the other sweeps begin
 * where the worker has got to. A look that takes longer than a sweep may is left off, and gone on with later.
 */
export class ScanPosition {
  readonly #mostMs: number;
  /** The furthest place that was claimed. */
  #reached = START;
  #restUntil = Number.NEGATIVE_INFINITY;
  /** The looks that go on, the newest one at last. */
  readonly #looks: Look[] = [];
  /** Up to where a look has come that is to be gone on with. */
  #left: Pick<Look, 'line' | 'tookMs'> | null = null;
  readonly #look = new UsualTime();
  readonly #behind = new UsualTime();
  /** When a look last began at the first job. */
  #began = Number.NEGATIVE_INFINITY;

  /** @param mostMs How long nobody looks at the first job at most, in milliseconds, whatever the last look took. */
  constructor(mostMs: number) {
    this.#mostMs = mostMs;
  }

  get reached(): Line {
    return this.#reached;
  }

  /**
   * A look that may begin now, until it is given to `looked`, `leaveOff` or `leave`; else null. One at a time; in place of
   * one that hangs another, and no third.
   */
  begin(now: number): Look | null {
    if (now < this.#restUntil || this.#othersMs(now) > 0) return null;
    const left = now - this.#began < Math.max(this.#mostMs, AGAIN_MS) ? this.#left : null;
    if (left === null) this.#began = now;
    const look = { line: START, tookMs: 0, ...left, since: now };
    this.#looks.push(look);
    return look;
  }

  /** A look has come to a job that can be run, or to the end. */
  looked(look: Look, place: Line | undefined, now: number): void {
    this.#end(look);
    this.#took(look.tookMs, now);
    if (place === undefined || this.#left === null || isBefore(this.#left.line, place)) this.#left = null;
    if (place === undefined) return;
    // Also back: what took long lies before the place, and what comes after it is for all slots.
    this.#reached = look.tookMs > USUAL_MS ? place : this.beyond(place);
  }

  /** A look has come to this place, and to no job that can be run: the next but one goes on there. */
  leaveOff(look: Look, place: Line, now: number): void {
    this.#end(look);
    const { line, tookMs } = this.#left ?? look;
    this.#left = { line: isBefore(line, place) ? place : line, tookMs: Math.max(tookMs, look.tookMs) };
    this.#reached = this.beyond(place);
    // What comes next has as much of the time.
    this.#restUntil = Math.max(this.#restUntil, now + Math.min(now - look.since, this.#mostMs));
  }

  /** A look has failed. */
  leave(look: Look, now: number): void {
    this.#end(look);
    this.#took(now - look.since, now);
  }

  /** A sweep that looks at what comes next has got to this place. */
  reach(place: Line): void {
    const left = this.#left;
    const isAlong = left !== null && !isBefore(left.line, this.#reached);
    this.#reached = this.beyond(place);
    if (isAlong && isBefore(left.line, this.#reached)) this.#left = { ...left, line: this.#reached };
  }

  /** The furthest place that was claimed, or this one, if that is further. */
  beyond(line: Line): Line {
    return isBefore(line, this.#reached) ? this.#reached : line;
  }

  /** A claim of a sweep that has come to lie behind where the worker has got to has taken so long. */
  behind(tookMs: number, now: number): void {
    this.#rest(this.#behind.took(tookMs), tookMs, now);
  }

  /** A survey, which looks at all jobs too, takes so long. */
  surveyed(usualMs: number, now: number): void {
    this.#rest(usualMs, 0, now);
  }

  /** How long until a look may begin, in milliseconds. While one goes on, as long again as that has taken already. */
  restMs(now: number): number {
    return Math.max(this.#othersMs(now), this.#restUntil - now);
  }

  /** A look has taken so long. */
  #took(tookMs: number, now: number): void {
    this.#rest(this.#look.took(tookMs), tookMs, now);
  }

  /** How long it is to wait for the looks that go on. */
  #othersMs(now: number): number {
    const newest = this.#looks.at(-1);
    if (newest === undefined) return 0;
    const lookMs = now - newest.since;
    const mostMs = this.#looks.length < MOST_LOOKS ? Math.max(0, HANGS_MS - lookMs) : this.#mostMs;
    return Math.min(Math.max(USUAL_MS, lookMs), mostMs);
  }

  #rest(usualMs: number, tookMs: number, now: number): void {
    const restMs = Math.max(tookMs - USUAL_MS, REST * (usualMs - USUAL_MS));
    this.#restUntil = Math.max(this.#restUntil, now + Math.min(restMs, this.#mostMs));
  }

  #end(look: Look): void {
    const place = this.#looks.indexOf(look);
    if (place >= 0) this.#looks.splice(place, 1);
  }
}

/** How long until a sweep may begin at the start of each queue, in milliseconds. */
export function longestRestMs(low: ReadonlyMap<string, ScanPosition>, now: number): number {
  return Math.max(...[...low.values()].map((each) => each.restMs(now)));
}

/** Whether a claim comes to one place before the other. */
export function isBefore(one: Line, other: Line): boolean {
  return one.priority === other.priority ? one.id < other.id : one.priority < other.priority;
}
