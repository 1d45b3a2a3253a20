import type { Uses } from '../driver/driver.js';
import type { PruneStep } from './prune.js';

/** How old slots of limits are before they are deleted, in milliseconds. A limit in use makes its slots anew as often. */
const AGE_MS = 3_600_000;

/**
 * One pass through the slots of limits, in limited steps. A limit for each tenant would leave the slots of all tenants
 * that there ever were.
 */
export async function* pruneSlots(driver: Uses<{ admission: 'prune' }>): AsyncGenerator<PruneStep> {
  for (let beyond: string | null = ''; beyond !== null; ) {
    const { last, refused } = await driver.admission.prune(beyond, AGE_MS);
    beyond = last;
    yield { pruned: 0, slots: refused };
  }
}
