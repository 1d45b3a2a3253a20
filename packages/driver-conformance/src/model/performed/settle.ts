import type { Settlement } from '@rowlock/core';
import type { CommandOf } from '../command.js';
import type { Result } from '../result.js';
import type { WorldState } from './state.js';
import { DAY_MS } from './time.js';

export async function settle<Tx>(
  state: WorldState<Tx>,
  { by, events, again, stranger }: CommandOf<'settle'>,
): Promise<Result> {
  const { names } = state;
  const claim = state.claim(by);
  const run = state.runOf(claim);
  const settlements = [...claim.jobs.values()].map((job, place): Settlement => {
    const event = events[place % events.length] ?? 'complete';
    return {
      id: job.id,
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
  const [first] = settlements;
  if (stranger !== null && first !== undefined) {
    const { id } = await names.row(stranger);
    if (!claim.jobs.has(id)) settlements.push({ ...first, id });
  }
  const written = await claim.held.settle(run, settlements);
  return (await Promise.all(written.map((id) => names.jobOf(id)))).sort();
}
