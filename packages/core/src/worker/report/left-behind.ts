import type { Logger } from '../../logger.js';
import type { RunInfo } from '../run/run-info.js';
import type { WorkerEmitter } from './events.js';

/** The dependencies for handlers that ignored their signals. */
interface Crew {
  /** Their runs, as long as their code goes on. */
  readonly leftBehind: Set<RunInfo>;
  readonly log: Logger;
  readonly events: WorkerEmitter;
}

/**
 * Logs a handler that does not stop, and again its end.
 *
 * @param ended Its late end.
 */
export function leaveBehind({ leftBehind, log, events }: Crew, info: RunInfo, ended: Promise<unknown>): void {
  leftBehind.add(info);
  log.error(
    { ...info, leftBehind: leftBehind.size },
    'a handler ignored its signal: its transaction was taken from it, and its code runs on; let it watch signal',
  );
  events.emit('leftBehind', info);
  const note = (): void => {
    leftBehind.delete(info);
    log.warn({ ...info, leftBehind: leftBehind.size }, 'a handler that was left behind has ended');
  };
  ended.then(note, note);
}
