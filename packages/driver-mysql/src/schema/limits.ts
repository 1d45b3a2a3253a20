import type { ConnectionLimit } from '@rowlock/core/driver';
import { type MysqlTransaction, query } from '../query.js';

interface Variable {
  readonly Variable_name: string;
  readonly Value: string;
}

/** The account's limit is in the session's variable. The server's own variable of that name is its default. */
const LIMITS = "SHOW SESSION VARIABLES WHERE Variable_name IN ('max_connections', 'max_user_connections')";

const USED = "SHOW GLOBAL STATUS LIKE 'Threads_connected'";

const OF_ACCOUNT = "SELECT SUBSTRING_INDEX(USER(), '@', 1) AS user";

/** The server's limits on connections. @param open How many connections this pool has now. @throws DriverError */
export async function limitsOf(on: MysqlTransaction, open: number): Promise<readonly ConnectionLimit[]> {
  const value = valuesOf([...(await query<Variable>(on, LIMITS)), ...(await query<Variable>(on, USED))]);
  const others = (used: number): number => Math.max(0, used - open);
  const server = {
    name: "the server's max_connections",
    most: value('max_connections'),
    used: others(value('Threads_connected')),
  };
  const most = value('max_user_connections');
  if (most === 0) return [server];
  const [self] = await query<{ user: string }>(on, OF_ACCOUNT);
  // Not from information_schema: MySQL's list of processes is an error while anybody's statement holds an emoji.
  const [sessions] = await on.query('SHOW PROCESSLIST');
  const used = sessions.filter(({ User }: { readonly User: string }) => User === self?.user).length;
  return [server, { name: `the MAX_USER_CONNECTIONS of the user ${self?.user}`, most, used: others(used) }];
}

function valuesOf(rows: readonly Variable[]): (name: string) => number {
  const values = new Map(rows.map((row) => [row.Variable_name, Number(row.Value)]));
  return (name) => values.get(name) ?? 0;
}
