import { STATES, type State } from '@rowlock/core';
import { type JobFilter, type Jobs, listed } from '@rowlock/core/driver';

/** How many jobs there are in each state, whatever their number. A state that the filter does not mean has none. */
export async function countStates(
  store: { readonly jobs: Pick<Jobs, 'count'> },
  filter: JobFilter,
): Promise<Readonly<Record<State, number>>> {
  const counts: Record<State, number> = { new: 0, 'in-progress': 0, complete: 0, error: 0, cancelled: 0 };
  for (const status of listed(filter.status) ?? STATES)
    counts[status] = (
      await store.jobs.count({ ...filter, status }, { limit: 1_000_000, before: null })
    ).count;
  return counts;
}
