import type { CommandOf } from '../command.js';
import type { Actor } from '../parts.js';
import type { Result } from '../result.js';
import type { ModelState } from './state.js';

export function crash(state: ModelState, { by, how }: CommandOf<'crash'>): Result {
  const hadClaim = state.transactions.has(by);
  state.end(by, 'rollback');
  // Whoever is only cut off comes back under the same name.
  if (how === 'killed') endSession(state, by);
  return hadClaim ? { refused: 'ConnectionLost' } : undefined;
}

export function stop(state: ModelState, { by }: CommandOf<'stop'>): Result {
  return endSession(state, by);
}

function endSession(state: ModelState, by: Actor): void {
  const worker = state.sessions.get(by);
  if (worker !== undefined) worker.alive = false;
  state.sessions.delete(by);
}
