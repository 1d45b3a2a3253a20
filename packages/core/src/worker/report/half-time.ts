import type { Clock } from '../../clock.js';
import type { Logger } from '../../logger.js';
import type { RunInfo } from '../run/run-info.js';
import type { WorkerEmitter } from './events.js';

/**
 * Warns, once, when a held run has lasted half of the server's limit for its transaction.
 *
 * @returns ends the wait
 */
export function warnAtHalfTime(
  { clock, log, events }: { readonly clock: Clock; readonly log: Logger; readonly events: WorkerEmitter },
  run: { readonly info: RunInfo },
  limitMs: number,
): () => void {
  const heldMs = Math.round(limitMs / 2);
  return clock.after(heldMs, () => {
    log.warn(
      { ...run.info, heldMs, limitMs },
      "a run has held its transaction for half of what the server lets it; use claim: 'lease' for work this long, or a longer timeout",
    );
    events.emit('long', run.info, heldMs, limitMs);
  });
}
