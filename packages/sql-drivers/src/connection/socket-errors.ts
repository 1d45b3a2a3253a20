/** Codes with which the operating system, or Node, says that there is no connection. */
const SOCKET_CODES: ReadonlySet<string> = new Set([
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

/** What TLS met. Its library has hundreds of such codes, and after each of them the connection is destroyed. */
const TLS_CODE = /^(?:EPROTO$|ERR_SSL_)/;

/** Whether a client's error with this code means that there is no connection, or none any more. */
export function isSocketCode(code: string): boolean {
  return SOCKET_CODES.has(code) || TLS_CODE.test(code);
}
