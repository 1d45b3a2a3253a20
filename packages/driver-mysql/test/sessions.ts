import { until } from '@rowlock/driver-conformance/internal';
import type { Pool, RowDataPacket } from 'mysql2/promise';

/** Another session of a test's database. */
export interface Session {
  readonly id: bigint;
  /** As its connection was named by `nameOf`, without the database. */
  readonly name: string;
  readonly statement: string | null;
  /** Whether it has begun a transaction: a statement that is its own transaction does not count. */
  readonly inTransaction: boolean;
}

/** What a connection is named, so that the server can tell whose it is. */
export function nameOf(database: string, name: string): { program_name: string } {
  return { program_name: `${database} ${name}` };
}

/** MariaDB begins with these off. */
export async function watchTransactions(plain: Pool): Promise<void> {
  await plain.query(
    "UPDATE performance_schema.setup_instruments SET enabled = 'YES' WHERE name = 'transaction'",
  );
  await plain.query(
    "UPDATE performance_schema.setup_consumers SET enabled = 'YES' WHERE name = 'events_transactions_current'",
  );
}

/**
 * Resolves when the server has ended a session, and has given back what that held. It does so a moment after a KILL is answered.
 * Not from SHOW PROCESSLIST, in which such a session is missed while its transaction is still being rolled back.
 */
export async function ended(pool: Pool, session: number): Promise<void> {
  const text = 'SELECT 1 FROM performance_schema.threads WHERE processlist_id = ?';
  await until('the session has ended', async () => {
    const [rows] = await pool.query<RowDataPacket[]>(text, [session]);
    return rows.length === 0;
  });
}

/**
 * The sessions of a database, but for the one that asks. By the names they gave themselves, because the obvious sources
 * are not to be relied on:
 * - information_schema.processlist is an error on MySQL while anybody's statement holds an emoji;
 * - performance_schema.threads does not tell a session's database while that begins a statement;
 * - innodb_trx stays as it was for as long as somebody looks more often than each 100 ms.
 */
export async function sessionsOf(plain: Pool, database: string): Promise<readonly Session[]> {
  const [rows] = await plain.query<never>(
    `SELECT CAST(program.processlist_id AS CHAR) AS id, program.attr_value AS name,
            session.processlist_info AS statement, transaction.state
     FROM performance_schema.session_connect_attrs AS program
     JOIN performance_schema.threads AS session ON session.processlist_id = program.processlist_id
     LEFT JOIN performance_schema.events_transactions_current AS transaction
       ON transaction.thread_id = session.thread_id
       AND transaction.state = 'ACTIVE' AND transaction.autocommit = 'NO'
     WHERE program.attr_name = 'program_name' AND SUBSTRING_INDEX(program.attr_value, ' ', 1) = ?
       AND program.processlist_id <> CONNECTION_ID()`,
    [database],
  );
  const sessions: { id: string; name: string; statement: string | null; state: string | null }[] = rows;
  return sessions.map(({ id, name, statement, state }) => ({
    id: BigInt(id),
    name: name.slice(database.length + 1),
    statement,
    inTransaction: state !== null,
  }));
}
