import { DriverError, type DriverErrorCode, isDriverError } from '@rowlock/core';
import { firstError, isError, messageOf } from '@rowlock/core/driver';
import { isSocketCode, onlyReads, unaccepted } from '@rowlock/sql-drivers';

/**
 * errno → cause. MySQL's SQLSTATEs are too coarse to tell them apart.
 * https://dev.mysql.com/doc/mysql-errors/8.4/en/server-error-reference.html
 */
const CAUSES: Readonly<Record<number, DriverErrorCode>> = {
  // NOWAIT. The transaction keeps its locks.
  3572: 'LockNotAvailable',
  // Undoes only the statement. NOWAIT has the same error on MariaDB: see lockSiblings.
  1205: 'LockTimeout',
  // Undoes the whole transaction. The next statement would be committed by itself.
  1213: 'Deadlock',
  // A deadlock over the next id of a table (`innodb_autoinc_lock_mode` 1, the default of MariaDB), or in an XA transaction.
  1467: 'Deadlock',
  1614: 'Deadlock',
  1062: 'UniqueViolation',
  1586: 'UniqueViolation',
  // MariaDB: the record has changed since the snapshot was taken.
  1020: 'SerializationFailure',
  // A cluster has refused the commit: another member has committed something that this transaction conflicts with.
  3101: 'SerializationFailure',
  1180: 'SerializationFailure',
  // Galera: this member is not connected to most of the others, or has failed to roll back.
  1047: 'ConnectionLost',
  1181: 'ConnectionLost',
  // Access denied: to the server, a database, a table, a column, a routine, or for want of a privilege.
  1044: 'PermissionDenied',
  1045: 'PermissionDenied',
  1130: 'PermissionDenied',
  1142: 'PermissionDenied',
  1143: 'PermissionDenied',
  1227: 'PermissionDenied',
  1370: 'PermissionDenied',
  // No password was given; it has expired; the account is locked, on MariaDB too, or blocked after wrong passwords.
  1698: 'PermissionDenied',
  1820: 'PermissionDenied',
  1862: 'PermissionDenied',
  3118: 'PermissionDenied',
  3955: 'PermissionDenied',
  // The server accepts encrypted connections alone.
  3159: 'PermissionDenied',
  4106: 'PermissionDenied',
  4151: 'PermissionDenied',
  // A missing table, column, database or routine.
  1146: 'SchemaOutdated',
  1054: 'SchemaOutdated',
  1049: 'SchemaOutdated',
  1305: 'SchemaOutdated',
  // The server writes its log by statements.
  1665: 'EngineUnsuitable',
  // A parameter is compared with a column of another character set.
  1267: 'InvalidInput',
  // The server shuts down, has ended this connection, or accepts administrators only. Or the server blocks this host after too many
  // failed connections.
  1129: 'ConnectionLost',
  3032: 'ConnectionLost',
  1053: 'ConnectionLost',
  1077: 'ConnectionLost',
  1079: 'ConnectionLost',
  1152: 'ConnectionLost',
  1158: 'ConnectionLost',
  1159: 'ConnectionLost',
  1160: 'ConnectionLost',
  1161: 'ConnectionLost',
  1927: 'ConnectionLost',
  2006: 'ConnectionLost',
  2013: 'ConnectionLost',
  3169: 'ConnectionLost',
  4031: 'ConnectionLost',
  // After a fail-over this server is read-only. A new connection may reach the writable one. See READ_ONLY.
  1836: 'ConnectionLost',
  // A KILL QUERY; a max_execution_time, MariaDB's max_statement_time.
  1317: 'StatementCancelled',
  3024: 'StatementCancelled',
  1969: 'StatementCancelled',
  // The disk, the memory, a table, or the room for locks is full, or no thread is free.
  // The server has too many connections. The account has reached its limit on connections, or on something else in this hour.
  1040: 'OutOfResources',
  1203: 'OutOfResources',
  1226: 'OutOfResources',
  1021: 'OutOfResources',
  1037: 'OutOfResources',
  1038: 'OutOfResources',
  1041: 'OutOfResources',
  1114: 'OutOfResources',
  1135: 'OutOfResources',
  1206: 'OutOfResources',
  // A value that no column accepts: too long, out of range, a wrong character, broken JSON, a failed CHECK, a NULL.
  1048: 'InvalidInput',
  // MariaDB: JSON that is nested too deeply for its CHECK.
  1139: 'InvalidInput',
  // Longer than max_allowed_packet. The server has ended the connection.
  1153: 'InvalidInput',
  1264: 'InvalidInput',
  1265: 'InvalidInput',
  1292: 'InvalidInput',
  1300: 'InvalidInput',
  1366: 'InvalidInput',
  1406: 'InvalidInput',
  3140: 'InvalidInput',
  3141: 'InvalidInput',
  // A member's name in JSON is too long.
  3151: 'InvalidInput',
  3157: 'InvalidInput',
  3819: 'InvalidInput',
  4025: 'InvalidInput',
};

