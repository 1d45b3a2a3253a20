import { UpdateRefusedError } from '@rowlock/core';
import { OUTSTANDING, type Updated } from '@rowlock/core/driver';
import type { CommandOf } from '../command.js';
import type { Result } from '../result.js';
import type { WorldState } from './state.js';

const MOST_BYTES = 60_000;

export async function update<Tx>(
  state: WorldState<Tx>,
  { by, job, column, from, operations }: CommandOf<'update'>,
): Promise<Result> {
  const store = await state.store(by);
  const change = { column, operations, from, mostBytes: MOST_BYTES };
  return outcomeOf(store.update(state.names.publicId(job), change));
}

export async function updateHeld<Tx>(
  state: WorldState<Tx>,
  { by, nth, operations }: CommandOf<'updateHeld'>,
): Promise<Result> {
  const { held, jobs } = state.claim(by);
  const job = [...jobs.values()][nth % jobs.size];
  const own = (await state.driver(by)).join(held.handle);
  const change = { column: 'metadata', operations, from: OUTSTANDING, mostBytes: MOST_BYTES } as const;
  return outcomeOf(own.update(job?.publicId ?? '', change));
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
