// Limits.
export type { PluginLimits } from './admission/declared-limits.js';
export type { LimitView } from './admission/in-use.js';
export type { Limit, LimitedJob, LimitOptions, LimitRule } from './admission/limit.js';
export type { LimitSettings } from './admission/limit-settings.js';
export type { LimitNumbers, Limits } from './admission/limits-text.js';
// Captures to define.
export { type Capture, type CaptureEvents, type CaptureOptions, defineCapture } from './capture/capture.js';
export { type CapturedJob, capturedJob } from './capture/captured-job.js';
export type {
  BulkChange,
  CapturedChange,
  CapturedId,
  CapturedRow,
  ChangeOf,
  RowChange,
} from './capture/change.js';
// Functions to call.
export type { CallOptions } from './client/call-options.js';
export type {
  CaptureBackfillOptions,
  CaptureCheck,
  CaptureLockOptions,
  CaptureReport,
  Captures,
} from './client/captures.js';
export type { Enqueueable, EnqueueOptions } from './client/enqueue-options.js';
export type { Jobs, PruneOptions } from './client/jobs.js';
export type { CountOptions, Listed, ListOptions } from './client/listing.js';
export type { Counted } from './client/look.js';
export type { ManyChanged, ManyJobs, ManyOptions } from './client/many.js';
export type { Debounce, OnDuplicate, Unique } from './client/on-duplicate.js';
export type { Pausable, PauseOptions } from './client/pauses.js';
export type { Schedules, ScheduleView } from './client/schedules.js';
export type { SettledOptions } from './client/settled-jobs.js';
export type { AcquireOptions, SlotHolder, Slots, SlotsFull, SlotsSize } from './client/slots.js';
export type { JobChanges } from './client/update-job.js';
export type { Clock } from './clock.js';
// The type of a driver. The entry `driver` has the parts to build one.
export type { WorkerView } from './driver/anchor.js';
export type { BegunRun } from './driver/begun-runs.js';
export type { CaptureNotify, CaptureProblem } from './driver/capture-store.js';
export type { Driver } from './driver/driver.js';
export {
  DriverError,
  type DriverErrorCode,
  isDriverError,
} from './driver/driver-error.js';
export type { RunningJobs } from './driver/history.js';
export type { ErrorFilter, JobFilter, Members, TimeRange } from './driver/job-filter.js';
export type { PauseView } from './driver/pause.js';
export type { RunView } from './driver/run-view.js';
export type { Missed, Overlap, ScheduleSource } from './driver/schedule-store.js';
export type { MigrationReport } from './driver/schema.js';
// Explanations.
export type { HeldJob, HoldingRun, NamedJob } from './driver/situation.js';
export type { Duration } from './duration.js';
// Errors.
export {
  CancelledError,
  ClaimLostError,
  ClosedError,
  DuplicateKindError,
  HandlerTimeoutError,
  IllegalTransitionError,
  InvalidInputError,
  InvalidPayloadError,
  JobNotFoundError,
  NotSettledError,
  type PayloadIssue,
  PluginError,
  PoolTooSmallError,
  RowlockError,
  ScheduleNotFoundError,
  WorkerStoppedError,
} from './errors.js';
export type { Explanation } from './explain/explain.js';
export type { Cause, Reason } from './explain/reason.js';
// Handlers and outcomes to define.
export {
  type DefineHandler,
  defineHandler,
  type Handler,
  type HandlerDefinition,
  type HandlerOptions,
  type Progress,
  type RetryOptions,
  type RunContext,
  type RunJob,
} from './handler/handler.js';
export {
  complete,
  fail,
  type HandlerResult,
  isOutcome,
  type Outcome,
  type OutputOf,
  type PauseUntil,
  pause,
  type Returnable,
  retry,
  snooze,
} from './handler/outcome.js';
export { RUN, TRANSACTION } from './handler/run-container.js';
export type { Insight } from './insight/insight.js';
// Jobs.
export type { Enqueued, JobError, JobView, UniqueScope } from './job/job.js';
export type { Json, Serializable, Stored } from './job/json.js';
export { type SettlingEvent, STATES, type State } from './job/lifecycle.js';
export { consoleLogger, type Logger } from './logger.js';
// The picture of a queue.
export type { ClaimedState } from './picture/claimed.js';
export type { Picture, PicturedJob, PictureOptions } from './picture/picture.js';
// Plugins to define.
export type { CalledJob, EnqueueCall } from './plugin/enqueue-call.js';
export type { EnqueueMiddleware, Middleware, RunEnd, RunMiddleware } from './plugin/middleware.js';
export {
  definePlugin,
  type Plugin,
  type PluginDefinition,
  type PluginWorker,
  type WorkerOfPlugin,
} from './plugin/plugin.js';
export type { Retention, RetentionRules } from './retention/retention.js';
export { createRowlock, type Rowlock, type RowlockOptions } from './rowlock.js';
export type { LatestRuns, LatestRunsOptions } from './runs/latest-runs.js';
export { defineSchedule, type Schedule, type ScheduledJob, type ScheduleTimes } from './schedule/schedule.js';
export type { Tick } from './schedule/tick.js';
export type { Percentiles } from './stats/buckets.js';
export type { UnservedJobs } from './stats/served.js';
export type { JobCount, LaneStats, Stats, WindowStats } from './stats/stats.js';
export type { Trend, TrendOptions, TrendPoint } from './stats/trend.js';
export {
  append,
  increment,
  type JsonObject,
  merge,
  type Operation,
  type Path,
  remove,
  set,
} from './update/operation.js';
export { type RefusalReason, UpdateRefusedError } from './update/refusal.js';
export type { Where } from './update/where.js';
export type { RunInfo } from './worker/run/run-info.js';
export type { SettledRun, WorkerEvents } from './worker/tell/events.js';
export type { StopOptions, Worker, WorkerOptions } from './worker/worker.js';