/**
 * Further errors with which the server has undone the whole transaction: the room for locks is full; a record has changed since the
 * snapshot was taken; a cluster has refused the commit.
 */
const UNDOING: ReadonlySet<number> = new Set([1206, 1020, 1180, 3101]);

/** Codes of the `mysql2` client's own errors. */
const LOST: ReadonlySet<string> = new Set([
  'PROTOCOL_CONNECTION_LOST',
  'PROTOCOL_ENQUEUE_AFTER_FATAL_ERROR',
  'PROTOCOL_ENQUEUE_AFTER_QUIT',
  'POOL_CLOSED',
]);

/** Codes that the operating system also gives for files. */
const OF_FILES: ReadonlySet<string> = new Set(['ENOENT', 'EMFILE', 'ENFILE']);

/** The `mysql2` client gives these errors no code. */
const LOST_MESSAGE =
  /connection is in closed state|can't (write|add new command)|connection lost|pool is closed/i;

const OUTDATED =
  "Rowlock's tables are missing or older than this driver: run rowlock.migrate(), or the SQL that the driver's README names.";

const ADVICE: Partial<Record<DriverErrorCode, string>> = {
  SchemaOutdated: OUTDATED,
  ConnectionLost: 'The connection to MySQL was lost, or could not be made.',
  StatementCancelled: 'MySQL stopped the statement: it met a limit on its time, or somebody cancelled it.',
  OutOfResources: 'MySQL has reached a limit: of disk, memory, or a setting.',
  PermissionDenied: 'The database user may not log in, or lacks a right.',
};

/** As after START TRANSACTION READ ONLY. The driver's own transactions may write. */
const READ_ONLY_TRANSACTION = 1792;

/** An option of the server forbids the statement. Only the message names the option. */
const FORBIDDEN = 1290;
const READ_ONLY = /read[-_]only/i;

/** The tables cannot be written, as with `innodb_force_recovery`. */
const READ_ONLY_MODE = 1836;

/** A file of the server's cannot be written, and the message says why: another reason than a full disk is the server's own matter. */
const UNWRITTEN: ReadonlySet<number> = new Set([3, 20, 1026, 1030]);
const FULL = /No space left|\b(?:errno|errcode|error):? 28\b/i;

/** Advice for errors that need their own, as those that a setting of the server causes. */
const SETTING_ADVICE: Readonly<Record<number, string>> = {
  1054: `${OUTDATED} If that changes nothing, a trigger on these tables names a column that is not there.`,
  1267: 'The character sets do not match: MySQL must be 8.0.26 or later, and sessions must keep utf8mb4.',
  1049: 'The database is not there: create it first.',
  3159: 'The server accepts encrypted connections alone: pass `ssl`, or `ssl-mode` in the `uri`.',
  1176: 'An index that Rowlock needs was dropped, or made invisible: `rowlock doctor` names it.',
  1665: 'READ COMMITTED needs binlog_format ROW or MIXED, and this server has STATEMENT.',
  1153: 'The statement is longer than the server accepts: its max_allowed_packet must be 4 MB or more.',
  1461:
    'The server keeps no more prepared statements: raise its max_prepared_stmt_count, or pass `maxPreparedStatements`, of which each connection ' +
    'keeps no more.',
};

/** A missing table, or routine, which the message names. */
const NAMED: ReadonlySet<number> = new Set([1146, 1305]);

/** A missing column. The message names the column alone, without its table. */
const NO_COLUMN = 1054;

const NOT_OURS =
  "A table, a column or a routine that is not one of Rowlock's is not there: a trigger on its tables may use it.";

/** What the server says of itself. A trigger that signals the same says nothing of the server, and would do so again. */
const OF_THE_SERVER: ReadonlySet<DriverErrorCode> = new Set(['ConnectionLost', 'OutOfResources']);

/** The SQLSTATE of a SIGNAL, which the server has for no error of its own. */
const SIGNALLED = '45000';

const RAISED =
  'A trigger or a routine in the database signals this, under a number by which MySQL speaks of itself.';

