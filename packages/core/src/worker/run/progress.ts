import type { Clock } from '../../clock.js';
import type { Driver } from '../../driver/driver.js';
import { checkJson, LIMITS } from '../../input.js';
import type { Json } from '../../job/json.js';
import type { Logger } from '../../logger.js';
import { NewestOnly } from '../time/newest-only.js';
import type { LiveRun } from './live-run.js';

/** At most one write in this time, in milliseconds: a handler may report as often as it likes. */
const EVERY_MS = 100;

export interface ProgressReporter {
  report(value: Json): void;
  stop(): void;
}

/** Writes a run's progress to its record, the newest value at most every `EVERY_MS`, one write at a time. What is left at the end is not worth a statement. */
export function progressReporter(
  driver: Pick<Driver, 'noteRun'>,
  run: Pick<LiveRun, 'runId' | 'jobs'>,
  clock: Clock,
  log: Logger,
): ProgressReporter {
  const write = async (progress: Json): Promise<void> => {
    try {
      await driver.noteRun(run, { progress });
    } catch (error) {
      log.debug({ err: error, runId: run.runId }, 'progress was not written');
    }
  };
  const newest = new NewestOnly(clock, EVERY_MS, write);

  return {
    report: (value) => newest.put(checkJson('progress', value, LIMITS.metadataBytes)),
    stop: () => newest.stop(),
  };
}
