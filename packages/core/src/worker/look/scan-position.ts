import type { Line } from '../../driver/claim-session.js';
import { HANGS_MS } from '../../hangs.js';
import { Pace } from './pace.js';

/** Before every job: the lowest priority, and no id is as low as 0. */
export const START: Line = { priority: -32_768, id: 0n };

/** How long a look back takes that passes no rows, in milliseconds. */
const FREE_MS = 2;

/** The most looks back at once. If both hang, the rows may be slow, and all slots would come to hang there. */
const MOST = 2;

export interface LookBack {
  /** The line from which it begins: at the first job, or where its last part was interrupted. */
  readonly line: Line;
  readonly since: number;
  /** The duration of all its parts, in milliseconds. */
  tookMs: number;
}

/**
 * How far the sweeps of one worker have come in a queue: the next sweep begins there. A sweep looks back when it begins
 * at the first job. Jobs appear behind the position too: an id is committed late, or a retry comes back.
 *
 * Every sweep looks back while that costs nothing. But any number of rows that cannot be claimed may lie before the
 * first free job. Examples: jobs of a busy key, or dead rows that an old snapshot keeps in the index. Then one slot
 * looks back now and then. A look back that takes longer than a sweep may is interrupted, and continued later.
 */
export class ScanPosition {
  readonly #mostMs: number;
  readonly #lookBacks: Pace;
  readonly #claimsBehind: Pace;
  /** The looks back that go on, the newest one last. */
  readonly #current = new Set<LookBack>();
  #interrupted: Pick<LookBack, 'line' | 'tookMs'> | null = null;
  #line = START;

  constructor(mostMs: number) {
    this.#mostMs = mostMs;
    this.#lookBacks = new Pace(mostMs, FREE_MS);
    this.#claimsBehind = new Pace(mostMs, FREE_MS);
  }

  get line(): Line {
    return this.#line;
  }

  /**
   * Begins a look back, or continues the one that was interrupted. The look back goes on until `found`, `interrupt` or
   * `fail` is called. Only one goes on at a time, and a second one if the first hangs.
   *
   * @returns null while there is to be none
   */
  lookBack(now: number): LookBack | null {
    if (this.pauseMs(now) > 0) return null;
    const look = { line: START, tookMs: 0, ...this.#interrupted, since: now };
    this.#current.add(look);
    return look;
  }

  /** A look back is over. @param line The job to run that it has found; undefined if there is none. */
  found(look: LookBack, line: Line | undefined, now: number): void {
    this.#current.delete(look);
    this.#interrupted = null;
    this.#lookBacks.took(look.tookMs, now);
    if (line === undefined) return;
    // The rows before the job took long: all slots go on from there, even if the position was further.
    this.#line = look.tookMs > FREE_MS ? line : furthestOf(line, this.#line);
  }

  /** A look back has come to this line in its time, and has found no job to run. The next one continues there. */
  interrupt(look: LookBack, line: Line, now: number): void {
    this.#current.delete(look);
    this.#interrupted = { line, tookMs: look.tookMs };
    this.#line = furthestOf(line, this.#line);
    // The jobs beyond the position get as much time.
    this.#lookBacks.pause(now - look.since, now);
  }

  fail(look: LookBack, now: number): void {
    this.#current.delete(look);
    this.#lookBacks.took(now - look.since, now);
  }

  advance(line: Line): void {
    const interrupted = this.#interrupted;
    const continuesThere = interrupted !== null && !isBefore(interrupted.line, this.#line);
    this.#line = furthestOf(line, this.#line);
    if (continuesThere) this.#interrupted = { ...interrupted, line: furthestOf(interrupted.line, line) };
  }

  /** A claim behind the position took this long: it passes the same rows as a look back. */
  claimedBehind(tookMs: number, now: number): void {
    this.#claimsBehind.took(tookMs, now);
  }

  /** Surveys typically take this long: they pass the same rows as a look back. */
  surveyed(typicalMs: number, now: number): void {
    this.#lookBacks.pauseAfter(typicalMs, now);
  }

  /** How long until the next look back may begin, in milliseconds. While one goes on, as long as that has taken already. */
  pauseMs(now: number): number {
    return Math.max(this.#currentMs(now), this.#lookBacks.leftMs(now), this.#claimsBehind.leftMs(now));
  }

  #currentMs(now: number): number {
    const newest = [...this.#current].at(-1);
    if (newest === undefined) return 0;
    const tookMs = now - newest.since;
    const mostMs = this.#current.size < MOST ? Math.max(0, HANGS_MS.lookBack - tookMs) : this.#mostMs;
    return Math.min(Math.max(FREE_MS, tookMs), mostMs);
  }
}

/** How long until a sweep may look back in each queue, in milliseconds. */
export function longestPauseMs(positions: ReadonlyMap<string, ScanPosition>, now: number): number {
  return Math.max(...[...positions.values()].map((position) => position.pauseMs(now)));
}

export function isBefore(one: Line, other: Line): boolean {
  return one.priority === other.priority ? one.id < other.id : one.priority < other.priority;
}

export function furthestOf(one: Line, other: Line): Line {
  return isBefore(one, other) ? other : one;
}
