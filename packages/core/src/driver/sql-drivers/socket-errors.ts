import { isError } from '../../is-error.js';

/** Codes with which the operating system, or Node, says that there is no connection. */
export const SOCKET_CODES: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EPIPE',
  'ETIMEDOUT',
  'ECONNABORTED',
  'EHOSTUNREACH',
  'EHOSTDOWN',
  'ENETUNREACH',
  'ENETDOWN',
  'ENOENT',
  // This machine has no port, or this process no descriptor, left for a connection.
  'EADDRNOTAVAIL',
  'EMFILE',
  'ENFILE',
]);

/** The first error in an error that has several: a host with several addresses has one for each. Otherwise the error itself. */
export function firstError(error: unknown): unknown {
  const { errors } = Object(error);
  return Array.isArray(errors) && errors[0] !== undefined ? firstError(errors[0]) : error;
}

/** The message of an error. One that has several errors in it has none of its own. */
export function messageOf(error: unknown): string {
  const first = firstError(error);
  return isError(first) ? first.message : String(first);
}
