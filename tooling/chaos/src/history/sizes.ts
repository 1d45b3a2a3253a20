import { LIMIT_NAMES, LIMITS } from '../slots.js';
import type { HistoryEvent } from './event.js';

/** How long a change of a size may take effect after its answer was lost, in milliseconds. */
const DOUBT_MS = 30_000;

/** A time in which a limit may have had a size. */
interface Size {
  readonly max: number;
  readonly from: number;
  to: number;
  /** Until then it may come back. */
  doubtedUntil: number;
}

/** Tells the largest size that a limit may have had in a time. */
export function sizesOf(
  events: readonly HistoryEvent[],
): (limit: string, from: number, to: number) => number {
  const sizes = new Map<string, Size[]>(
    LIMIT_NAMES.map((name) => [
      name,
      [{ max: LIMITS[name], from: -Infinity, to: Infinity, doubtedUntil: -Infinity }],
    ]),
  );
  for (const event of events) {
    if (event.what !== 'resizing' && event.what !== 'resized' && event.what !== 'resize doubted') continue;
    const known = sizes.get(event.name) ?? [];
    const last = known.at(-1);
    if (event.what === 'resizing')
      known.push({ max: event.max, from: event.at, to: Infinity, doubtedUntil: -Infinity });
    else if (event.what === 'resize doubted' && last) last.doubtedUntil = event.at + DOUBT_MS;
    else if (event.what === 'resized')
      for (const size of known.slice(0, -1))
        size.to = Math.min(size.to, Math.max(event.at, size.doubtedUntil));
  }
  return (limit, from, to) => {
    const some = (sizes.get(limit) ?? []).filter((size) => size.from <= to && size.to >= from);
    return Math.max(...some.map(({ max }) => max));
  };
}
