import type { LaneStats } from '@rowlock/core/types';
import type { LaneHistory } from './views.js';

/** How many moments are kept, and how far they are apart at least, in milliseconds: ten minutes together. */
const KEPT = 120;
const APART_MS = 5_000;

/** A longer time without a look ends the history, as a line would hide the gap. In milliseconds. */
const GAP_MS = 60_000;

interface Moment {
  readonly at: number;
  readonly lanes: ReadonlyMap<string, { readonly due: number; readonly settled: number }>;
}

/** How the lanes were at the last looks. Kept in the memory of this process. */
export class LaneHistories {
  #moments: readonly Moment[] = [];

  add(lanes: readonly LaneStats[], at: number): void {
    const moment = { at, lanes: new Map(lanes.map((lane) => [nameOf(lane), momentOf(lane)])) };
    const kept = at - (this.#moments.at(-1)?.at ?? 0) > GAP_MS ? [] : this.#moments;
    // The newest one moves along until it is far enough from the one before.
    const isClose = at - (kept.at(-2)?.at ?? 0) < APART_MS;
    this.#moments = [...(isClose ? kept.slice(0, -1) : kept), moment].slice(-KEPT);
  }

  of(lane: LaneStats): LaneHistory {
    const own = this.#moments.map(({ lanes }) => lanes.get(nameOf(lane)) ?? { due: 0, settled: 0 });
    return { due: own.map(({ due }) => due), settled: own.map(({ settled }) => settled) };
  }
}

function momentOf({ due, minute }: LaneStats): { readonly due: number; readonly settled: number } {
  return { due: due.count, settled: Math.round((minute.settled * 60) / Math.max(1, minute.seconds)) };
}

function nameOf({ queue, kind }: LaneStats): string {
  return `${queue}\n${kind}`;
}
