import type { NewPause, PauseTarget } from '../../driver/pause.js';
import type { Outcome } from '../../handler/outcome.js';
import type { Job } from '../../job/job.js';
import { namesIn } from '../../job/limits-text.js';
import type { Flow } from './context.js';

type Ended = readonly [job: Job, outcome: Outcome];

/**
 * Pauses what has a limit of a job whose handler returned `pause()`, or what is of its kind. At once, and not
 * with the settlement: meanwhile others would go on. If that fails, the job still waits.
 */
export async function pauseShared<Tx>(
  { driver, host, log }: Flow<Tx>,
  ended: readonly Ended[],
): Promise<void> {
  for (const pause of pausesOf(ended, host).values()) {
    try {
      await driver.admission.pause(pause, 'extend');
    } catch (err) {
      log.warn({ err, ...pause }, 'the work could not be paused: other jobs of it go on');
    }
  }
}

/** The pauses by their targets. Of two, the one that ends later. */
function pausesOf(ended: readonly Ended[], by: string): ReadonlyMap<string, TimedPause> {
  const pauses = new Map<string, TimedPause>();
  for (const [job, outcome] of ended) {
    if (outcome.event !== 'snooze' || outcome.pause === undefined) continue;
    const { until, reason } = outcome.pause;
    for (const target of targetsOf(job)) {
      const key = `${target.scope} ${target.name}`;
      const other = pauses.get(key);
      if (other === undefined || other.until < until) pauses.set(key, { ...target, until, reason, by });
    }
  }
  return pauses;
}

type TimedPause = NewPause & { readonly until: Date };

function targetsOf({ kind, limits }: Job): readonly PauseTarget[] {
  const names = namesIn(limits);
  return names.length === 0
    ? [{ scope: 'kind', name: kind }]
    : names.map((name) => ({ scope: 'limit', name }));
}
