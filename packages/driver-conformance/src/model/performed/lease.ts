import type { CommandOf } from '../command.js';
import type { Result } from '../result.js';
import type { WorldState } from './state.js';
import { DAY_MS } from './time.js';

export function lease<Tx>(state: WorldState<Tx>, { by, most, isOver }: CommandOf<'lease'>): Promise<Result> {
  const claim = state.lastOf(by);
  const jobs = new Map([...claim.jobs].slice(0, most));
  const run = state.runOf(claim);
  state.leases.push({ run, jobs, crashes: claim.crashes });
  return claim.held.lease(run, [...jobs.keys()], isOver ? -DAY_MS : DAY_MS);
}

export async function lockLeased<Tx>(
  state: WorldState<Tx>,
  { by, lease: nth }: CommandOf<'lockLeased'>,
): Promise<Result> {
  const found = state.leases[nth];
  if (found === undefined) throw new Error(`There is no lease ${nth}.`);
  const { run, jobs, crashes } = found;
  const claim = await state.begin(by);
  claim.run = run;
  claim.isLeased = true;
  claim.crashes = crashes;
  const states = await claim.held.lockLeased(run, [...jobs.keys()], true);
  for (const [id, job] of jobs) claim.jobs.set(id, job);
  const named = [...states].map(async ([id, status]) => [await state.names.jobOf(id), status]);
  return Object.fromEntries(await Promise.all(named));
}
