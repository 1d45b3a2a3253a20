import type { JobId, Line } from '@rowlock/core';

/** Of SMALLINT, which the table's column is. */
const LOWEST_PRIORITY = -32_768;

/** How many candidates one look at the claim's index brings: see the statement. */
export const CANDIDATES = 32;

/** Whether a sweep has looked at nothing yet: then the first job is most often free, and tried by itself. */
export function isBeforeAll({ priority, id }: Line): boolean {
  return priority <= LOWEST_PRIORITY && id <= 0n;
}

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
