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
