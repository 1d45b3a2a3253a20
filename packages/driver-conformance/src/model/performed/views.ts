import type { Limits } from '@rowlock/core/types';
import { countStates } from '../../count-states.js';
import type { CommandOf } from '../command.js';
import type { WantedLimits } from '../parts.js';
import type { Result } from '../result.js';
import type { WorldState } from './state.js';

export async function list<Tx>(
  state: WorldState<Tx>,
  { by, filter, limit }: CommandOf<'list'>,
): Promise<Result> {
  const { names } = state;
  const driver = await state.driver(by);
  const { jobs, next } = await driver.jobs.list(names.ownFilter(filter), { limit, before: null });
  return {
    jobs: jobs.map((view) => ({
      ...names.asWanted(view),
      status: view.status,
      attempt: view.attempt,
      crashes: view.crashes,
      run: names.run(view.runId),
      worker: view.worker,
      progress: view.progress,
      unique: names.short(view.uniqueKey),
      output: names.run(view.output),
      error: view.error?.code ?? null,
      limits: names.shortMembers(membersOf(view.limits)),
      metadata: view.metadata,
      payload: view.payload,
      isFinished: view.finishedAt !== null,
    })),
    next: next === null ? null : await names.jobOf(next),
  };
}

/** As the text of a row has them. */
function membersOf(limits: Limits): WantedLimits {
  return Object.fromEntries(
    Object.entries(limits).map(([name, { max, starts = 0, perMs = 0, burst = 0 }]) => [
      name,
      max ?? [starts, perMs, burst],
    ]),
  );
}

export async function count<Tx>(state: WorldState<Tx>, { by, filter }: CommandOf<'count'>): Promise<Result> {
  const driver = await state.driver(by);
  return countStates(driver, state.names.ownFilter(filter));
}

export async function workers<Tx>(state: WorldState<Tx>, { by }: CommandOf<'workers'>): Promise<Result> {
  const all = await (await state.driver(by)).workers.list();
  const own = all.filter(({ id }) => state.names.workers.includes(id)).reverse();
  return own.map(({ name, alive }) => ({ name, alive }));
}
