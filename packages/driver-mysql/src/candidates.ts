import type { JobId, Line } from '@rowlock/core';

/** How many candidates one look at the claim's index brings: see the statement. */
export const CANDIDATES = 32;

/** The order in which candidates are tried. */
export function byPlace(a: Line, b: Line): number {
  return a.priority - b.priority || Number(a.id - b.id);
}

/** The ids of candidates that are in order, those of one priority together. */
export function* ofOnePriority(candidates: readonly Line[]): Generator<readonly JobId[]> {
  for (let from = 0; from < candidates.length; ) {
    const { priority } = candidates[from] ?? { priority: 0 };
    const end = candidates.findIndex((each, place) => place > from && each.priority !== priority);
    const until = end === -1 ? candidates.length : end;
    yield candidates.slice(from, until).map(({ id }) => id);
    from = until;
  }
}
