// Calls, definitions, errors, and the types that people write down.
// The entry `types` has all others. It is loaded here, so that a compiler can name a type that it infers.
import './types.js';

export type { Limit, LimitRule } from './admission/limit.js';
export type { Pausable } from './admission/pauses.js';
export type { SlotHolder } from './admission/slots.js';
export { type Capture, defineCapture } from './captures/capture.js';
export { capturedJob } from './captures/captured-job.js';
export type { ChangeOf } from './captures/change.js';
export type { CallOptions } from './client/call-options.js';
export type { JobChanges } from './client/update-job.js';
export type { Clock } from './clock.js';
export { AUDIT_ACTIONS, AUDIT_SCOPES } from './driver/audit.js';
export type { Driver } from './driver/driver.js';
export { DriverError, type DriverErrorCode, isDriverError } from './driver/driver-error.js';
export type { JobFilter } from './driver/job-filter.js';
export { type Duration, milliseconds } from './duration.js';
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
  PluginError,
  PoolTooSmallError,
  RowlockError,
  ScheduleNotFoundError,
  WorkerStoppedError,
} from './errors.js';
export type { Codec } from './handler/codec.js';
export type { Enqueueable } from './handler/enqueueable.js';
export {
  type DefineHandler,
  defineHandler,
  type Handler,
  type HandlerOptions,
  type RunContext,
  type RunJob,
} from './handler/handler.js';
export { type FailedJob, failedJob } from './handler/on-failed.js';
export {
  complete,
  fail,
  type HandlerResult,
  isOutcome,
  type Outcome,
  pause,
  retry,
  snooze,
} from './handler/outcome.js';
export type { Retention } from './history/retention.js';
export type { EnqueueOptions, Unique } from './job/enqueue-options.js';
export type { Enqueued, JobError, JobView } from './job/job.js';
export type { Json, Stored } from './job/json.js';
export { STATES, type State } from './job/lifecycle.js';
export type { Tick } from './job/tick.js';
export { checkOptions } from './known-options.js';
export { consoleLogger, type Logger } from './logger.js';
export type { EnqueueMiddleware, RunMiddleware } from './plugin/middleware.js';
export { definePlugin, type Plugin, type PluginWorker } from './plugin/plugin.js';
export { createRowlock, Rowlock, type RowlockOptions } from './rowlock.js';
export { defineSchedule, type Schedule } from './schedules/schedule.js';
export type { Operation } from './update/operation.js';
export { append, increment, merge, remove, set } from './update/operations.js';
export { UpdateRefusedError } from './update/refusal.js';
export type { WorkerEvents } from './worker/report/events.js';
export type { RunInfo } from './worker/run/run-info.js';
export type { Worker, WorkerOptions } from './worker/worker.js';
