import type { HistoryEvent } from './event.js';
import type { Violation } from './violation.js';

/** No worker's process ends by itself: see `check`. */
export function deaths(events: readonly HistoryEvent[]): Violation[] {
  const killed = new Set<string>();
  const found: Violation[] = [];
  for (const event of events) {
    if (event.what === 'stopping') break;
    if (event.what === 'killing') killed.add(event.worker);
    if (event.what === 'dying') killed.add(event.by);
    if (event.what === 'dead' && !killed.has(event.worker))
      found.push({ what: 'death', text: `worker ${event.worker} ended by itself` });
  }
  return found;
}
