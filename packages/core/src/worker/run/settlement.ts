import type { Settlement } from '../../driver/claim-session.js';
import type { EarlierRuns } from '../../driver/run-record.js';
import type { InvalidPayloadError } from '../../errors.js';
import type { Outcome } from '../../handler/outcome.js';
import { type Backoff, backoffMs } from '../../job/backoff.js';
import type { Job } from '../../job/job.js';
import { jobError } from '../../job/job-error.js';
import { type SettlingEvent, TRANSITIONS } from '../../job/lifecycle.js';

export interface CountedJob extends Job {
  /** Attempts before this run, crashed ones included. */
  readonly attemptsMade: number;
  /** Runs of this job that ended in a crash, ever. */
  readonly crashesSeen: number;
  /** Runs of this job before this one, ever. */
  readonly earlierRuns: number;
}

/** Adds to a job the counts of its runs' records. Includes crashes that no settlement has counted yet. */
export function countRuns(job: Job, { crashes, earlierRuns }: Omit<EarlierRuns, 'id'>): CountedJob {
  const attemptsMade = job.attempt + Math.max(0, crashes - job.crashes);
  return { ...job, crashesSeen: crashes, earlierRuns, attemptsMade };
}

export type Ending =
  | Outcome
  | { readonly event: 'exhaust' | 'abandon'; readonly error: unknown }
  /** Its schema refused the payload: another version may take it. */
  | { readonly event: 'snooze'; readonly error: InvalidPayloadError }
  | { readonly event: 'release' };

export interface SettlementPolicy {
  readonly runId: string;
  readonly backoff: Backoff;
  readonly tookMs: number;
  readonly by: string;
}

export function settlementFor(job: CountedJob, ending: Ending, policy: SettlementPolicy): Settlement {
  const event = finalEvent(job, ending);
  const counted = TRANSITIONS[event].attempt === 'counted' ? 1 : 0;
  return {
    id: job.id,
    runId: policy.runId,
    event,
    attempt: job.attemptsMade + counted,
    crashes: job.crashesSeen,
    delayMs: event === 'retry' || event === 'snooze' ? delayMs(job, ending, policy.backoff) : 0,
    tookMs: policy.tookMs,
    output: ending.event === 'complete' ? ending.output : null,
    error: 'error' in ending ? jobError(ending.error) : null,
    by: policy.by,
  };
}

/** A retry without attempts left is a failure. */
function finalEvent(job: CountedJob, ending: Ending): SettlingEvent {
  return ending.event === 'retry' && isLastAttempt(job) ? 'fail' : ending.event;
}

export function isLastAttempt({ attemptsMade, maxAttempts }: CountedJob): boolean {
  return attemptsMade + 1 >= maxAttempts;
}

function delayMs(job: CountedJob, ending: Ending, backoff: Backoff): number {
  const requested = 'delayMs' in ending ? ending.delayMs : null;
  // Attempts do not grow by snoozes, so the pauses grow with the runs.
  const runs = ending.event === 'snooze' ? job.earlierRuns : job.attemptsMade;
  return requested ?? backoffMs(backoff, runs + 1);
}
