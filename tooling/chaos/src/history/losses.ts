import type { HistoryEvent } from './event.js';
import type { Tables } from './tables.js';
import type { Violation } from './violation.js';

const SETTLED: ReadonlySet<string> = new Set(['complete', 'error', 'cancelled']);

/** Nothing lost: see `check`. */
export function losses(events: readonly HistoryEvent[], { jobs }: Tables): Violation[] {
  const rows = new Map(jobs.map((job) => [job.tag, job]));
  const missing = events.flatMap((event): Violation[] =>
    event.what === 'committed' && !rows.has(event.job)
      ? [{ what: 'lost', text: `job ${event.job} was committed and is not in the table` }]
      : [],
  );
  const left = jobs
    .filter(({ status }) => !SETTLED.has(status))
    .map(
      ({ tag, status, kind }): Violation => ({
        what: 'lost',
        text: `job ${tag} (${kind}) is still ${status}`,
      }),
    );
  return [...missing, ...left];
}
