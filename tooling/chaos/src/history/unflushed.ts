import type { HistoryEvent } from './event.js';
import { type Impairment, impairmentsOf, type Run } from './runs.js';

/** How long the commit of a record may be on its way at most, in milliseconds: a disk may stand still for a while. */
const FLUSH_MS = 2_000;

/**
 * Whether a run may have begun without being on record: it begins while its record's commit is on its way, and then the server went, or
 * the connection. A worker that dies is no excuse, as the server has the commit by then.
 */
export function unflushedOf(events: readonly HistoryEvent[]): (run: Run) => boolean {
  const impairments = impairmentsOf(events);
  return (run) => impairments.some((each) => concerns(each, run));
}

function concerns({ worker, from, to }: Impairment, run: Run): boolean {
  return (worker === '*' || worker === run.worker) && from < run.beganAt + FLUSH_MS && to >= run.beganAt;
}
