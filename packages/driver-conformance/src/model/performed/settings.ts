import type { CommandOf } from '../command.js';
import type { Result } from '../result.js';
import type { WorldState } from './state.js';
import { HOUR_MS } from './time.js';

export async function settings<Tx>(state: WorldState<Tx>, { by }: CommandOf<'settings'>): Promise<Result> {
  const { names } = state;
  const driver = await state.driver(by);
  const isOwn = ({ name }: { readonly name: string }): boolean => names.isOwn(name);
  const limits = (await driver.limits()).filter(isOwn);
  const rates = (await driver.rates()).filter(isOwn);
  return {
    limits: limits.map(({ name, max }) => `${names.short(name)}: ${max}`),
    pauses: (await driver.pauses()).map(
      ({ scope, name, until }) =>
        `${scope} ${names.short(name)}: ${until === null ? 'for ever' : 'tomorrow'}`,
    ),
    rates: rates.map(
      ({ name, perMs, burst }) => `${names.short(name)}: ${perMs / HOUR_MS} h, ${burst} at once`,
    ),
  };
}
