import { STATUS_CODES } from 'node:http';
import { InvalidPayloadError, isDriverError, RowlockError } from '@rowlock/core';

/** An answer that is not the wanted one: problem details as in RFC 9457. */
export class Problem extends Error {
  override readonly name = 'Problem';

  constructor(
    readonly status: number,
    readonly detail: string,
    options?: ErrorOptions & {
      readonly headers?: Readonly<Record<string, string>>;
      /** The permission that is missing. Without one, a 403 is for everything. */
      readonly permission?: string;
    },
  ) {
    super(detail, options);
    this.headers = options?.headers ?? {};
    this.permission = options?.permission;
  }

  readonly headers: Readonly<Record<string, string>>;
  readonly permission: string | undefined;

  toJSON(): object {
    const { status, detail, permission, cause } = this;
    return {
      ...{ type: 'about:blank', title: STATUS_CODES[status] ?? 'Problem', status, detail },
      ...(permission !== undefined && { permission }),
      // Where in a payload, so that the page can say it there.
      ...(cause instanceof InvalidPayloadError && { issues: cause.issues }),
    };
  }
}

/** The statuses of Rowlock's errors. Any other one is a fault of the server. */
const STATUSES: Readonly<Record<string, number>> = {
  ROWLOCK_INVALID_INPUT: 400,
  ROWLOCK_INVALID_PAYLOAD: 400,
  ROWLOCK_JOB_NOT_FOUND: 404,
  ROWLOCK_SCHEDULE_NOT_FOUND: 404,
  ROWLOCK_ILLEGAL_TRANSITION: 409,
  ROWLOCK_UPDATE_REFUSED: 409,
  ROWLOCK_CLOSED: 503,
};

/** What an error means to the sender of the request. */
export function problemOf(error: unknown): Problem {
  if (error instanceof Problem) return error;
  if (isDriverError(error, 'LockTimeout')) return new Problem(409, error.message, { cause: error });
  if (isDriverError(error))
    return new Problem(503, `The database cannot do this: ${error.message}`, { cause: error });
  const status = error instanceof RowlockError ? STATUSES[error.code] : undefined;
  if (error instanceof RowlockError && status !== undefined)
    return new Problem(status, error.message, { cause: error });
  return new Problem(500, 'Something went wrong on the server. Its log says what.', { cause: error });
}
