// The types of options and answers, which the compiler finds by itself where a call is made.
export type { PluginLimits } from './admission/declared-limits.js';
export type { LimitView } from './admission/in-use.js';
export type { LimitedJob, LimitOptions } from './admission/limit.js';
export type { LimitSettings } from './admission/limit-settings.js';
export type { LimitNumbers, Limits } from './admission/limits-text.js';
export type { CaptureEvents, CaptureOptions } from './capture/capture-options.js';
export type { CapturedJob } from './capture/captured-job.js';
export type { BulkChange, CapturedChange, CapturedId, CapturedRow, RowChange } from './capture/change.js';
export type {
  CaptureBackfillOptions,
  CaptureCheck,
  CaptureLockOptions,
  CaptureReport,
  Captures,
} from './client/captures.js';
export type { Jobs, PruneOptions } from './client/jobs.js';
export type { CountOptions, Listed, ListOptions } from './client/listing.js';
export type { Counted } from './client/look.js';
export type { ManyChanged, ManyJobs, ManyOptions } from './client/many.js';
export type { Debounce, OnDuplicate } from './client/on-duplicate.js';
export type { PauseOptions } from './client/pauses.js';
export type { Schedules, ScheduleView } from './client/schedules.js';
export type { SettledOptions } from './client/settled-jobs.js';
export type { AcquireOptions, Slots, SlotsFull, SlotsSize } from './client/slots.js';
export type { WorkerView } from './driver/anchor.js';
export type { BegunRun } from './driver/begun-runs.js';
export type { CaptureNotify, CaptureProblem } from './driver/capture-store.js';
export type { RunningJobs } from './driver/history.js';
export type { ErrorFilter, Members, TimeRange } from './driver/job-filter.js';
export type { PauseView } from './driver/pause.js';
export type { RunView } from './driver/run-view.js';
export type { Missed, Overlap, ScheduleSource } from './driver/schedule-store.js';
export type { MigrationReport } from './driver/schema.js';
export type { HeldJob, HoldingRun, NamedJob } from './driver/situation.js';
export type { PayloadIssue } from './errors.js';
export type { Explanation } from './explain/explain.js';
export type { Cause, Reason } from './explain/reason.js';
export type { HandlerDefinition, Progress, RetryOptions } from './handler/handler.js';
export type { OutputOf, PauseUntil, Returnable } from './handler/outcome.js';
export type { Insight } from './insight/insight.js';
export type { UniqueScope } from './job/job.js';
export type { Serializable } from './job/json.js';
export type { SettlingEvent } from './job/lifecycle.js';
export type { ClaimedState } from './picture/claimed.js';
export type { Picture, PicturedJob, PictureOptions } from './picture/picture.js';
export type { CalledJob, EnqueueCall } from './plugin/enqueue-call.js';
export type { Middleware, RunEnd } from './plugin/middleware.js';
export type { PluginDefinition, WorkerOfPlugin } from './plugin/plugin.js';
export type { RetentionRules } from './retention/retention.js';
export type { LatestRuns, LatestRunsOptions } from './runs/latest-runs.js';
export type { ScheduledJob } from './schedule/schedule.js';
export type { ScheduleTimes } from './schedule/timing.js';
export type { Percentiles } from './stats/buckets.js';
export type { UnservedJobs } from './stats/served.js';
export type { JobCount, LaneStats, Stats, WindowStats } from './stats/stats.js';
export type { Trend, TrendOptions, TrendPoint } from './stats/trend.js';
export type { JsonObject, Path } from './update/operation.js';
export type { RefusalReason } from './update/refusal.js';
export type { Where } from './update/where.js';
export type { SettledRun } from './worker/tell/events.js';
export type { StopOptions } from './worker/worker.js';
