import { moveOne } from '../../move-one.js';
import type { CommandOf } from '../command.js';
import type { Result } from '../result.js';
import type { WorldState } from './state.js';
import { LONG_AGO } from './time.js';

export async function move<Tx>(
  state: WorldState<Tx>,
  { by, event, job }: CommandOf<'move'>,
): Promise<Result> {
  const driver = await state.driver(by);
  const moved = await moveOne(driver, event, state.names.publicId(job));
  return moved.outcome === 'illegal' ? `illegal: it is ${moved.status}` : moved.outcome;
}

export function makeDue<Tx>(
  { setting, names }: WorldState<Tx>,
  { job }: CommandOf<'makeDue'>,
): Promise<Result> {
  return setting.database.reader.write(names.publicId(job), { availableAt: LONG_AGO });
}
