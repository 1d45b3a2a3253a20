import type { Settlement } from '../../driver/claim-session.js';
import { type State, TRANSITIONS } from '../../job/lifecycle.js';
import { isSilent } from '../../logger.js';
import type { Flow } from '../flow/context.js';
import type { Run } from '../run/run.js';
import type { SettledRun, WorkerEmitter, WorkerEvents } from './events.js';
import { logFailures } from './failures.js';

/** The events for jobs that ended in one state. */
const BY_STATE = [
  ['completed', 'complete'],
  ['failed', 'error'],
] as const satisfies readonly (readonly [keyof WorkerEvents, State])[];

/**
 * Logs and emits how runs ended, once their settlements are durable.
 *
 * @param written The settlements of all runs, in their order
 */
export function report<Tx>(
  flow: Flow<Tx>,
  runs: readonly Run<Tx>[],
  written: readonly Settlement[],
  tookMs: number,
): void {
  let place = 0;
  for (const run of runs) {
    const own = written.slice(place, place + run.jobs.length);
    place += run.jobs.length;
    if (own.every(({ event }) => event === 'release')) flow.events.emit('released', run.info);
    else reportRun(flow, run, own, tookMs);
  }
}

function reportRun<Tx>(
  { log, events, parts }: Flow<Tx>,
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

export function hasSettledListeners(events: WorkerEmitter): boolean {
  return events.hasListeners('settled') || BY_STATE.some(([name]) => events.hasListeners(name));
}

/** Emits `settled`, then `completed` and `failed` with the jobs that ended so. */
export function emitSettled(events: WorkerEmitter, ...[run, endings, tookMs]: SettledRun): void {
  events.emit('settled', run, endings, tookMs);
  for (const [name, state] of BY_STATE) {
    if (!events.hasListeners(name)) continue;
    const own = new Map([...endings].filter(([, event]) => TRANSITIONS[event].to === state));
    if (own.size > 0) events.emit(name, run, own, tookMs);
  }
}
