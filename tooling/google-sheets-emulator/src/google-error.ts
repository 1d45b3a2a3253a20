import type { JsonObject } from './json.js';

/** Which of Google's two error shapes a caller gets: Drive's older one has `errors`, Sheets' has `status`. */
export type Api = 'drive' | 'sheets';

interface Particulars {
  /** Drive's machine-readable word, e.g. `notFound`. */
  readonly reason?: string;
  readonly domain?: string;
  readonly location?: string;
  readonly locationType?: string;
  /** Sheets' `details`, already in the shape of google.rpc messages. */
  readonly details?: readonly JsonObject[];
}

const STATUS_NAMES: Readonly<Record<number, string>> = {
  400: 'INVALID_ARGUMENT',
  401: 'UNAUTHENTICATED',
  403: 'PERMISSION_DENIED',
  404: 'NOT_FOUND',
  413: 'INVALID_ARGUMENT',
  429: 'RESOURCE_EXHAUSTED',
  500: 'INTERNAL',
  501: 'UNIMPLEMENTED',
  503: 'UNAVAILABLE',
  504: 'DEADLINE_EXCEEDED',
};

const REASONS: Readonly<Record<number, string>> = {
  400: 'badRequest',
  401: 'authError',
  403: 'forbidden',
  404: 'notFound',
  429: 'rateLimitExceeded',
  500: 'internalError',
  503: 'backendError',
};

/** An answer other than 2xx, in the words Google uses for it. */
export class GoogleError extends Error {
  override readonly name = 'GoogleError';

  constructor(
    readonly code: number,
    message: string,
    readonly particulars: Particulars = {},
  ) {
    super(message);
  }

  /** The response body as the given API writes it. */
  body(api: Api): JsonObject {
    const { reason, domain, location, locationType, details } = this.particulars;
    const status = STATUS_NAMES[this.code] ?? 'UNKNOWN';
    if (api === 'sheets') {
      return { error: { code: this.code, message: this.message, status, ...(details && { details }) } };
    }
    const entry = {
      message: this.message,
      domain: domain ?? 'global',
      reason: reason ?? REASONS[this.code] ?? 'backendError',
      ...(location && { location, locationType }),
    };
    return {
      error: {
        code: this.code,
        message: this.message,
        errors: [entry],
        ...(this.code === 401 && { status }),
      },
    };
  }
}

/** 400, for a value that cannot be accepted. */
export function invalidArgument(message: string, particulars?: Particulars): GoogleError {
  return new GoogleError(400, message, particulars);
}

/** What is wrong with one member of a request; without a field it is the request itself. */
export interface FieldViolation {
  readonly field?: string;
  readonly description: string;
}

/** 400, for a body that is no message of the API: says all that is wrong with it, one a line. */
export function badRequest(fieldViolations: readonly FieldViolation[]): GoogleError {
  const message = fieldViolations.map(({ description }) => description).join('\n');
  return invalidArgument(message, {
    details: [{ '@type': 'type.googleapis.com/google.rpc.BadRequest', fieldViolations }],
  });
}

/** 404 of the Sheets API. */
export function entityNotFound(): GoogleError {
  return new GoogleError(404, 'Requested entity was not found.');
}

/** 404 of the Drive API. */
export function fileNotFound(fileId: string): GoogleError {
  return new GoogleError(404, `File not found: ${fileId}.`, {
    reason: 'notFound',
    location: 'fileId',
    locationType: 'parameter',
  });
}
