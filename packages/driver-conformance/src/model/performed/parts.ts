import { partsOf } from '../../parts-of.js';
import type { CommandOf } from '../command.js';
import type { Result } from '../result.js';
import type { WorldState } from './state.js';

export async function parts<Tx>(state: WorldState<Tx>, { by, kinds }: CommandOf<'parts'>): Promise<Result> {
  const { names } = state;
  const { queues } = names;
  const driver = await state.driver(by);
  const due = await driver.claims.dueQueues({ queues, kinds });
  const found = await partsOf(driver, queues);
  return {
    queues: due.map((queue) => names.short(queue)).sort(),
    parts: found
      .map(({ queue, limits }) => `${names.short(queue)} ${JSON.stringify(names.shortLimits(limits))}`)
      .sort(),
  };
}
