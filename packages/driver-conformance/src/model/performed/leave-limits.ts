import type { Claim } from './state.js';

/** Before the commit that settles a lease whose jobs have limits. */
export async function leaveLimits<Tx>({ held, jobs, run, isLeased }: Claim<Tx>): Promise<void> {
  const hasLimits = [...jobs.values()].some(({ limits }) => limits !== '');
  if (isLeased && hasLimits && run !== null) await held.leaveLimits(run);
}
