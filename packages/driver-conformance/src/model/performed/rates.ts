import { randomUUID } from 'node:crypto';
import type { RateNumbers } from '@rowlock/core/driver';
import type { CommandOf } from '../command.js';
import { RATE_NAMES, type Spacing } from '../parts.js';
import type { Result } from '../result.js';
import type { WorldState } from './state.js';
import { HOUR_MS } from './time.js';

export async function takeStarts<Tx>(
  state: WorldState<Tx>,
  { by, rates }: CommandOf<'takeStarts'>,
): Promise<Result> {
  const take = randomUUID();
  state.takes.push(take);
  const driver = await state.driver(by);
  const own = rates.map(({ name, ...numbers }) => ({ name: state.names.own(name), ...startsOf(numbers) }));
  const waitsMs = await driver.admission.take(own, take);
  // What has passed since the starts before is much less than an hour.
  return waitsMs.map((waitMs) => Math.round(waitMs / HOUR_MS));
}

export async function giveBackStarts<Tx>(
  state: WorldState<Tx>,
  { by, take }: CommandOf<'giveBackStarts'>,
): Promise<Result> {
  const names = RATE_NAMES.map((name) => state.names.own(name));
  return (await state.driver(by)).admission.giveBack(names, state.takes[take] ?? '');
}

/** To the rate the clock moves on when its own time moves back. */
export function hoursPass<Tx>(
  { setting, names }: WorldState<Tx>,
  { name, hours }: CommandOf<'hoursPass'>,
): Promise<Result> {
  return setting.database.reader.moveRate(names.own(name), -hours * HOUR_MS);
}

export function startsOf({ hours, burst }: Spacing): RateNumbers {
  return { starts: 1, perMs: hours * HOUR_MS, burst };
}
