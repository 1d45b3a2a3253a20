import { DriverError, type DriverErrorCode, isDriverError } from '@rowlock/core';
import { firstError, isError, messageOf } from '@rowlock/core/driver';
import { isSocketCode, unaccepted } from '@rowlock/sql-drivers';

/**
 * SQLSTATE → cause. A class (the first two characters) stands for all its codes that are not listed.
 * https://www.postgresql.org/docs/current/errcodes-appendix.html
 */
const CAUSES: Readonly<Record<string, DriverErrorCode>> = {
  '55P03': 'LockNotAvailable',
  '40P01': 'Deadlock',
  '40001': 'SerializationFailure',
  '23505': 'UniqueViolation',
  '42501': 'PermissionDenied',
  '28': 'PermissionDenied',
  // A missing table, column, schema or function.
  '42P01': 'SchemaOutdated',
  '42703': 'SchemaOutdated',
  '3F000': 'SchemaOutdated',
  '42883': 'SchemaOutdated',
  // The server ends the connection, or does not accept one yet.
  '08': 'ConnectionLost',
  '57P01': 'ConnectionLost',
  '57P02': 'ConnectionLost',
  '57P03': 'ConnectionLost',
  '57P05': 'ConnectionLost',
  '25P03': 'ConnectionLost',
  '25P04': 'ConnectionLost',
  // A statement_timeout, or pg_cancel_backend.
  '57014': 'StatementCancelled',
  // The disk is full, or the memory, or a limit on temporary files or connections is reached.
  '53': 'OutOfResources',
  // After a fail-over this server is read-only. A new connection may reach the writable one. See READ_ONLY.
  '25006': 'ConnectionLost',
  // A value that no column accepts: out of range, an untranslatable character, broken JSON, a failed CHECK.
  '22': 'InvalidInput',
  '23514': 'InvalidInput',
  '23502': 'InvalidInput',
  // A limit of the server is exceeded: a key too long for an index, a JSON nested too deep.
  '54': 'InvalidInput',
};

/** Of a standby, or of a session that may not write. */
const READ_ONLY_TRANSACTION = '25006';

/** A standby's message for a transaction that is to write, under a code with many meanings. */
const UNSUPPORTED = '0A000';
const SYNTAX_ERROR = '42601';
const READ_ONLY = /read-write mode during recovery/;

/** A pooler that ends a connection has this code too. The server itself refuses a message, and the connection goes on. */
const PROTOCOL_VIOLATION = '08P01';

/** A pooler that lends a session for one statement says this at the first BEGIN, and ends the connection. */
const PER_STATEMENT = /statement pooling mode/;

/** Both NOWAIT and `lock_timeout` have this code. The timeout is found by its message, among the others that interrupt a statement. */
const LOCK_NOT_AVAILABLE = '55P03';
const INTERRUPTED = 'ProcessInterrupts';

/** All limits have this code. A value exceeds most limits. An exception is the full queue of notifications: some listener does not read. */
const LIMIT_EXCEEDED = '54000';
const NOTIFYING = 'PreCommit_Notify';

/** The `pg` client gives these errors no code. */
const LOST_MESSAGE =
  /connection (is closed|terminated|ended|error)|client was closed|not queryable|after calling end on the pool|timeout exceeded when trying to connect|^timeout expired$|^query read timeout$/i;

const ADVICE: Partial<Record<DriverErrorCode, string>> = {
  SchemaOutdated:
    "Rowlock's tables are missing or older than this driver: run rowlock.migrate(), or the SQL that the driver's README names.",
  ConnectionLost: 'The connection to Postgres was lost, or could not be made.',
  StatementCancelled: 'Postgres stopped the statement: it met a limit on its time, or somebody cancelled it.',
  OutOfResources: 'Postgres has reached a limit: of disk, memory, or a setting.',
  EngineUnsuitable:
    'The pooler lends a session for one statement at a time, and Rowlock needs transactions: set its pool_mode to transaction, or connect to the server itself.',
  PermissionDenied: 'The database user may not log in, or lacks a right.',
};

const NO_DATABASE = '3D000';

const NOT_THERE = 'The database is not there: create it first.';

/** A new connection meets this while the database lets nobody in, as for a restore. */
const NOT_ACCEPTING = '55000';

/** The primary keys that the server counts up. */
const COUNTED: ReadonlySet<unknown> = new Set(['job_pkey', 'bell_pkey']);

const BEHIND =
  'The ids that Postgres counts up are behind the rows, as after a restore or a switch of servers: run rowlock.migrate(), which mends that.';

