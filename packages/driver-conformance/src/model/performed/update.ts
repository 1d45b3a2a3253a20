import { remove, STATES, type State, UpdateRefusedError } from '@rowlock/core';
import { type Jobs, OUTSTANDING, type Updated } from '@rowlock/core/driver';
import type { CommandOf } from '../command.js';
import { isCaller } from '../parts.js';
import type { Result } from '../result.js';
import type { WorldState } from './state.js';

const MOST_BYTES = 60_000;

export async function update<Tx>(
  state: WorldState<Tx>,
  { by, job, column, from, operations }: CommandOf<'update'>,
): Promise<Result> {
  const { jobs } = await state.store(by);
  const publicId = state.names.publicId(job);
  const change = { column, operations, from, mostBytes: MOST_BYTES };
  const outcome = await outcomeOf(jobs.update(publicId, change));
  // Postgres answers with an error before it frees the transaction's locks.
  if (Object(outcome).refused !== undefined && !isCaller(by)) await untilFree(jobs, publicId, from);
  return outcome;
}

/** Tries a change that does not apply to the job's state, as long as another transaction has the job. */
async function untilFree(
  jobs: Pick<Jobs, 'update'>,
  publicId: string,
  from: readonly State[],
): Promise<void> {
  const others = STATES.filter((state) => !from.includes(state));
  const change = {
    column: 'metadata',
    operations: [remove('none')],
    from: others,
    mostBytes: MOST_BYTES,
  } as const;
  while ((await jobs.update(publicId, change)).outcome === 'locked');
}

export async function updateHeld<Tx>(
  state: WorldState<Tx>,
  { by, nth, operations }: CommandOf<'updateHeld'>,
): Promise<Result> {
  const { held, jobs } = state.claim(by);
  const job = [...jobs.values()][nth % jobs.size];
  const own = (await state.driver(by)).join(held.handle);
  const change = { column: 'metadata', operations, from: OUTSTANDING, mostBytes: MOST_BYTES } as const;
  return outcomeOf(own.jobs.update(job?.publicId ?? '', change));
}

async function outcomeOf(update: Promise<Updated>): Promise<Result> {
  try {
    const updated = await update;
    return updated.outcome === 'illegal' ? `illegal: it is ${updated.status}` : updated.outcome;
  } catch (error) {
    if (!(error instanceof UpdateRefusedError)) throw error;
    return { refused: error.reason, operation: error.operation };
  }
}
