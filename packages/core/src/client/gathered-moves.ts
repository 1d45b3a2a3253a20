import type { Jobs, Moved } from '../driver/jobs.js';
import { type ClientEvent, TRANSITIONS } from '../job/lifecycle.js';

/**
 * Applies a client's event to the jobs of several calls. Two calls may name the same job: the second one meets what the
 * first has left.
 */
export async function moveGathered(
  jobs: Pick<Jobs, 'move'>,
  event: ClientEvent,
  publicIds: readonly string[],
  waitMs: number | undefined,
): Promise<readonly Moved[]> {
  const ids = [...new Set(publicIds)];
  const moves = await jobs.move(event, ids, { waitMs });
  const moved = new Map(ids.map((id, place) => [id, moves[place] ?? missing]));
  return publicIds.map((id) => {
    const outcome = moved.get(id) ?? missing;
    if (outcome.outcome === 'moved') moved.set(id, { outcome: 'illegal', status: TRANSITIONS[event].to });
    return outcome;
  });
}

const missing: Moved = { outcome: 'missing' };
