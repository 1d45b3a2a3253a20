import { SHOWN } from '../connection/session-settings.js';
import { type MysqlTransaction, read } from '../query.js';

/** Variables of the session and of the server, and counts of the server, by name. None for what the server does not have. */
export type ServerValues = ReadonlyMap<string, string>;

/** The account's limit is in the session's variable `max_user_connections`. The server's own one is its default. */
const VARIABLES = [
  ...SHOWN.keys(),
  'version',
  'log_bin',
  'binlog_format',
  'innodb_rollback_on_timeout',
  'max_allowed_packet',
  'lower_case_table_names',
  'max_connections',
  'max_user_connections',
  'group_replication_single_primary_mode',
];

const COUNTS = ['Threads_connected', 'wsrep_cluster_size'];

/** All that a worker reads of its server, in two statements. @throws DriverError */
export async function serverValues(on: MysqlTransaction): Promise<ServerValues> {
  const variables = await read<Shown>(
    on,
    `SHOW SESSION VARIABLES WHERE Variable_name IN (${texts(VARIABLES)})`,
  );
  const counts = await read<Shown>(on, `SHOW GLOBAL STATUS WHERE Variable_name IN (${texts(COUNTS)})`);
  return new Map([...variables, ...counts].map((row) => [row.Variable_name, row.Value]));
}

interface Shown {
  readonly Variable_name: string;
  readonly Value: string;
}

function texts(names: readonly string[]): string {
  return names.map((name) => `'${name}'`).join(', ');
}
