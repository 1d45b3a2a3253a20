import { checkJson, LIMITS } from '../client/limits.js';
import type { Clock } from '../clock.js';
import type { Driver } from '../driver/driver.js';
import type { Json } from '../job/json.js';
import type { Logger } from '../logger.js';
import type { LiveRun } from './live-run.js';

/** At most one write in this time, in milliseconds: a handler may report as often as it likes. */
const EVERY_MS = 100;

export interface ProgressReporter {
  report(value: Json): void;
  stop(): void;
}

/** Writes a run's progress to its record, the newest value at most every `EVERY_MS`. What is left at the end is not worth a statement. */
export function progressReporter(
  driver: Pick<Driver, 'noteRun'>,
  run: Pick<LiveRun, 'processId' | 'jobs' | 'recorded'>,
  clock: Clock,
  log: Logger,
): ProgressReporter {
  let newest: { value: Json } | null = null;
  let cancelTimer: (() => void) | null = null;
  let stopped = false;

  const write = (): void => {
    cancelTimer = null;
    if (newest === null) return;
    const { value } = newest;
    newest = null;
    run.recorded
      .then(() => driver.noteRun(run, { progress: value }))
      .catch((error: unknown) =>
        log.debug({ err: error, processId: run.processId }, 'progress was not written'),
      );
  };

  return {
    report(value) {
      newest = { value: checkJson('progress', value, LIMITS.metadataBytes) };
      if (!stopped) cancelTimer ??= clock.after(EVERY_MS, write);
    },
    stop() {
      stopped = true;
      cancelTimer?.();
    },
  };
}
