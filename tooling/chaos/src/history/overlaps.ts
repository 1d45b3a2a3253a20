import type { HistoryEvent } from './event.js';
import { type Impairment, impairmentsOf, type Run } from './runs.js';
import type { Violation } from './violation.js';

/**
 * How long the news that a claim is lost may need to its worker, in milliseconds: it comes through a socket, to a process that
 * may have to wait for a processor.
 */
const NEWS_MS = 3_000;

/** Exclusion: see `check`. */
export function overlaps(events: readonly HistoryEvent[], runs: readonly Run[]): Violation[] {
  const impairments = impairmentsOf(events);
  const open = new Map<string, Run[]>();
  const found: Violation[] = [];
  for (const run of runs) {
    const entity = `${run.mode} ${run.key ?? run.jobs.join()}`;
    const before = (open.get(entity) ?? []).filter((other) => stoppedAt(other) > run.beganAt);
    for (const other of before) {
      if (other.worker !== run.worker && impairments.some((each) => concerns(each, other, run))) continue;
      const text = `run ${run.id} of ${run.worker} began on ${entity} while run ${other.id} of ${other.worker} was going on`;
      found.push({ what: 'overlap', text });
    }
    open.set(entity, [...before, run]);
  }
  for (const event of events) {
    if (event.what !== 'met') continue;
    found.push({
      what: 'overlap',
      text: `run ${event.run} of ${event.by} met another claim on ${event.key}`,
    });
  }
  return found;
}

/** From when on the handler does nothing more, or knows that it should not. */
export function stoppedAt({ endedAt, abortedAt, diedAt }: Run): number {
  return Math.min(endedAt, abortedAt, diedAt);
}

/** Whether the earlier run's worker could not know, when the later one began, that it had lost its claim. */
export function concerns({ worker, from, to }: Impairment, earlier: Run, later: Run): boolean {
  return (
    (worker === '*' || worker === earlier.worker) && from <= later.beganAt && to + NEWS_MS >= earlier.beganAt
  );
}
