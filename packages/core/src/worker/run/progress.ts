import type { Clock } from '../../clock.js';
import type { Uses } from '../../driver/driver.js';
import { checkJson, LIMITS } from '../../input.js';
import type { Json } from '../../job/json.js';
import type { Logger } from '../../logger.js';
import { apply } from '../../update/apply.js';
import { checkOperations } from '../../update/check-operation.js';
import type { Operation } from '../../update/operation.js';
import { Throttle } from '../time/throttle.js';
import type { LiveRun } from './live-run.js';

/** The least time between two writes, in milliseconds. A handler may report as often as it likes. */
const EVERY_MS = 100;

export interface ProgressReporter {
  report(value: Json): void;
  update(operations: readonly Operation[]): void;
  stop(): void;
}

/**
 * Writes a run's progress to its record, one write at a time. The newest value is written, at most every `EVERY_MS`. A
 * value that is left at the end of the run is dropped: it is not worth a statement.
 */
export function progressReporter(
  driver: Uses<{ claims: 'noteRun' }>,
  run: Pick<LiveRun, 'runId' | 'jobs'>,
  clock: Clock,
  log: Logger,
): ProgressReporter {
  const write = async (progress: Json): Promise<void> => {
    try {
      await driver.claims.noteRun(run, progress);
    } catch (error) {
      log.debug({ err: error, runId: run.runId }, 'progress was not written');
    }
  };
  const throttle = new Throttle(clock, EVERY_MS, write);

  // No other process writes it, so it is changed here, and written whole.
  let current: Json = null;
  const report = (value: Json): void => {
    current = checkJson('progress', value, LIMITS.metadataBytes);
    throttle.put(current);
  };

  return {
    report,
    update: (operations) => report(apply(checkOperations(operations), current)),
    stop: () => void throttle.stop(),
  };
}
