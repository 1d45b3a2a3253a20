import type { JobId, Settlement } from '@rowlock/core/driver';
import type { Settling } from '../command.js';
import type { Result } from '../result.js';
import type { WorldState } from './state.js';
import { DAY_MS } from './time.js';

export async function settle<Tx>(state: WorldState<Tx>, command: Settling): Promise<Result> {
  const { held } = state.claim(command.by);
  return namesOf(state, await held.settle(await settlements(state, command)));
}

/** One that was not all written has only its rollback left. */
export async function finish<Tx>(state: WorldState<Tx>, command: Settling): Promise<Result> {
  const wanted = await settlements(state, command);
  const { held } = state.lastOf(command.by);
  try {
    const written = await held.finish(wanted);
    return written.length < wanted.length ? 'not all' : await namesOf(state, written);
  } finally {
    await held.rollback();
  }
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
