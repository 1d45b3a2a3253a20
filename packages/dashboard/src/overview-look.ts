import type { Calls } from './calls.js';
import { LaneHistories } from './lane-history.js';
import type { OverviewView } from './views.js';

/** A look at what `overview` shows. */
export function overviewLook(rowlock: Calls): () => Promise<OverviewView> {
  const histories = new LaneHistories();
  return async () => {
    const [{ lanes }, workers, pauses] = await Promise.all([
      rowlock.insight.stats(),
      rowlock.insight.workers(),
      rowlock.jobs.pauses(),
    ]);
    histories.add(lanes, performance.now());
    return {
      at: new Date(),
      workers,
      pauses,
      lanes: lanes.map((lane) => ({ ...lane, history: histories.of(lane) })),
    };
  };
}
