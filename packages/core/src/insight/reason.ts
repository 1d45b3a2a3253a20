import type { HeldJob, HoldingRun, NamedJob } from '../driver/insight.js';
import type { PauseTarget } from '../driver/pause.js';
import type { JobError } from '../job/job.js';
import type { State } from '../job/lifecycle.js';

/** Why a job does not run, as data. */
export type Cause =
  /** It has ended. */
  | {
      readonly reason: 'settled';
      readonly status: State;
      readonly at: Date | null;
      readonly error: JobError | null;
    }
  /** A run has it. */
  | ({ readonly reason: 'running' } & HoldingRun)
  /** Its time has not come, or no worker has made it claimable since. `error` is that of the attempt before. */
  | {
      readonly reason: 'delayed';
      readonly until: Date;
      readonly attempt: number;
      readonly maxAttempts: number;
      readonly error: JobError | null;
    }
  | ({
      readonly reason: 'paused';
      readonly until: Date | null;
      readonly because: string | null;
      readonly by: string;
      readonly since: Date;
    } & PauseTarget)
  /** No live worker takes jobs of its kind from its queue. `servedIn`: the queues of live workers that serve the kind. */
  | {
      readonly reason: 'unserved';
      readonly queue: string;
      readonly kind: string;
      readonly servedIn: readonly string[];
    }
  /** A run has another job of its queue and key. */
  | { readonly reason: 'key'; readonly key: string; readonly job: HeldJob }
  /** An earlier job of its queue and key goes first. `causes`: why that job does not run. */
  | {
      readonly reason: 'earlier';
      readonly key: string;
      readonly job: NamedJob;
      readonly causes: readonly Reason[];
    }
  /** Its handler's `after` has it wait for an earlier job of its key. */
  | { readonly reason: 'after'; readonly key: string; readonly job: NamedJob }
  /** Its own `after` has it wait for these jobs, up to 10. `more`: for others too. */
  | { readonly reason: 'follows'; readonly jobs: readonly NamedJob[]; readonly more: boolean }
  /** All slots are taken. `by`: jobs that have one, up to 100. Others may have slots too, as those of `slots()`. */
  | { readonly reason: 'limit'; readonly name: string; readonly max: number; readonly by: readonly HeldJob[] }
  /** The limit allows the next start at this time. */
  | { readonly reason: 'starts'; readonly name: string; readonly at: Date }
  /** Due jobs of its queue come first. `more`: there are more than `jobs`. */
  | { readonly reason: 'backlog'; readonly jobs: number; readonly more: boolean };

/** Why a job does not run. */
export type Reason = Cause & {
  /** Whether no claim takes the job while it lasts. If not, the job is only later than others. */
  readonly blocks: boolean;
  /** A sentence for people. */
  readonly text: string;
};
