import type { Logger } from 'pino';

/**
 * Stops in good order on SIGTERM, SIGINT, or when the process that forked this one is gone; a second signal
 * ends the process at once.
 */
export function stopOnSignal(log: Logger, stop: () => Promise<void>): void {
  let stopping = false;
  const onSignal = (why: string): void => {
    if (stopping) {
      log.warn({ why }, 'stopping at once');
      process.exit(1);
    }
    stopping = true;
    log.info({ why }, 'stopping');
    stop().then(
      () => process.exit(0),
      (error: unknown) => {
        log.error({ err: error }, 'could not stop in good order');
        process.exit(1);
      },
    );
  };
  process.on('SIGTERM', () => onSignal('SIGTERM'));
  process.on('SIGINT', () => onSignal('SIGINT'));
  const onLetGo = (): void => {
    if (!stopping) onSignal('let go by the parent process');
  };
  // The parent may have let go while the modules were loaded, when nobody listened.
  if (process.connected === false) onLetGo();
  else process.once('disconnect', onLetGo);
}
