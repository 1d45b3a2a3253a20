import type { CommandOf } from '../command.js';
import type { Result } from '../result.js';
import { dueNow } from './due.js';
import type { ModelState } from './state.js';

export function parts(state: ModelState, { kinds }: CommandOf<'parts'>): Result {
  const { queues, parts } = dueNow(state, kinds);
  return { queues, parts };
}
