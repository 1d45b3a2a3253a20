// What a user calls.
export type { CallOptions } from './client/call-options.js';
export type { Client, ListOptions } from './client/client.js';
export type { Enqueueable, EnqueueOptions } from './client/enqueue-options.js';
export { LIMITS } from './client/limits.js';
// What a driver is, and what drivers share.
export { newPublicId } from './client/public-id.js';
// What can be injected.
export { type Clock, systemClock } from './clock.js';
export { answerWithin } from './driver/answer-within.js';
export type * from './driver/driver.js';
export {
  DRIVER_ERROR_CODES,
  DriverError,
  type DriverErrorCode,
  isDriverError,
} from './driver/driver-error.js';
export { keepAsking } from './driver/keep-asking.js';
export { concerns, wakeUpOf } from './driver/wake-up.js';
export { type Duration, milliseconds } from './duration.js';
// What can go wrong.
export {
  CancelledError,
  ClaimLostError,
  DuplicateKindError,
  HandlerTimeoutError,
  IllegalTransitionError,
  InvalidInputError,
  InvalidPayloadError,
  JobNotFoundError,
  type PayloadIssue,
  PoolTooSmallError,
  RowlockError,
  UnknownKindError,
  WorkerStoppedError,
} from './errors.js';
// What a user writes: handlers, outcomes, plugins.
export {
  type AnyHandler,
  defineHandler,
  type Handler,
  type HandlerClass,
  type HandlerCode,
  type HandlerDefinition,
  type HandlerOptions,
  type HandlerPolicy,
  type RetryOptions,
  type RunContext,
  type RunFunction,
  type RunJob,
} from './handler/handler.js';
export { complete, fail, type HandlerResult, type Outcome, retry, snooze } from './handler/outcome.js';
export { definePlugin, type Plugin } from './handler/plugin.js';
export { RUN, TRANSACTION } from './handler/run-container.js';
// What a job is.
export type { Enqueued, Job, JobError, JobId, JobView, NewJob, UniqueScope } from './job/job.js';
export type { Json } from './job/json.js';
export {
  type ClientEvent,
  isLegal,
  isSettled,
  OUTSTANDING,
  SETTLED,
  type SettlingEvent,
  STATES,
  type State,
  TRANSITIONS,
  type Transition,
  type TransitionName,
} from './job/lifecycle.js';
export { consoleLogger, type Logger } from './logger.js';
export type { Retention, RetentionRules } from './retention/retention.js';
export { createRowlock, type PruneOptions, type Rowlock, type RowlockOptions } from './rowlock.js';
export { BeatingAnchor, type Pulse } from './worker/beating-anchor.js';
export type { RunInfo, WorkerEvents } from './worker/events.js';
export type { StopOptions, Worker, WorkerOptions } from './worker/worker.js';
