import type { Fault } from '@rowlock/core/driver';
import { type MysqlTransaction, query } from '../../query.js';

/** In seconds. The last two are MariaDB's, and 0 is none. Sessions set what else matters themselves. */
const SETTINGS =
  "SHOW SESSION VARIABLES WHERE Variable_name IN ('wait_timeout', 'idle_transaction_timeout', 'idle_write_transaction_timeout')";

/** A pool closes connections that have been idle for so long, in seconds. */
const IDLE_S = 15;

/** Looks for limits of this account's sessions that end what workers do. */
export async function settings(on: MysqlTransaction, handlerMs: number): Promise<readonly Fault[]> {
  const rows = await query<{ Variable_name: string; Value: string }>(on, SETTINGS);
  return rows.flatMap(({ Variable_name: name, Value }): Fault[] => {
    const least = name === 'wait_timeout' ? IDLE_S : Math.ceil(handlerMs / 1_000);
    const seconds = Number(Value);
    if (seconds === 0 || seconds >= least) return [];
    return [
      {
        severity: 'warning',
        what: `${name} is ${seconds} s here, and less than ${least} s.`,
        why:
          name === 'wait_timeout'
            ? 'The server ends connections of the pool that wait.'
            : 'The server ends the claim of a handler before its timeout is over, and the job runs again.',
        remedy: `SET GLOBAL ${name} = ${name === 'wait_timeout' ? 28_800 : 0}, and in the server's configuration.`,
      },
    ];
  });
}
