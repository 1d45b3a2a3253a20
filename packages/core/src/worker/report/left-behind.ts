import type { Flow } from '../flow/context.js';
import type { RunInfo } from '../run/run-info.js';

/**
 * Logs a handler that does not stop, and again its end.
 *
 * @param ended Its late end.
 */
export function leaveBehind<Tx>(
  { calls: { log }, reported: { leftBehind }, events }: Flow<Tx>,
  info: RunInfo,
  ended: Promise<unknown>,
): void {
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
