import type { StandardSchemaV1 } from '@standard-schema/spec';

/** An error of Rowlock's public API, whose `code` is stable and whose message says what to do. */
export class RowlockError extends Error {
  override readonly name: string = 'RowlockError';

  constructor(
    readonly code: `ROWLOCK_${string}`,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

/** A value that was passed in is of the wrong form, too long or out of range. */
export class InvalidInputError extends RowlockError {
  override readonly name = 'InvalidInputError';

  constructor(message: string, options?: ErrorOptions) {
    super('ROWLOCK_INVALID_INPUT', message, options);
  }
}

/** A payload does not satisfy its handler's schema. `issues` says where. */
export class InvalidPayloadError extends RowlockError {
  override readonly name = 'InvalidPayloadError';

  constructor(
    readonly kind: string,
    readonly issues: readonly PayloadIssue[],
  ) {
    super(
      'ROWLOCK_INVALID_PAYLOAD',
      `The payload of ${JSON.stringify(kind)} is invalid: ${describe(issues)}.`,
    );
  }
}

/** A schema's complaint, and where it applies: the names and positions that lead there. */
export interface PayloadIssue {
  readonly path: readonly (string | number)[];
  readonly message: string;
}

/** Brings a Standard Schema's issues into plain data. */
export function payloadIssues(issues: readonly StandardSchemaV1.Issue[]): readonly PayloadIssue[] {
  return issues.slice(0, MAX_ISSUES).map(({ message, path = [] }) => ({
    message,
    path: path.map((segment) => {
      const name = typeof segment === 'object' ? segment.key : segment;
      return typeof name === 'number' ? name : String(name);
    }),
  }));
}

/** More issues would make a row and a log line too long. */
const MAX_ISSUES = 20;

function describe(issues: readonly PayloadIssue[]): string {
  return issues
    .map(({ path, message }) => (path.length > 0 ? `${path.join('.')}: ${message}` : message))
    .join('; ');
}

/** Two handlers have the same kind. */
export class DuplicateKindError extends RowlockError {
  override readonly name = 'DuplicateKindError';

  constructor(kind: string) {
    super(
      'ROWLOCK_DUPLICATE_KIND',
      `Two handlers have the kind ${JSON.stringify(kind)}. Rename one, or pass only one of them.`,
    );
  }
}

/** A plugin's `start` or middleware has failed. `cause` is what it threw. */
export class PluginError extends RowlockError {
  override readonly name = 'PluginError';

  constructor(
    /** The name of the plugin. */
    readonly plugin: string,
    message: string,
    options?: ErrorOptions,
  ) {
    super('ROWLOCK_PLUGIN', message, options);
  }
}

/** There is no job with this public id. */
export class JobNotFoundError extends RowlockError {
  override readonly name = 'JobNotFoundError';

  constructor(publicId: string) {
    super('ROWLOCK_JOB_NOT_FOUND', `There is no job ${publicId}. It may have been pruned.`);
  }
}

/** A job has not ended within the time for which a caller waits. It goes on. */
export class NotSettledError extends RowlockError {
  override readonly name = 'NotSettledError';

  constructor(publicId: string, waitedMs: number) {
    super('ROWLOCK_NOT_SETTLED', `Job ${publicId} has not ended within ${waitedMs} ms. It goes on.`);
  }
}

/** There is no schedule with this name. */
export class ScheduleNotFoundError extends RowlockError {
  override readonly name = 'ScheduleNotFoundError';

  constructor(schedule: string) {
    super('ROWLOCK_SCHEDULE_NOT_FOUND', `There is no schedule ${JSON.stringify(schedule)}.`);
  }
}

/** The event is not legal in the job's present state. */
export class IllegalTransitionError extends RowlockError {
  override readonly name = 'IllegalTransitionError';

  constructor(event: string, publicId: string, status: string) {
    super('ROWLOCK_ILLEGAL_TRANSITION', `Cannot ${event} job ${publicId}: it is ${status}.`);
  }
}

/**
 * The pool's connections do not suffice for the concurrency of the workers that share it. Or the server lets in too few
 * connections for any worker.
 */
export class PoolTooSmallError extends RowlockError {
  override readonly name = 'PoolTooSmallError';

  constructor(message: string) {
    super('ROWLOCK_POOL_TOO_SMALL', message);
  }
}

/** The Rowlock was closed. A repeat of the call cannot work. */
export class ClosedError extends RowlockError {
  override readonly name = 'ClosedError';

  constructor() {
    super('ROWLOCK_CLOSED', 'This Rowlock is closed: create another one.');
  }
}

/** A handler took longer than its timeout. */
export class HandlerTimeoutError extends RowlockError {
  override readonly name = 'HandlerTimeoutError';

  constructor(kind: string, timeoutMs: number) {
    super('ROWLOCK_TIMEOUT', `The handler of ${JSON.stringify(kind)} took longer than ${timeoutMs} ms.`);
  }
}

/** A client cancelled the job while its handler was running. */
export class CancelledError extends RowlockError {
  override readonly name = 'CancelledError';

  constructor(publicId: string) {
    super('ROWLOCK_CANCELLED', `Job ${publicId} was cancelled.`);
  }
}

/** The worker stops and no longer waits for the run. Also thrown by `start` of a worker that was stopped. */
export class WorkerStoppedError extends RowlockError {
  override readonly name = 'WorkerStoppedError';

  constructor(message = 'The worker is stopping; the job goes back to the queue.') {
    super('ROWLOCK_WORKER_STOPPED', message);
  }
}

/** The claim was lost: the server ended it, or another client settled the job. Nothing was written. */
export class ClaimLostError extends RowlockError {
  override readonly name = 'ClaimLostError';

  constructor(runId: string, options?: ErrorOptions) {
    super('ROWLOCK_CLAIM_LOST', `Run ${runId} lost its claim, and settled nothing.`, options);
  }
}
