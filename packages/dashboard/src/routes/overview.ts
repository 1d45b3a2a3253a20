import type { OverviewView } from '../views.js';
import type { Call } from './route.js';

export async function overview({ rowlock, histories }: Call): Promise<OverviewView> {
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
}
