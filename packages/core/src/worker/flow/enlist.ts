import { warnAtHalfTime } from '../tell/half-time.js';
import type { Flow } from './context.js';
import type { Grouped } from './group.js';

/**
 * Makes runs known in this process: to cancellations, to a worker that stops, and to a session that is lost.
 *
 * @returns ends that
 */
export function enlist<Tx>(flow: Flow<Tx>, claim: Grouped<Tx>): () => void {
  const [[first]] = claim;
  const endHalfTime = first.live.leased ? () => {} : warnAtHalfTime(flow, first, flow.idleLimitMs);
  const together = claim.flat().map(({ live }) => live);
  for (const live of together) {
    live.together = together;
    flow.live.add(live);
  }
  flow.cancellations.reach(together);
  return () => {
    endHalfTime();
    for (const live of together) flow.live.delete(live);
  };
}
