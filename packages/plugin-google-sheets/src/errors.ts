/** A longer pause is no wish of a service that people wait for. */
const MAX_PAUSE_MS = 3_600_000;

/** Google cannot be used now: overloaded, unreachable, or the quota is used up. Worth another try later. */
export class GoogleUnavailableError extends Error {
  override readonly name = 'GoogleUnavailableError';
  readonly code = 'ROWLOCK_GOOGLE_UNAVAILABLE';
  /** Whether a quota is used up that Google fills up again every minute: the request was certainly not done. */
  readonly isQuota: boolean;
  /** The pause before the next try, in ms, at most an hour. */
  readonly retryAfterMs: number;

  constructor(
    message: string,
    retryAfterMs: number,
    { isQuota = false, ...options }: ErrorOptions & { readonly isQuota?: boolean } = {},
  ) {
    super(message, options);
    this.isQuota = isQuota;
    this.retryAfterMs = Math.min(retryAfterMs, MAX_PAUSE_MS);
  }
}

/** Google refused, and will refuse the same request again. */
export class GoogleRequestError extends Error {
  override readonly name = 'GoogleRequestError';
  readonly code = 'ROWLOCK_GOOGLE_REQUEST';

  constructor(
    message: string,
    /** The HTTP status; undefined when the request could not even be made, e.g. for want of credentials. */
    readonly status: number | undefined,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

/** The sheet cannot be taken back as it stands. The message tells the person who edits it what to change. */
export class SheetError extends Error {
  override readonly name = 'SheetError';
  readonly code = 'ROWLOCK_GOOGLE_SHEET';
}

/** What Google answered, without the request: that carries the access token. */
export class GoogleAnswerError extends Error {
  override readonly name = 'GoogleAnswerError';

  constructor(
    message: string,
    readonly status: number | undefined,
    /** Google's machine-readable words for why, e.g. `notFound`, `RATE_LIMIT_EXCEEDED`. */
    readonly reasons: readonly string[],
  ) {
    super(message);
  }
}
