import { increment } from '@rowlock/core';
import type { CommandOf } from '../command.js';
import type { Result } from '../result.js';
import type { WorldState } from './state.js';
import { LONG_AGO } from './time.js';

export async function move<Tx>(
  state: WorldState<Tx>,
  { by, event, job }: CommandOf<'move'>,
): Promise<Result> {
  const driver = await state.driver(by);
  const moved = await driver.move(event, state.names.publicId(job));
  return moved.outcome === 'illegal' ? `illegal: it is ${moved.status}` : moved.outcome;
}

export async function update<Tx>(
  state: WorldState<Tx>,
  { by, from, job }: CommandOf<'update'>,
): Promise<Result> {
  const driver = await state.driver(by);
  const change = { column: 'metadata', operations: [increment('updates')], from, mostBytes: 1_000 } as const;
  const updated = await driver.update(state.names.publicId(job), change);
  return updated.outcome === 'illegal' ? `illegal: it is ${updated.status}` : updated.outcome;
}

export function makeDue<Tx>(
  { setting, names }: WorldState<Tx>,
  { job }: CommandOf<'makeDue'>,
): Promise<Result> {
  return setting.database.reader.write(names.publicId(job), { availableAt: LONG_AGO });
}
