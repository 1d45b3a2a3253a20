import type { Run } from '../run/run.js';
import { limitMs } from '../run/time-limits.js';
import type { Flow } from './context.js';
import type { Claim } from './group.js';

/**
 * Registers runs in this process, so that a cancellation, the worker's stop or the loss of the session can stop them.
 *
 * @returns unregisters them
 */
export function enlist<Tx>(flow: Flow<Tx>, { runs }: Claim<Tx>): () => void {
  const [first] = runs;
  const endHalfTime = first.live.leased ? () => {} : warnAtHalfTime(flow, first);
  const together = runs.map(({ live }) => live);
  for (const live of together) {
    live.together = together;
    flow.live.add(live);
  }
  flow.parts.began(together);
  return () => {
    endHalfTime();
    for (const live of together) flow.live.delete(live);
    flow.parts.ended();
  };
}

/** Warns, once, when a held run has lasted half of the server's limit for its transaction. Returns the end of the wait. */
function warnAtHalfTime<Tx>({ clock, log, events, registry }: Flow<Tx>, run: Run<Tx>): () => void {
  const limit = limitMs(registry.longestHeldRunMs);
  const heldMs = Math.round(limit / 2);
  return clock.after(heldMs, () => {
    log.warn(
      { ...run.info, heldMs, limitMs: limit },
      "a run has held its transaction for half of what the server lets it; use claim: 'lease' for work this long, or a longer timeout",
    );
    events.emit('long', run.info, heldMs, limit);
  });
}
