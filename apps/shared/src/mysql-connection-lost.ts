/** Whether an error of `mysql2` speaks of the connection and not of the statement. */
export function isMysqlLost(error: Error, code: string): boolean {
  const errno = 'errno' in error ? Number(error.errno) : 0;
  return ERROR_NUMBERS.has(errno) || CLIENT_CODES.test(code) || MESSAGES.test(error.message);
}

/**
 * Too many connections; the server shuts down, ended this one, or let it idle too long; after a fail-over it only reads.
 * https://dev.mysql.com/doc/mysql-errors/8.4/en/server-error-reference.html
 */
const ERROR_NUMBERS: ReadonlySet<number> = new Set([
  1040, 1053, 1077, 1079, 1152, 1158, 1159, 1160, 1161, 1290, 1836, 1927, 2006, 2013, 3169, 4031,
]);

/** `mysql2` made these itself. */
const CLIENT_CODES = /^PROTOCOL_(CONNECTION_LOST|ENQUEUE_AFTER_\w+)$/;

/** `mysql2` reports these without a code. */
const MESSAGES = /connection is in closed state|can't (write|add new command)|connection lost/i;
