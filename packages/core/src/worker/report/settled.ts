import { type State, TRANSITIONS } from '../../job/lifecycle.js';
import type { SettledRun, WorkerEmitter, WorkerEvents } from './events.js';

/** The events for jobs that ended in one state. */
const BY_STATE = [
  ['completed', 'complete'],
  ['failed', 'error'],
] as const satisfies readonly (readonly [keyof WorkerEvents, State])[];

/** Whether settlements have a listener. */
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