const NOT_OURS =
  'A function or a trigger in the database uses something that is not there. Rowlock comes with no such function: look at the triggers on its tables.';

/** What the server says of itself. A trigger that raises the same says nothing of the server, and would do so again. */
const OF_THE_SERVER: ReadonlySet<DriverErrorCode> = new Set(['ConnectionLost', 'OutOfResources']);

const RAISED =
  'A function or a trigger in the database raises this, under a code by which Postgres speaks of itself.';

/** Whether a RAISE of PL/pgSQL is what failed. */
function isRaised(error: unknown): boolean {
  return Object(error).routine === 'exec_stmt_raise';
}

/** Whether the statement has failed inside of a function, as that of a trigger on the table. */
function isWithinFunction(error: unknown): boolean {
  return /\bfunction\b/.test(String(Object(error).where ?? ''));
}

/** The server accepts no more connections: of anybody, to this database, or of this role. */
const TOO_MANY_CONNECTIONS = '53300';

const REFUSED = 'Postgres accepts no more connections: raise its limit, or let the processes open fewer.';

/** Whether the server accepts no more connections. */
export function isRefusal(error: unknown): boolean {
  return Object(error).code === TOO_MANY_CONNECTIONS && !isRaised(error);
}

/** Classifies an error of a query or of a connection. @param otherwise The cause of an error that is unknown here and not the server's. */
export function toDriverError(
  error: unknown,
  otherwise: DriverErrorCode = 'Unknown',
  isUnsent = false,
): DriverError {
  if (isDriverError(error)) return error;
  const known = causeOf(error);
  const { code } = Object(error);
  const isOther = !isServers(error) || (isUnsent && code === NOT_ACCEPTING);
  const cause = known === 'Unknown' && isOther ? otherwise : known;
  const message = messageOf(error);
  if (OF_THE_SERVER.has(cause) && isRaised(error))
    return new DriverError('Unknown', `${RAISED} ${message}`, { cause: error, isUnsent });
  if (cause === 'SchemaOutdated' && isWithinFunction(error))
    return new DriverError('InvalidInput', `${NOT_OURS} ${message}`, { cause: error, isUnsent });
  const isBehind = cause === 'UniqueViolation' && COUNTED.has(Object(error).constraint);
  const special = isBehind ? BEHIND : isRefusal(error) ? REFUSED : isReadOnly(error) ? READS : undefined;
  const advice = special ?? (code === NO_DATABASE ? NOT_THERE : ADVICE[cause]);
  return new DriverError(cause, advice === undefined ? message : `${advice} ${message}`, {
    cause: error,
    isUnsent,
  });
}

/** Throws an error of a worker's start. A statement that the server does not read shows that it is of another make, or gets another text. */
export function refuseUnread(error: unknown): never {
  const { code } = Object(Object(error).cause);
  throw code === SYNTAX_ERROR || code === UNSUPPORTED ? unaccepted(toDriverError(error)) : error;
}

/** Classifies an error for want of a connection, before anything was sent. */
export function toUnsent(error: unknown): DriverError {
  return toDriverError(error, 'ConnectionLost', true);
}

const READS = 'This server is read-only, as a standby is: connect to the one that writes.';

function isReadOnly(error: unknown): boolean {
  const { code, message } = Object(error);
  return code === READ_ONLY_TRANSACTION || (code === UNSUPPORTED && READ_ONLY.test(message));
}

/** Whether the server sent the error. Names, networks and TLS have many codes of their own, or none. */
function isServers(error: unknown): boolean {
  return typeof Object(error).severity === 'string';
}

function causeOf(given: unknown): DriverErrorCode {
  const error = firstError(given);
  if (!isError(error)) return 'Unknown';
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  if (isSocketCode(code) || (code === '' && LOST_MESSAGE.test(error.message))) return 'ConnectionLost';
  if (isReadOnly(error)) return 'ConnectionLost';
  if (code === PROTOCOL_VIOLATION && PER_STATEMENT.test(error.message)) return 'EngineUnsuitable';
  if (code === PROTOCOL_VIOLATION && Object(error).severity === 'ERROR') return 'Unknown';
  const routine = 'routine' in error ? error.routine : undefined;
  if (code === LOCK_NOT_AVAILABLE && routine === INTERRUPTED) return 'LockTimeout';
  if (code === LIMIT_EXCEEDED && routine === NOTIFYING) return 'OutOfResources';
  return CAUSES[code] ?? CAUSES[code.slice(0, 2)] ?? 'Unknown';
}
