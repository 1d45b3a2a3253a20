import type { ConnectionLimit } from '@rowlock/core/driver';
import { type MysqlTransaction, query } from '../query.js';
import type { ServerValues } from './server-values.js';

const OF_ACCOUNT = "SELECT SUBSTRING_INDEX(USER(), '@', 1) AS user";

/** The server's limits on connections. @param open How many connections this pool has now. @throws DriverError */
export async function limitsOf(
  on: MysqlTransaction,
  values: ServerValues,
  open: number,
): Promise<readonly ConnectionLimit[]> {
  const value = (name: string): number => Number(values.get(name) ?? 0);
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
