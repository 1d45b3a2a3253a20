import type { Fault } from '@rowlock/core/driver';
import { type MysqlTransaction, query } from '../../query.js';

/** With 2 a commit outlives the server, and not the machine. A session cannot have a value of its own. */
const FLUSHES =
  "SHOW GLOBAL VARIABLES WHERE Variable_name = 'innodb_flush_log_at_trx_commit' AND Value = '0'";

/** Looks for what gives up that a committed job is kept. */
export async function durability(on: MysqlTransaction): Promise<readonly Fault[]> {
  if ((await query(on, FLUSHES)).length === 0) return [];
  return [
    {
      severity: 'warning',
      what: 'The server has innodb_flush_log_at_trx_commit = 0.',
      why: 'A crash of the server loses what was committed within the last second: jobs, and that jobs have run.',
      remedy: "SET GLOBAL innodb_flush_log_at_trx_commit = 1, and in the server's configuration.",
    },
  ];
}
