/** Makes the server refuse a value that does not fit, and not cut it. Procedures run with the mode in which they were made. */
const STRICT_MODE = 'STRICT_ALL_TABLES,NO_ENGINE_SUBSTITUTION';
export const STRICT = `sql_mode = '${STRICT_MODE}'`;

/** A setting of a session, and the value by which the server shows it. */
interface Setting {
  readonly sql: string;
  readonly name: string;
  readonly shown: string;
}

/**
 * All that the driver's statements need of their session, whatever the server gives to new sessions. REPEATABLE READ would let an empty
 * claim lock the gap into which producers insert. No statement of the driver should ever wait for a lock. The limit for such a wait is 5 s.
 */
const SETTINGS: readonly Setting[] = [
  { name: 'innodb_lock_wait_timeout', sql: '5', shown: '5' },
  // For tables. A statement that changes one waits for the claims, and a handler of these may wait for a statement behind it.
  { name: 'lock_wait_timeout', sql: '5', shown: '5' },
  { name: 'time_zone', sql: "'+00:00'", shown: '+00:00' },
  { name: 'sql_mode', sql: `'${STRICT_MODE}'`, shown: STRICT_MODE },
  // With CHAIN, a COMMIT would begin another transaction, and what follows would be lost.
  { name: 'completion_type', sql: '0', shown: 'NO_CHAIN' },
  // Would refuse changes by a join.
  { name: 'sql_safe_updates', sql: '0', shown: 'OFF' },
  // Would let InnoDB store a duplicate of a unique key.
  { name: 'unique_checks', sql: '1', shown: 'ON' },
  // These would refuse, or cut, a SELECT that looks at many rows.
  { name: 'sql_big_selects', sql: '1', shown: 'ON' },
  { name: 'sql_select_limit', sql: '18446744073709551615', shown: '18446744073709551615' },
  // Would round times to whole milliseconds.
  { name: 'div_precision_increment', sql: '4', shown: '4' },
];

/**
 * Limits on a statement's time, which would interrupt a worker's sleep, and on the steps of a recursion, by which the slots of a limit are
 * made. Each server reads the other's as a comment.
 */
const LIMITS =
  '/*!80000 , max_execution_time = 0, cte_max_recursion_depth = 1000 */ /*M! , max_statement_time = 0, max_recursive_iterations = 1000 */';

/**
 * The statements that set up a session. Names and payloads are utf8mb4: a server may ignore what the client names at the handshake, or
 * its init_connect may change it.
 */
export const SESSION = [
  'SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED, READ WRITE',
  `SET NAMES utf8mb4, SESSION autocommit = 1, ${SETTINGS.map(({ name, sql }) => `${name} = ${sql}`).join(', ')} ${LIMITS}`,
];

/** The value of each variable that a session must have, as the server shows it. A server shows only the variables that it has. */
export const SHOWN: ReadonlyMap<string, string> = new Map([
  ['transaction_isolation', 'READ-COMMITTED'],
  ['tx_isolation', 'READ-COMMITTED'],
  ['character_set_client', 'utf8mb4'],
  ['character_set_connection', 'utf8mb4'],
  ['character_set_results', 'utf8mb4'],
  ['max_execution_time', '0'],
  ['max_statement_time', '0.000000'],
  ['cte_max_recursion_depth', '1000'],
  ['max_recursive_iterations', '1000'],
  ...SETTINGS.map(({ name, shown }) => [name, shown] as const),
]);
