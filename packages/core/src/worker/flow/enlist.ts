import { warnAtHalfTime } from '../report/half-time.js';
import { limitMs } from '../run/time-limits.js';
import type { Flow } from './context.js';
import type { Grouped } from './group.js';

/**
 * Registers runs in this process, so that a cancellation, the worker's stop or the loss of the session can stop them.
 *
 * @returns unregisters them
 */
export function enlist<Tx>(flow: Flow<Tx>, claim: Grouped<Tx>): () => void {
  const [[first]] = claim;
  const endHalfTime = first.live.leased
    ? () => {}
    : warnAtHalfTime(flow, first, limitMs(flow.registry.longestHeldRunMs));
  const together = claim.flat().map(({ live }) => live);
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
