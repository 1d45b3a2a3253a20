import type { CommandOf } from '../command.js';
import type { Result } from '../result.js';
import type { WorldState } from './state.js';
import { DAY_MS, HOUR_MS } from './time.js';

export async function reclaim<Tx>(
  state: WorldState<Tx>,
  { by, dead }: CommandOf<'reclaim'>,
): Promise<Result> {
  const { queues, workers } = state.names;
  const driver = await state.driver(by);
  const { reclaimed, missing } = await driver.claims.reclaim({
    queues,
    dead: dead === 'nobody' ? [] : workers,
  });
  return { reclaimed, missing: missing.map((id) => state.names.worker(id)).sort() };
}

export async function survey<Tx>(state: WorldState<Tx>, { by, kinds }: CommandOf<'survey'>): Promise<Result> {
  const driver = await state.driver(by);
  const { promoted, nextDueMs, waiting, unlimited, limited, leased } = await driver.claims.survey({
    queues: state.names.queues,
    kinds,
  });
  return {
    promoted,
    next: nextDueMs === null ? null : later(nextDueMs),
    waiting,
    unlimited,
    limited,
    leased,
  };
}

function later(ms: number): string {
  return ms > HOUR_MS && ms <= DAY_MS ? 'tomorrow' : `in ${ms} ms`;
}
