import { LimitSettings } from './admission/limit-settings.js';
import { ErrorRemarks } from './audit/error-remarks.js';
import type { Calls } from './client/calls.js';
import { Client } from './client/client.js';
import { Jobs } from './client/jobs.js';
import type { RetentionLimits } from './history/retention.js';
import type { AroundEnqueue } from './plugin/around-enqueue.js';
import { Schedules } from './schedules/schedules.js';

/** What the calls need of their program. */
export interface OperatorParts {
  /** The middleware around enqueues, if any. */
  readonly around: AroundEnqueue | undefined;
  readonly retention: RetentionLimits;
}

/**
 * All calls that change something. Those of `rowlock.as(name)` are made in an operator's name: what they change is on
 * record with that name, in the same transaction, for `insight.audit`.
 */
export class Operator<Tx = unknown> extends Client<Tx> {
  /** Jobs by a filter, many jobs, and paused work. */
  readonly jobs: Jobs<Tx>;
  /** The limits that are in use, and their numbers at run time. */
  readonly limits: LimitSettings<Tx>;
  /** The schedules, at run time. */
  readonly schedules: Schedules<Tx>;
  /** Mutes and notes of groups of errors. */
  readonly errors: ErrorRemarks<Tx>;

  constructor(calls: Calls<Tx>, { around, retention }: OperatorParts) {
    super(calls, around);
    this.jobs = new Jobs(calls, retention);
    this.limits = new LimitSettings(calls);
    this.schedules = new Schedules(calls);
    this.errors = new ErrorRemarks(calls);
  }
}
