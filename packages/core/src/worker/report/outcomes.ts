import type { Settlement } from '../../driver/claim-session.js';
import { isSilent, type Logger } from '../../logger.js';
import type { Parts } from '../parts.js';
import type { Run } from '../run/run.js';
import type { WorkerEmitter } from './events.js';
import { logFailures } from './failures.js';
import { emitSettled, hasSettledListeners } from './settled.js';

/** The log, the events and the parts. */
interface Listeners {
  readonly log: Logger;
  readonly events: WorkerEmitter;
  readonly parts: Pick<Parts, 'settled'>;
}

/**
 * Logs and emits how runs ended, once their settlements are durable.
 *
 * @param written The settlements of all runs, in their order
 */
export function report<Tx>(
  to: Listeners,
  runs: readonly Run<Tx>[],
  written: readonly Settlement[],
  tookMs: number,
): void {
  let place = 0;
  for (const run of runs) {
    const own = written.slice(place, place + run.jobs.length);
    place += run.jobs.length;
    if (own.every(({ event }) => event === 'release')) to.events.emit('released', run.info);
    else reportRun(to, run, own, tookMs);
  }
}

function reportRun<Tx>(
  { log, events, parts }: Listeners,
  run: Run<Tx>,
  settlements: readonly Settlement[],
  tookMs: number,
): void {
  logFailures(log, run, settlements);
  parts.settled(run.jobs, settlements, tookMs);
  // Without listeners the event is not made.
  if (isSilent(log.debug) && !hasSettledListeners(events)) return;
  const { info, jobs } = run;
  const endings = new Map(
    jobs.map(({ publicId }, index) => [publicId, settlements[index]?.event ?? 'retry']),
  );
  log.debug({ ...info, tookMs, endings: [...new Set(endings.values())] }, 'settled');
  emitSettled(events, info, endings, tookMs);
}
