import { GoogleAnswerError } from './errors.js';
import { NotGooglesAnswerError } from './google-answer.js';

/** A failed call, reduced to what may be kept and shown. */
export interface Refusal {
  /**
   * `refused`: certainly not done, a later try may succeed. `unclear`: perhaps done, perhaps not. `final`: trying again is
   * of no use.
   */
  readonly kind: 'refused' | 'unclear' | 'final';
  /** Refused by a quota that Google fills up again every minute. */
  readonly isQuota: boolean;
  readonly status: number | undefined;
  /** Google's own wish (`Retry-After`), in ms; 0 if it had none. */
  readonly retryAfterMs: number;
  readonly cause: GoogleAnswerError;
}

/** Too slow, in conflict with another request, locked, too early, or ended: a later try may succeed, as it may after any 5xx. */
const PASSING = [408, 409, 423, 425, 499];

/** Faults of Google's own that may come with a 4xx. */
const PASSING_REASONS = new Set([
  'backendError',
  'internalError',
  'UNAVAILABLE',
  'ABORTED',
  'DEADLINE_EXCEEDED',
  'INTERNAL',
  // Of the token endpoint: https://www.rfc-editor.org/rfc/rfc6749#section-4.1.2.1, and Google's own.
  ...['temporarily_unavailable', 'server_error', 'internal_failure', 'rate_limit_exceeded'],
]);

/** Google's front end says it, with a page, before the API sees the request. */
const TOO_LARGE = 413;

/** Too many people were shared with, or mailed, lately; nobody says for how long that holds. */
export const SHARING_LIMIT = 'sharingRateLimitExceeded';

/**
 * Drive says with 403 what Sheets says with 429.
 * Source: https://developers.google.com/workspace/drive/api/guides/handle-errors
 */
const RATE_REASONS = new Set([
  ...['rateLimitExceeded', 'userRateLimitExceeded', 'dailyLimitExceeded', SHARING_LIMIT],
  ...['RATE_LIMIT_EXCEEDED', 'RESOURCE_EXHAUSTED'],
]);

const MAX_MESSAGE = 500;

/** Reads what Google's libraries threw. Nothing of the request (headers, token, body) is taken over. */
export function readRefusal(error: unknown): Refusal {
  const response = object(object(error)?.response);
  const status = typeof response?.status === 'number' ? response.status : undefined;
  const reasons = reasonsOf(response?.data);
  const words = listed(response?.data).flatMap(({ message }) => (typeof message === 'string' ? message : []));
  const thrown = String(Object(error).message ?? error);
  const message = briefly(redact(words.join(' ') || thrown), status);
  const cause = new GoogleAnswerError(message, status, reasons);
  const kind = kindOf(error, status, reasons, response?.data);
  const isQuota = kind === 'refused' && !reasons.includes(SHARING_LIMIT);
  return { kind, isQuota, status, retryAfterMs: retryAfter(response), cause };
}

/** Whether the answer was given up as it was larger than the call's `size`. */
export function isTooLarge(error: unknown): boolean {
  return object(object(error)?.cause)?.type === 'max-size';
}

/** Takes out what looks like a token, a signed assertion or a private key. */
export function redact(text: string): string {
  return text
    .replace(/-----BEGIN[\s\S]*?(-----END[^-]*-----|$)/g, '[key]')
    .replace(/\beyJ[\w-]+\.[\w-]+(\.[\w-]*)?/g, '[token]')
    .replace(/\bya29\.[\w.-]+/g, '[token]')
    .replace(/\bBearer\s+\S+/gi, 'Bearer [token]');
}

/** Google's front ends answer with whole pages when they are overloaded. */
function briefly(message: string, status: number | undefined): string {
  if (/^\s*</.test(message)) return `HTTP ${status}`;
  return message.length > MAX_MESSAGE ? `${message.slice(0, MAX_MESSAGE)}…` : message;
}

function kindOf(
  error: unknown,
  status: number | undefined,
  reasons: readonly string[],
  data: unknown,
): Refusal['kind'] {
  if (error instanceof NotGooglesAnswerError) return 'unclear';
  if (status === 403 && reasons.some((reason) => RATE_REASONS.has(reason))) return 'refused';
  // The only status that tells for certain that nothing was done.
  if (status === 429) return 'refused';
  if (status !== undefined) {
    const isPassing =
      status >= 500 || PASSING.includes(status) || reasons.some((reason) => PASSING_REASONS.has(reason));
    return isPassing || !(isGoogles(data) || status === TOO_LARGE) ? 'unclear' : 'final';
  }
  // Without an answer: a request that was sent has a `config`, or its time was over; whatever else was thrown was thrown before any.
  const { config, name } = object(error) ?? {};
  return config === undefined && name !== 'TimeoutError' ? 'final' : 'unclear';
}

/** A refusal of Google's API has an error; that of what stands before the API, or between, is a page, and a later try may get through. */
function isGoogles(data: unknown): boolean {
  return object(data)?.error !== undefined;
}

/** Drive: `error.errors[].reason`. Sheets: `error.status` and `error.details[].reason`. Token endpoint: `error` itself. */
function reasonsOf(data: unknown): string[] {
  const error = object(data)?.error;
  if (typeof error === 'string') return [error];
  const reasons = [object(error)?.status, ...listed(data).map(({ reason }) => reason)];
  return reasons.filter((reason) => typeof reason === 'string');
}

/** What an answer lists of an error. Drive's words are there; `error.message` may say no more than "Bad Request". */
function listed(data: unknown): Fields[] {
  const { errors, details } = object(object(data)?.error) ?? {};
  return [errors, details].flatMap((list: unknown) => (Array.isArray(list) ? list.filter(isFields) : []));
}

function retryAfter(response: Fields | undefined): number {
  // Not an instance of the global Headers: Google's libraries bring a fetch of their own.
  const headers = object(response?.headers);
  const value: unknown = typeof headers?.get === 'function' ? headers.get('retry-after') : undefined;
  return typeof value === 'string' ? waitUntil(value.trim()) : 0;
}

/** Seconds, or a date. Source: https://www.rfc-editor.org/rfc/rfc9110#field.retry-after */
function waitUntil(value: string): number {
  const ms = /^\d+$/.test(value) ? Number(value) * 1000 : Date.parse(value) - Date.now();
  return Number.isNaN(ms) ? 0 : Math.max(ms, 0);
}

type Fields = { readonly [name: string]: unknown };

function object(value: unknown): Fields | undefined {
  return isFields(value) ? value : undefined;
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null;
}
