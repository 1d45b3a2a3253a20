import type { Enqueueable, Enqueued, EnqueueOptions, JobView, Rowlock, Schedule } from '@rowlock/core';
import type {
  BegunRun,
  Explanation,
  LatestRuns,
  LatestRunsOptions,
  Operator,
  Reason,
} from '@rowlock/core/types';

type All = Rowlock<unknown>;

/**
 * The calls of a Rowlock that a dashboard makes: those that read, and `as`, which gives those that change something. A call
 * that is new here does not compile until `NarrowedCalls` says what a viewer of some queues and kinds gets of it.
 */
export interface Calls {
  readonly handlers: readonly Enqueueable[];
  readonly jobs: Pick<All['jobs'], 'list' | 'count' | 'pauses'>;
  readonly schedules: Pick<All['schedules'], 'list' | 'preview'>;
  readonly limits: Pick<All['limits'], 'list'>;
  readonly captures: Pick<All['captures'], 'check'>;
  readonly insight: Pick<All['insight'], 'picture' | 'stats' | 'trend' | 'workers' | 'audit'> & {
    explain(publicId: string): Promise<ShownExplanation>;
    runs(publicId: string): Promise<readonly BegunRun[]>;
    runs(time?: LatestRunsOptions): Promise<LatestRuns>;
  };
  find(publicId: string): Promise<JobView | undefined>;
  find(handler: Enqueueable, publicId: string): Promise<JobView | undefined>;
  as(name: string): Changes;
}

/** The calls that change something, which are on record with a viewer's name. `NarrowedChanges` cuts each of them. */
export interface Changes extends Pick<Operator<unknown>, 'cancel' | 'redrive' | 'update'> {
  readonly jobs: Pick<
    Operator<unknown>['jobs'],
    'cancelMany' | 'redriveMany' | 'updateMany' | 'deleteMany' | 'pause' | 'resume'
  >;
  readonly limits: Pick<Operator<unknown>['limits'], 'set' | 'reset'>;
  readonly errors: Pick<Operator<unknown>['errors'], 'mute' | 'unmute' | 'note'>;
  readonly schedules: Pick<Operator<unknown>['schedules'], 'run' | 'pause' | 'resume' | 'remove'> & {
    set(name: string, schedule: Schedule): Promise<void>;
  };
  enqueue(handler: Enqueueable, options: EnqueueOptions<unknown>): Promise<Enqueued>;
}

/** Why a job does not run, as far as a viewer may know it. */
export interface ShownExplanation extends Omit<Explanation, 'reasons'> {
  readonly reasons: readonly ShownReason[];
}

export type ShownReason = Reason | HiddenReason;

/** A reason without what it is about, which the viewer may not see. */
export interface HiddenReason extends Pick<Reason, 'reason' | 'blocks' | 'text'> {
  readonly isHidden: true;
}
