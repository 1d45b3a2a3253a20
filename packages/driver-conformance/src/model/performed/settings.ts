import type { LimitNumbers } from '@rowlock/core/types';
import type { CommandOf } from '../command.js';
import type { Result } from '../result.js';
import type { WorldState } from './state.js';
import { HOUR_MS } from './time.js';

export async function settings<Tx>(state: WorldState<Tx>, { by }: CommandOf<'settings'>): Promise<Result> {
  const { names } = state;
  const driver = await state.driver(by);
  const limits = (await driver.admission.limits()).filter(({ name }) => names.isOwn(name));
  return {
    limits: limits.flatMap(({ name, set }) => (set === null ? [] : `${names.short(name)}: ${said(set)}`)),
    pauses: (await driver.admission.pauses()).map(
      ({ scope, name, until }) =>
        `${scope} ${names.short(name)}: ${until === null ? 'for ever' : 'tomorrow'}`,
    ),
  };
}

function said({ max, perMs, burst }: LimitNumbers): string {
  return `${max ?? 'any'}, ${perMs === undefined ? 'any' : `${perMs / HOUR_MS} h, ${burst} at once`}`;
}
