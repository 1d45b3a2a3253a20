import type { HistoryEvent } from './event.js';
import type { Run } from './runs.js';
import type { Tables } from './tables.js';

/**
 * How long each interrupted job waited for its next run, in milliseconds: from the death of its worker (killed, or by its
 * own handler), or from the moment that a restarted server took connections. Interrupted is a job whose run had begun, was
 * not known to be over, and did not settle it. A job with a limit may wait for a slot as well, and is left out.
 */
export function recoveries(
  events: readonly HistoryEvent[],
  runs: readonly Run[],
  { jobs }: Tables,
): number[] {
  const settler = new Map(jobs.map(({ tag, run, status }) => [tag, status === 'complete' ? run : null]));
  const starts = new Map<string, number[]>();
  for (const run of runs)
    for (const job of run.jobs) starts.set(job, [...(starts.get(job) ?? []), run.beganAt]);
  const outages = outagesOf(events);

  return runs.flatMap((run) => {
    if (run.limits.length > 0) return [];
    const outage = outages.find(({ from }) => run.beganAt < from && run.overAt > from && run.diedAt > from);
    const [from, since] = outage ? [outage.from, outage.to] : [run.diedAt, run.diedAt];
    if (from === Infinity || run.overAt < from) return [];
    return run.jobs.flatMap((job) => {
      if (settler.get(job) === run.runId) return [];
      const next = starts.get(job)?.find((at) => at > from);
      // What is never run again is found by other checks: settled as used up, or lost.
      return next === undefined ? [] : [Math.max(0, next - since)];
    });
  });
}

function outagesOf(events: readonly HistoryEvent[]): { readonly from: number; readonly to: number }[] {
  const found: { from: number; to: number }[] = [];
  for (const { what, at } of events) {
    const last = found.at(-1);
    if (what === 'down') found.push({ from: at, to: Infinity });
    if (what === 'accepting' && last) last.to = Math.min(last.to, at);
  }
  return found;
}

/** The value that a share of the figures does not exceed; undefined of none. */
export function percentile(figures: readonly number[], share: number): number | undefined {
  const sorted = [...figures].sort((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)];
}
