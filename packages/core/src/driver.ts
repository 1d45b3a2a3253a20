// The driver contract, and the parts that drivers and their tests share. Applications and handlers need none of it.
// It is an internal seam, which changes without notice: semantic versioning does not cover it.

export { type EnqueueWatcher, watchEnqueues } from './client/watched-enqueues.js';
export { systemClock } from './clock.js';
export {
  type AdaptedAnswer,
  type AdaptedTransaction,
  type CallersTx,
  checkDatabase,
} from './driver/adapted-transaction.js';
export * from './driver/admission.js';
export type * from './driver/anchor.js';
export { answerWithin } from './driver/answer-within.js';
export { apart, mayBeOfOne, type Refused } from './driver/apart.js';
export { BeatingAnchor, type Pulse } from './driver/beating-anchor.js';
export type * from './driver/capture-store.js';
export { type CaptureTrial, refusedTable, tryCapture } from './driver/capture-trial.js';
export type * from './driver/claim-session.js';
export type * from './driver/claims.js';
export { createdMs } from './driver/created-ms.js';
export { despiteDeadlocks } from './driver/despite-deadlocks.js';
export type * from './driver/driver.js';
export { type Expiry, type ExpiryLook, MOST_EXPIRED } from './driver/expiry.js';
export { type BackfillRows, fillRows, lossOf } from './driver/fill-rows.js';
export { type Checks, examined, type Fault, type Finding } from './driver/finding.js';
export { type Fired, firedOf } from './driver/fired.js';
export {
  type Admitted,
  type Followers,
  type FollowersLook,
  MOST_FOLLOWED,
  NEVER,
} from './driver/followers.js';
export { hasMembers, type Member, membersOf } from './driver/has-members.js';
export type * from './driver/history.js';
export type * from './driver/insight.js';
export {
  type ErrorFilter,
  type JobFilter,
  type JobIds,
  listed,
  type Members,
  type Page,
  type TimeRange,
} from './driver/job-filter.js';
export { HIGHEST_ID, NO_ID, rangeOf } from './driver/job-ids.js';
export type * from './driver/jobs.js';
export { keepChecking } from './driver/keep-checking.js';
export type * from './driver/lane.js';
export { noTransaction, onlyReads } from './driver/no-transaction.js';
export { isOwnHandle, ownHandle } from './driver/own-handle.js';
export {
  beforePaused,
  type NewPause,
  type PauseMode,
  type PauseTarget,
  type PauseView,
  wakeUpFor,
} from './driver/pause.js';
export type { ClientPool } from './driver/pool-size.js';
export {
  type FoundPart,
  type PartsPage,
  type PartsStretch,
  partsPage,
  type QueuePart,
} from './driver/queue-parts.js';
export type { RefusedJob } from './driver/refused-job.js';
export {
  type ColumnCondition,
  conditionOf,
  type RowCondition,
  type RowValue,
  type TableName,
} from './driver/row-condition.js';
export { runOver } from './driver/run-over.js';
export type * from './driver/run-record.js';
export { type LastRun, type RunOnRecord, type RunView, runsOf } from './driver/run-view.js';
export * from './driver/schedule-store.js';
export type * from './driver/schema.js';
export { type ClaimSource, SharedPool } from './driver/shared-pool.js';
export { type AppliedMigration, newestVersion } from './driver/sql-drivers/applied-migrations.js';
export { bareStatements } from './driver/sql-drivers/bare-statements.js';
export { connectionUrl } from './driver/sql-drivers/connection-url.js';
export { type Migration, migrationFiles } from './driver/sql-drivers/migration-files.js';
export { checkCall, endRefused, implicitEndRefused } from './driver/sql-drivers/own-transaction.js';
export { firstError, messageOf, SOCKET_CODES } from './driver/sql-drivers/socket-errors.js';
export { storableJson, storableText } from './driver/storable.js';
export type * from './driver/survey.js';
export { type LockProbe, PROBE_WAIT_MS, verifyLocks } from './driver/verify-locks.js';
export { concerns, type Hint, isHint, merged, type WakeUp, wakeUpOf } from './driver/wake-up.js';
export { newWorkerId } from './driver/worker-id.js';
export type * from './driver/workers.js';
export { milliseconds } from './duration.js';
export type { AnyHandler } from './handler/handler.js';
export { checkWhole, LIMITS } from './input.js';
export { BUCKETS } from './insight/buckets.js';
export { sumOf } from './insight/counts.js';
export { causesOf, isError } from './is-error.js';
export { expiresAtOf } from './job/expires.js';
export { GrowingDelay } from './job/growing-delay.js';
export type { Job, JobId, NewJob } from './job/job.js';
export {
  type ClientEvent,
  isLegal,
  isSettled,
  OUTSTANDING,
  SETTLED,
  type SettlingEvent,
  TRANSITIONS,
  type Transition,
  type TransitionName,
} from './job/lifecycle.js';
export {
  LIMITS_CHARACTERS,
  type LimitNumbers,
  limitsIn,
  limitsText,
  MOST_SLOTS,
  NO_LIMITS,
  namesIn,
  rateOf,
  ratesOf,
  type Size,
  sizesOf,
} from './job/limits-text.js';
export { newPublicId } from './job/public-id.js';
export { type Rate, type RateNumbers, startAt } from './job/rate.js';
export { driverOf } from './rowlock.js';
export { shown } from './shown.js';
export { apply } from './update/apply.js';
export { checkOperations } from './update/check-operation.js';
export { EXACT } from './update/exact-sum.js';
export { REFUSED, type RefusalReason, refusalIn } from './update/refusal.js';
export { columnsOf } from './update/where.js';
