// The types of options and answers, which the compiler finds by itself where a call is made.
export type { PluginLimits } from './admission/declared-limits.js';
export type { LimitView } from './admission/in-use.js';
export type { LimitedJob, LimitOptions } from './admission/limit.js';
export type { LimitSettings } from './admission/limit-settings.js';
export type { PauseOptions } from './admission/pauses.js';
export type { AcquireOptions, Slots, SlotsFull, SlotsSize } from './admission/slots.js';
export type { AuditOptions, AuditPage } from './audit/entries.js';
export type { ErrorRemarks, MuteOptions } from './audit/error-remarks.js';
export type { CaptureEvents, CaptureOptions } from './captures/capture-options.js';
export type { CapturedJob } from './captures/captured-job.js';
export type {
  CaptureBackfillOptions,
  CaptureLockOptions,
  CaptureReport,
  Captures,
} from './captures/captures.js';
export type { BulkChange, CapturedChange, CapturedId, CapturedRow, RowChange } from './captures/change.js';
export type { Jobs, PruneOptions } from './client/jobs.js';
export type { CountOptions, Listed, ListOptions } from './client/listing.js';
export type { ManyChanged, ManyOptions } from './client/many.js';
export type { SettledOptions } from './client/settled-jobs.js';
export type { AdaptedAnswer, AdaptedTransaction } from './driver/adapted-transaction.js';
export type { WorkerView } from './driver/anchor.js';
export type { AuditAction, AuditDetails, AuditEntry, AuditScope } from './driver/audit.js';
export type { CaptureCheck, CaptureNotify, CaptureProblem } from './driver/capture-store.js';
export type { RunningJobs } from './driver/history.js';
export type { BegunRun, HeldJob, HoldingRun, NamedJob } from './driver/insight.js';
export type { ErrorFilter, Members, TimeRange } from './driver/job-filter.js';
export type { PauseView } from './driver/pause.js';
export type { RunView } from './driver/run-view.js';
export type { Missed, Overlap, ScheduleSource } from './driver/schedule-store.js';
export type { MigrationReport } from './driver/schema.js';
export type { PayloadIssue } from './errors.js';
export type {
  AnyHandler,
  HandlerClass,
  HandlerDefaults,
  HandlerDefinition,
  Progress,
  RetryOptions,
} from './handler/handler.js';
export type { FailureHandler } from './handler/on-failed.js';
export type { OutputOf, PauseUntil, Returnable } from './handler/outcome.js';
export type { Resolve, Resolved } from './handler/resolve.js';
export type { RetentionRules } from './history/retention.js';
export type { Percentiles } from './insight/buckets.js';
export type { WindowStats } from './insight/counts.js';
export type { Explanation } from './insight/explain.js';
export type { Insight } from './insight/insight.js';
export type { ClaimedState, Picture, PicturedJob, PictureOptions } from './insight/picture.js';
export type { Cause, Reason } from './insight/reason.js';
export type { LatestRuns, LatestRunsOptions } from './insight/runs.js';
export type { LaneStats, Stats } from './insight/stats.js';
export type { Trend, TrendOptions, TrendPoint } from './insight/trend.js';
export type { Debounce, OnDuplicate } from './job/enqueue-options.js';
export type { JobCount, UniqueScope } from './job/job.js';
export type { JsonObject, Serializable } from './job/json.js';
export type { SettlingEvent } from './job/lifecycle.js';
export type { LimitNumbers, Limits } from './job/limits-text.js';
export type { Operator } from './operator.js';
export type { CalledJob, EnqueueCall } from './plugin/enqueue-call.js';
export type { Middleware, RunEnd } from './plugin/middleware.js';
export type { PluginDefinition, WorkerOfPlugin } from './plugin/plugin.js';
export type { ScheduledJob } from './schedules/schedule.js';
export type { Schedules, ScheduleView } from './schedules/schedules.js';
export type { ScheduleTimes } from './schedules/timing.js';
export type { Path } from './update/operation.js';
export type { RefusalReason } from './update/refusal.js';
export type { SettledRun, UnservedJobs } from './worker/report/events.js';
export type { RemainingJobs, UntilIdleOptions, WorkReport } from './worker/until-idle.js';
export type { StopOptions } from './worker/worker.js';
