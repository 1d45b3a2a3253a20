import type { HistoryEvent } from './event.js';
import { concerns, stoppedAt } from './overlaps.js';
import { runName } from './run-name.js';
import { impairmentsOf, type Run } from './runs.js';
import { sizesOf } from './sizes.js';
import type { Violation } from './violation.js';

/** How long the claim may lie before the run's begin where nobody has noted it, in milliseconds. */
const CLAIM_MS = 3_000;

/** A run that began though its limit was reached. */
export interface Excess {
  readonly run: Run;
  readonly violation: Violation;
}

/** Limits, which all modes share: see `check`. */
export function excesses(events: readonly HistoryEvent[], runs: readonly Run[]): Excess[] {
  const impairments = impairmentsOf(events);
  const sentAt = claimsOf(events);
  const largest = sizesOf(events);
  const open = new Map<string, Run[]>();
  const found: Excess[] = [];
  for (const run of runs) {
    for (const limit of run.limits) {
      const before = (open.get(limit) ?? []).filter((other) => stoppedAt(other) > run.beganAt);
      open.set(limit, [...before, run]);
      if (impairments.some((each) => concerns(each, run, run))) continue;
      const others = before.filter((other) => !impairments.some((each) => concerns(each, other, run)));
      const max = largest(limit, sentAt.get(run.id) ?? run.beganAt - CLAIM_MS, run.beganAt);
      if (others.length < max) continue;
      const text = `run ${run.id} of ${run.worker} began while ${others.length} others had slots of the ${limit}, whose size was ${max}: ${others.map(({ id }) => id).join(', ')}`;
      found.push({ run, violation: { what: 'limit', text } });
    }
  }
  return found;
}

/** By run, when its claim was sent. */
function claimsOf(events: readonly HistoryEvent[]): ReadonlyMap<string, number> {
  const claims = new Map<string, number>();
  const found = new Map<string, number>();
  for (const event of events) {
    if (event.what === 'claimed') claims.set(runName(event.by, event.publicId), event.sentAt);
    if (event.what !== 'begin') continue;
    const [, publicId = ''] = event.run.split('/', 2);
    const sentAt = claims.get(runName(event.by, publicId));
    if (sentAt !== undefined) found.set(event.run, sentAt);
  }
  return found;
}

/** Slots that were not free after all had ended: see `check`. */
export function leaks(events: readonly HistoryEvent[]): Violation[] {
  return events.flatMap((event): Violation[] =>
    event.what === 'occupied'
      ? [{ what: 'limit', text: `when all had ended, these slots were not free: ${event.slots.join(', ')}` }]
      : [],
  );
}
