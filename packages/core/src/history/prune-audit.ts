import type { Uses } from '../driver/driver.js';
import type { PruneStep } from './prune.js';

/** How many entries a driver looks at in a step. */
const STEP = 1_000;

/** Deletes what operators have done longer ago, the oldest first, in limited steps. */
export async function* pruneAudit(
  { audit }: Uses<{ audit: 'prune' }>,
  ageMs: number,
): AsyncGenerator<PruneStep> {
  if (ageMs === Number.POSITIVE_INFINITY) return;
  while ((await audit.prune(ageMs)) === STEP) yield { pruned: 0 };
}