/** Whether what is missing is of the application's: no statement of the driver names it. */
function isNotOurs(error: unknown, message: string): boolean {
  if (NAMED.has(errnoOf(error))) return !/\browlock_/i.test(message);
  if (errnoOf(error) !== NO_COLUMN) return false;
  const { sql } = Object(error);
  const [, column = ''] = /'(?:[^']*\.)?([^'.]+)'/.exec(message) ?? [];
  return typeof sql === 'string' && column !== '' && !sql.includes(column);
}

/** The server accepts no more connections: of anybody, or of this account. */
const TOO_MANY_CONNECTIONS: ReadonlySet<number> = new Set([1040, 1203, 1226]);

const REFUSED = 'MySQL accepts no more connections: raise its limit, or let the processes open fewer.';

/** Whether the server accepts no more connections. */
export function isRefusal(error: unknown): boolean {
  return TOO_MANY_CONNECTIONS.has(errnoOf(error)) && !isSignalled(error);
}

/** Classifies an error of a query or of a connection. @param otherwise The cause of an error that is unknown here and not the server's. */
export function toDriverError(
  error: unknown,
  otherwise: DriverErrorCode = 'Unknown',
  isUnsent = false,
): DriverError {
  if (isDriverError(error)) return error;
  if (errnoOf(error) === READ_ONLY_TRANSACTION) return onlyReads(error);
  const known = causeOf(error);
  // Names, networks and TLS have many codes of their own, or none. A server's error has a positive number.
  const cause = known === 'Unknown' && !(errnoOf(error) > 0) ? otherwise : known;
  const message = messageOf(error);
  if (OF_THE_SERVER.has(cause) && isSignalled(error))
    return new DriverError('Unknown', `${RAISED} ${message}`, { cause: error, isUnsent });
  if (isNotOurs(error, message))
    return new DriverError('InvalidInput', `${NOT_OURS} ${message}`, { cause: error, isUnsent });
  const special = isRefusal(error) ? REFUSED : isReadOnly(error) ? READS : SETTING_ADVICE[errnoOf(error)];
  const advice = special ?? ADVICE[cause];
  return new DriverError(cause, advice === undefined ? message : `${advice} ${message}`, {
    cause: error,
    isUnsent,
  });
}

/** Classifies an error for want of a connection, before anything was sent. */
export function toUnsent(error: unknown): DriverError {
  return toDriverError(error, 'ConnectionLost', true);
}

const READS = 'This server is read-only, as a replica is: connect to the one that writes.';

/** Whether a server has refused to write at all. @param error The client's own. */
export function isReadOnly(error: unknown): boolean {
  const errno = errnoOf(error);
  return errno === READ_ONLY_MODE || (errno === FORBIDDEN && READ_ONLY.test(String(Object(error).message)));
}

function isSignalled(error: unknown): boolean {
  return Object(error).sqlState === SIGNALLED;
}

/** The answer of a statement, or its error. No caller of the driver gets an error of the client's own. @throws DriverError */
export function translated<Answer>(answer: Promise<Answer>): Promise<Answer> {
  return answer.catch((error: unknown) => {
    throw toDriverError(error);
  });
}

/** Whether the server has undone the whole transaction with this error. The next statement would be in another one. */
export function undoesTransaction(error: DriverError): boolean {
  return error.code === 'Deadlock' || UNDOING.has(errnoOf(error.cause));
}

function causeOf(given: unknown): DriverErrorCode {
  const error = firstError(given);
  if (!isError(error)) return 'Unknown';
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  const errno = errnoOf(error);
  // A server's error has a positive number, and its text may quote a user. The numbers of the operating system are below 0.
  if (errno <= 0 && isLost(error, code)) return 'ConnectionLost';
  if (isReadOnly(error)) return 'ConnectionLost';
  if (UNWRITTEN.has(errno) && FULL.test(error.message)) return 'OutOfResources';
  return CAUSES[errno] ?? 'Unknown';
}

/** Whether a code means a lost connection. A server's missing socket does. A missing file, as of LOAD DATA LOCAL, does not. */
function isLost(error: Error, code: string): boolean {
  if (OF_FILES.has(code)) return /^(connect|getaddrinfo)$/.test(String(Object(error).syscall));
  return isSocketCode(code) || LOST.has(code) || LOST_MESSAGE.test(error.message);
}

function errnoOf(error: unknown): number {
  // A client may give an error of its own the number undefined.
  return isError(error) && 'errno' in error ? Number(error.errno) || 0 : 0;
}

/** A syntax error, and a statement that the server does not support. */
const UNREAD: ReadonlySet<unknown> = new Set([1064, 1235]);

/** Throws an error of a worker's start. A statement that the server does not read shows that it is of another make, or gets another text. */
export function refuseUnread(error: unknown): never {
  throw UNREAD.has(Object(Object(error).cause).errno) ? unaccepted(toDriverError(error)) : error;
}
