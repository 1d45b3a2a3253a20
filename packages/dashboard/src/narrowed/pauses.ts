import type { PauseView } from '@rowlock/core/types';
import type { Scope } from '../scope.js';

/** A queue and a kind that have jobs. */
interface Lane {
  readonly queue: string;
  readonly kind: string;
}

/**
 * The pauses that stop jobs of a scope: those of its queues and kinds, and of all work. A viewer of some queues may see any
 * kind that has jobs there.
 *
 * @param lanesOf Where the scope has jobs. It is called only where a pause needs it.
 */
export async function pausesIn(
  { queues, kinds }: Scope,
  pauses: readonly PauseView[],
  lanesOf: () => Promise<readonly Lane[]>,
): Promise<readonly PauseView[]> {
  const names = { queue: queues, kind: kinds };
  const needsLanes = pauses.some(
    ({ scope }) => (scope === 'queue' || scope === 'kind') && names[scope] === null,
  );
  const lanes = needsLanes ? await lanesOf() : [];
  return pauses.filter(({ scope, name }) => {
    // A limit is of all queues that share it.
    if (scope === 'limit') return false;
    return scope === 'all' || (names[scope]?.includes(name) ?? lanes.some((lane) => lane[scope] === name));
  });
}
