import type { JobId, Settlement } from '@rowlock/core/driver';
import type { CommandOf } from '../command.js';
import type { Settling } from '../parts.js';
import { type Result, refusalOr } from '../result.js';
import { criteriaOf, orRolledBack, take } from './claim.js';
import { leaveLimits } from './leave-limits.js';
import type { WorldState } from './state.js';
import { DAY_MS } from './time.js';

export async function settle<Tx>(state: WorldState<Tx>, command: Settling): Promise<Result> {
  const { held } = state.claim(command.by);
  return namesOf(state, await held.settle(await settlements(state, command)));
}

/** One that was not all written has only its rollback left. Whatever the driver does, the next claim is made at once. */
export async function finish<Tx>(state: WorldState<Tx>, command: CommandOf<'finish'>): Promise<Result> {
  const wanted = await settlements(state, command);
  const next = command.next === null ? undefined : await criteriaOf(state.names, command.next);
  const claim = state.lastOf(command.by);
  const { held } = claim;
  await leaveLimits(claim);
  const finished = await held.finish(wanted, next).catch(async (error: unknown) => {
    await held.rollback();
    throw error;
  });
  if (finished.settled.length < wanted.length) {
    await held.rollback();
    return finished.next === null ? 'not all' : 'not all, and claimed';
  }
  const settled = await namesOf(state, finished.settled);
  if (next === undefined) {
    await held.rollback();
    return { settled, next: finished.next };
  }
  const open = await state.begin(command.by);
  const jobs = await refusalOr(orRolledBack(state, command.by, finished.next ?? held.claim(next)));
  if ('refused' in jobs) return { settled, next: jobs };
  return { settled, next: jobs.map((job) => take(open, job, state.names)) };
}

async function namesOf<Tx>({ names }: WorldState<Tx>, ids: readonly JobId[]): Promise<readonly string[]> {
  return (await Promise.all(ids.map((id) => names.jobOf(id)))).sort();
}

async function settlements<Tx>(
  state: WorldState<Tx>,
  { by, events, again, stranger }: Settling,
): Promise<readonly Settlement[]> {
  const { names } = state;
  const claim = state.claim(by);
  const run = state.runOf(claim);
  const all = [...claim.jobs.values()].map((job, place): Settlement => {
    const event = events[place % events.length] ?? 'complete';
    return {
      id: job.id,
      runId: run,
      event,
      attempt: job.attempt + 1,
      crashes: claim.crashes.get(job.id) ?? job.crashes,
      delayMs: again === 'tomorrow' ? DAY_MS : 0,
      tookMs: 5,
      output: event === 'complete' ? run : null,
      error: event === 'fail' || event === 'exhaust' ? { code: 'E_MODEL', message: event } : null,
      by,
    };
  });
  const [first] = all;
  if (stranger !== null && first !== undefined) {
    const { id } = await names.row(stranger);
    if (!claim.jobs.has(id)) all.push({ ...first, id });
  }
  return all;
}

export async function commit<Tx>(state: WorldState<Tx>, { by }: CommandOf<'commit'>): Promise<Result> {
  const claim = state.lastOf(by);
  await leaveLimits(claim);
  return claim.held.commit();
}

export function rollback<Tx>(state: WorldState<Tx>, { by }: CommandOf<'rollback'>): Promise<Result> {
  return state.lastOf(by).held.rollback();
}
